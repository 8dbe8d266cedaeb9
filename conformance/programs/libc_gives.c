//# states: what libc's own functions allocate can be used, grown and freed by the program
//# link: static static-pie lld gc line zig
//# case: strdup strndup getline getdelim open_memstream asprintf scandir glob regcomp setenv
//# case: getaddrinfo getcwd realpath opendir fopen wide tsearch hcreate search_many pthread_sem
//# case: setvbuf qsort_and_friends popen spawn in_thread
#include "check.h"
#include <dirent.h>
#include <glob.h>
#include <netdb.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <sys/wait.h>
#include <wchar.h>

/* Each block is grown by the program's own call before it is freed. */
static void grow_and_free(void *p, size_t n) {
    NEED(p);
    char first = n ? *(char *)p : 0;
    char *q = realloc(p, n + 100000);
    NEED(q);
    CHECK(n == 0 || *q == first, "found %d, not %d", *q, first);
    free(q);
}
static void do_strdup(void) { grow_and_free(strdup("a text"), 7); }
static void do_strndup(void) { grow_and_free(strndup("a text", 3), 4); }
static void read_lines(int by_delimiter) {
    FILE *f = tmpfile();
    NEED(f);
    for (int i = 0; i < 3000; i++) fputc('x', f);
    fputs("\nshort\n", f);
    for (int i = 0; i < 200000; i++) fputc('y', f);
    rewind(f);
    char *line = NULL;
    size_t size = 0;
    ssize_t n[3];
    for (int i = 0; i < 3; i++)
        n[i] = by_delimiter ? getdelim(&line, &size, '\n', f) : getline(&line, &size, f);
    CHECK(n[0] == 3001 && n[1] == 6 && n[2] == 200000, "%zd %zd %zd", n[0], n[1], n[2]);
    fclose(f);
    grow_and_free(line, size);
    /* Into a block that the program allocated. */
    NEED(f = fopen("/proc/self/maps", "r"));
    NEED(line = malloc(size = 3));
    CHECK(getline(&line, &size, f) > 10 && size > 10, "size %zu", size);
    fclose(f);
    free(line);
}
static void do_getline(void) { read_lines(0); }
static void do_getdelim(void) { read_lines(1); }
static void do_open_memstream(void) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    NEED(f);
    for (int i = 0; i < 20000; i++) fprintf(f, "%d ", i);
    fclose(f);
    CHECK_SAME(n, 108890);
    CHECK(text && !memcmp(text, "0 1 2 ", 6) && !text[n], "found %.10s", text);
    grow_and_free(text, n);
}
static void do_asprintf(void) {
    char *text = NULL;
    CHECK_SAME(asprintf(&text, "%5000d", 1), 5000);
    grow_and_free(text, 5001);
}
static int all(const struct dirent *unused) { return unused != NULL; }
static void do_scandir(void) {
    struct dirent **names = NULL;
    int n = scandir("/dev", &names, all, alphasort);
    CHECK(n > 2, "%d entries", n);
    for (int i = 0; i < n; i++) free(names[i]);
    free(names);
}
static void do_glob(void) {
    glob_t g;
    CHECK_SAME(glob("/dev/*", 0, NULL, &g), 0);
    CHECK_SAME(glob("/e*", GLOB_APPEND, NULL, &g), 0);
    CHECK(g.gl_pathc > 3, "%zu paths", (size_t)g.gl_pathc);
    globfree(&g);
}
static void do_regcomp(void) {
    for (int i = 0; i < 50; i++) {
        regex_t r;
        regmatch_t m[3];
        CHECK_SAME(regcomp(&r, "^([a-z]+|[0-9]{2,30})*-(x|yz)+$", REG_EXTENDED), 0);
        CHECK_SAME(regexec(&r, "abc1234def-xyzx", 3, m, 0), 0);
        CHECK_SAME(regexec(&r, "abc1234def-q", 3, m, 0), REG_NOMATCH);
        regfree(&r);
    }
}
static void do_setenv(void) {
    char name[20];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "NAME_%d", i % 500);
        CHECK_SAME(setenv(name, name, 1), 0);
        if (i % 3 == 0) CHECK_SAME(unsetenv(name), 0);
    }
    CHECK(!strcmp(getenv("NAME_499"), "NAME_499"), "found %s", getenv("NAME_499"));
    char *own = strdup("OWN=1");
    CHECK_SAME(putenv(own), 0);
    CHECK(getenv("OWN") == own + 4, "%p", (void *)getenv("OWN"));
    CHECK_SAME(unsetenv("OWN"), 0);
    free(own);
    clearenv();
}
static void do_getaddrinfo(void) {
    const char *hosts[] = {"127.0.0.1", "::1", "localhost"};
    for (int i = 0; i < 3; i++) {
        struct addrinfo *list = NULL, hints = {.ai_flags = i < 2 ? AI_NUMERICHOST : 0};
        int result = getaddrinfo(hosts[i], "80", &hints, &list);
        CHECK(result == 0, "%s: %s", hosts[i], gai_strerror(result));
        if (result == 0) freeaddrinfo(list);
    }
}
static void do_getcwd(void) { grow_and_free(getcwd(NULL, 0), 1); }
static void do_realpath(void) { grow_and_free(realpath("/proc/self/../self/exe", NULL), 2); }
static void do_opendir(void) {
    DIR *d[20];
    for (int i = 0; i < 20; i++) NEED(d[i] = opendir("/dev"));
    for (int i = 0; i < 20; i++) {
        while (readdir(d[i])) {}
        closedir(d[i]);
    }
}
static void do_fopen(void) {
    FILE *f[50];
    for (int i = 0; i < 50; i++) NEED(f[i] = i % 2 ? fopen("/dev/null", "w") : tmpfile());
    for (int i = 0; i < 50; i++) fprintf(f[i], "%1000d", i);
    for (int i = 0; i < 50; i++) fclose(f[i]);
    char memory[10] = "012345678";
    NEED(f[0] = fmemopen(memory, 10, "r"));
    CHECK_SAME(fgetc(f[0]), '0');
    fclose(f[0]);
}
static void do_wide(void) {
    grow_and_free(wcsdup(L"wide"), 20);
    wchar_t *text = NULL;
    size_t n = 0;
    FILE *f = open_wmemstream(&text, &n);
    NEED(f);
    for (int i = 0; i < 3000; i++) fputwc(L'x', f);
    fclose(f);
    CHECK_SAME(n, 3000);
    grow_and_free(text, n * sizeof *text);
}
static int compare(const void *a, const void *b) { return strcmp(a, b); }
static void do_tsearch(void) {
    void *root = NULL;
    char name[20];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "%d", i * 7919 % 1000);
        NEED(tsearch(strdup(name), &root, compare));
    }
    CHECK(tfind("500", &root, compare) != NULL, "not found");
    tdestroy(root, free);
}
static void do_hcreate(void) {
    errno = 0;
    CHECK_SAME(hcreate((size_t)-1), 0);
    CHECK_SAME(errno, ENOMEM);
}
static void do_search_many(void) {
    NEED(hcreate(10));
    for (int i = 0; i < 3000; i++) {
        char name[20];
        snprintf(name, sizeof name, "%d", i);
        ENTRY e = {strdup(name), NULL};
        if (i < 10) NEED(hsearch(e, ENTER));
        else free(e.key);
    }
    hdestroy();
}
static void do_pthread_sem(void) {
    for (int i = 0; i < 100; i++) {
        pthread_attr_t a;
        pthread_attr_init(&a);
        pthread_attr_destroy(&a);
        pthread_atfork(NULL, NULL, NULL); /* allocated in musl from 1.2.4 on */
    }
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    NEED(waitpid(pid, NULL, 0) == pid);
}
static void do_setvbuf(void) {
    FILE *f = fopen("/dev/null", "w");
    char *buffer = malloc(100000);
    NEED(f && buffer && !setvbuf(f, buffer, _IOFBF, 100000));
    for (int i = 0; i < 30000; i++) fputs("text", f);
    fclose(f);
    grow_and_free(buffer, 100000);
}
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void do_qsort(void) {
    int *numbers = malloc(100000 * sizeof *numbers);
    NEED(numbers);
    for (int i = 0; i < 100000; i++) numbers[i] = i * 7919 % 100003;
    qsort(numbers, 100000, sizeof *numbers, by_value);
    for (int i = 1; i < 100000; i++) CHECK(numbers[i - 1] <= numbers[i], "at %d", i);
    free(numbers);
}
static void do_popen(void) {
    char text[10] = "";
    FILE *f = popen("echo hello", "r");
    NEED(f && fgets(text, sizeof text, f));
    CHECK(!strcmp(text, "hello\n"), "found %s", text);
    CHECK_SAME(pclose(f), 0);
    CHECK_SAME(system("exit 3") >> 8, 3);
}
static void do_spawn(void) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    NEED(!posix_spawn_file_actions_init(&actions));
    NEED(!posix_spawn_file_actions_addopen(&actions, 5, "/dev/null", 0, 0));
    NEED(!posix_spawn_file_actions_adddup2(&actions, 5, 6));
    char *argv[] = {"sh", "-c", "test -e /proc/self/fd/6", NULL};
    pid_t pid;
    int status = -1;
    NEED(!posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environ));
    NEED(waitpid(pid, &status, 0) == pid);
    CHECK_SAME(status, 0);
    posix_spawn_file_actions_destroy(&actions);
}
static void *all_of_them(void *unused) {
    do_strdup(), do_getline(), do_open_memstream(), do_asprintf(), do_scandir(), do_glob();
    do_regcomp(), do_getaddrinfo(), do_realpath(), do_opendir(), do_fopen(), do_tsearch();
    return unused;
}
static void in_thread(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++) NEED(!pthread_create(&ids[i], NULL, all_of_them, NULL));
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    all_of_them(NULL);
}
#define C(name) {#name, do_##name}
RUN_CASES(C(strdup), C(strndup), C(getline), C(getdelim), C(open_memstream), C(asprintf),
    C(scandir), C(glob), C(regcomp), C(setenv), C(getaddrinfo), C(getcwd), C(realpath),
    C(opendir), C(fopen), C(wide), C(tsearch), C(hcreate), C(search_many), C(pthread_sem),
    C(setvbuf), {"qsort_and_friends", do_qsort}, C(popen), C(spawn),
    {"in_thread", in_thread})

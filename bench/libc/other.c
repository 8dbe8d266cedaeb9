/* What else a program may feel. */
#include "bench.h"
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <fcntl.h>
#include <libgen.h>
#include <netdb.h>
#include <poll.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static regex_t expression, word, words, number, any_case, twice;
/* A line of a log, without and with what is searched for, and a page of such lines. */
static const char line[] = "2026-11-26T10:15:42Z host42 service[1234]: request GET /index took 17 ms, status 200";
static const char worse[] = "2026-11-26T10:15:43Z host42 service[1234]: request GET /index: error 5 of the disk";
static char page_of_lines[4096];
static jmp_buf jump;
static __thread long local;
extern char **environ;
static int zeros, nowhere;

PREPARE {
    zeros = open("/dev/zero", O_RDONLY);
    nowhere = open("/dev/null", O_WRONLY);
    regcomp(&expression, "^([a-z]+)://([^/:]+)(:[0-9]+)?/", REG_EXTENDED);
    regcomp(&word, "error", REG_NOSUB);
    regcomp(&words, "error|failed|refused [0-9]+", REG_EXTENDED | REG_NOSUB);
    regcomp(&number, "[0-9]+ of", REG_EXTENDED);
    regcomp(&any_case, "ERROR", REG_ICASE | REG_NOSUB);
    regcomp(&twice, "\\([a-z]\\)\\1x", 0);
    while (strlen(page_of_lines) + sizeof line < sizeof page_of_lines) strcat(page_of_lines, line);
}

ROW("other", compile, "regcomp and regfree") {
    regex_t r;
    regcomp(&r, "^([a-z]+)://([^/:]+)(:[0-9]+)?/", REG_EXTENDED);
    regfree(&r);
}
ROW("other", match, "regexec") {
    regmatch_t m[4];
    KEEP(regexec(&expression, "https://example.org:8080/path", 4, m, 0));
}
ROW("other", no_word, "regexec of a word, a line without it") { KEEP(regexec(&word, line, 0, 0, 0)); }
ROW("other", a_word, "regexec of a word, a line with it") { KEEP(regexec(&word, worse, 0, 0, 0)); }
ROW("other", no_words, "regexec of three words, a line without them") { KEEP(regexec(&words, line, 0, 0, 0)); }
ROW("other", page, "regexec of three words, 4 KiB without them") { KEEP(regexec(&words, page_of_lines, 0, 0, 0)); }
ROW("other", where, "regexec, where a number is in a line") {
    regmatch_t m;
    KEEP(regexec(&number, worse, 1, &m, 0));
}
ROW("other", cases, "regexec of a word in any case, a line with it") { KEEP(regexec(&any_case, worse, 0, 0, 0)); }
ROW("other", again, "regexec with a back reference, a line") { KEEP(regexec(&twice, line, 0, 0, 0)); }
ROW("other", no_text, "regexec of a word, an empty text") { KEEP(regexec(&word, "", 0, 0, 0)); }
ROW("other", once, "regcomp, regexec of a line, regfree") {
    regex_t r;
    regcomp(&r, "[0-9]+ of", REG_EXTENDED | REG_NOSUB);
    KEEP(regexec(&r, worse, 0, 0, 0));
    regfree(&r);
}
ROW("other", fn, "fnmatch") { KEEP(fnmatch("*.[ch]", "some_source_file.c", 0)); }
ROW("other", globbing, "glob of /usr/*") {
    glob_t g;
    glob("/usr/*", 0, 0, &g);
    globfree(&g);
}
ROW("other", directory, "opendir, readdir, closedir of /etc") {
    DIR *d = opendir("/etc");
    while (readdir(d)) continue;
    closedir(d);
}
ROW("other", options, "getopt_long, four arguments") {
    static const struct option known[] = {{"verbose", 0, 0, 'v'}, {"output", 1, 0, 'o'}, {0}};
    char *argv[] = {"program", "-v", "--output", "file", "word", 0};
    optind = 1;
    while (getopt_long(5, argv, "vo:", known, 0) >= 0) continue;
    KEEP(optind);
}
ROW("other", host, "getaddrinfo of localhost") {
    struct addrinfo *found, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    if (!getaddrinfo("127.0.0.1", "80", &hints, &found)) freeaddrinfo(found);
}
static void jumps(void) {
    if (!setjmp(jump)) longjmp(jump, 1);
}
ROW("other", jumping, "setjmp and longjmp") { jumps(); }
ROW("other", tls, "a thread-local") { KEEP(++local); }
ROW("other", base, "basename and dirname") {
    char a[] = "/usr/lib/file.so", b[] = "/usr/lib/file.so";
    KEEP(basename(a));
    KEEP(dirname(b));
}
ROW("other", real, "realpath of /usr/bin") {
    char to[4096];
    KEEP(realpath("/usr/bin", to));
}
ROW("other", stat1, "stat") {
    struct stat s;
    KEEP(stat("/", &s));
}
ROW("other", pid, "getpid") { KEEP(getpid()); }
/* Calls in which a thread can be cancelled: what comes before the kernel in each of them. */
ROW("other", read1, "read, 1 B") {
    char byte;
    KEEP(read(zeros, &byte, 1));
}
ROW("other", write1, "write, 1 B") { KEEP(write(nowhere, "x", 1)); }
ROW("other", ready, "poll of a descriptor that is ready") {
    struct pollfd p = {zeros, POLLIN, 0};
    KEEP(poll(&p, 1, -1));
}
ROW("other", no_sleep, "nanosleep(0)") {
    struct timespec t = {0, 0};
    KEEP(nanosleep(&t, 0));
}
ROW("other", set, "sigaddset and sigismember") {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGINT);
    KEEP(sigismember(&s, SIGINT));
}
ROW("other", mask, "pthread_sigmask") {
    sigset_t s;
    sigemptyset(&s);
    KEEP(pthread_sigmask(SIG_BLOCK, &s, 0));
}
ROW("other", forking, "fork and wait") {
    pid_t child = fork();
    if (!child) _exit(0);
    waitpid(child, 0, 0);
}
ROW("other", spawning, "posix_spawn of true and wait") {
    pid_t child;
    char *argv[] = {"true", 0};
    if (!posix_spawn(&child, "/bin/true", 0, 0, argv, environ)) waitpid(child, 0, 0);
}
ROW("other", malloc16, "malloc and free, 16 B") {
    void *p = malloc(16);
    KEEP(p);
    free(p);
}
ROW("other", malloc1k, "malloc and free, 1 KiB") {
    void *p = malloc(1024);
    KEEP(p);
    free(p);
}
ROW("other", calloc64, "calloc and free, 64 B") {
    void *p = calloc(1, 64);
    KEEP(p);
    free(p);
}

//# states: with AT_SECURE set the heap ignores BRAWN_OPTIONS, and works; without it, options do no harm
//# case: setuid plain
//# needs-root: setuid
//# link: static zig
//# glibc-link: static
//# env: BRAWN_OPTIONS=verbose=1,show_stats=1,show_errors=1,no_such_option=x
//# not-covered: qemu/*/setuid: the kernel starts it without qemu-user
//# not-covered: preloaded/*/setuid: with AT_SECURE the dynamic linker preloads nothing
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void *work(void *unused) {
    for (size_t n = 1; n < 10000000; n = n * 3 + 1) {
        char *p = calloc(1, n);
        CHECK(p && p[n - 1] == 0, "%zu bytes: %p", n, (void *)p);
        free(realloc(p, n * 2));
    }
    free(NULL);
    return unused;
}
static int body(void) {
    pthread_t id;
    work(NULL);
    NEED(!pthread_create(&id, NULL, work, NULL));
    pthread_join(id, NULL);
    return check_result();
}
static void run_setuid_copy(void) {
    char folder[] = "/tmp/brawn-secure-XXXXXX", path[64], buffer[65536];
    NEED(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/self", folder);
    int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT, 0700);
    NEED(from >= 0 && to >= 0);
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;) NEED(write(to, buffer, n) == n);
    close(to);
    /* Owned by root and run by nobody: the kernel sets AT_SECURE.  Needs root, which CI has. */
    NEED(chmod(path, 04755) == 0 && chmod(folder, 0755) == 0);
    int pipes[2];
    NEED(pipe(pipes) == 0);
    pid_t pid = fork();
    NEED(pid >= 0);
    if (pid == 0) {
        NEED(setgid(65534) == 0 && setuid(65534) == 0);
        NEED(dup2(pipes[1], 1) == 1 && dup2(pipes[1], 2) == 2);
        execl(path, path, "inside", NULL);
        NEED(0 && "execl");
    }
    close(pipes[1]);
    ssize_t length = 0, n;
    while ((n = read(pipes[0], buffer + length, sizeof buffer - length)) > 0) length += n;
    int status = -1;
    NEED(waitpid(pid, &status, 0) == pid);
    unlink(path);
    rmdir(folder);
    CHECK_SAME(status, 0);
    CHECK(length == 0, "with AT_SECURE it printed: %.*s", (int)length, buffer);
}

int main(int argc, char **argv) {
    NEED(argc == 2);
    if (strcmp(argv[1], "plain") == 0) return body();
    if (strcmp(argv[1], "setuid") == 0) {
        run_setuid_copy();
        return check_result();
    }
    CHECK(getauxval(AT_SECURE) == 1, "AT_SECURE is %lu", getauxval(AT_SECURE));
    CHECK(getenv("BRAWN_OPTIONS") != NULL, "the variable is not there");
    return body();
}

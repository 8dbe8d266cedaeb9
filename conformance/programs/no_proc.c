//# states: a program in an empty root, without /proc, /sys and /dev, has a working heap
//# link: static static-pie zig
//# needs-root
//# glibc-link: static
//# not-covered: qemu: qemu-user is not in the empty root
//# not-covered: preloaded: in an empty root there is no dynamic linker
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

static void *work(void *unused) {
    for (size_t n = 1; n < 10000000; n = n * 3 + 1) {
        char *p = calloc(1, n);
        CHECK(p && p[n - 1] == 0, "%zu bytes: %p", n, (void *)p);
        free(realloc(p, n * 2));
    }
    return unused;
}

/* Copies itself into an empty directory, makes that the root and starts again from there. */
static void start_in_empty_root(void) {
    char folder[] = "/tmp/brawn-no-proc-XXXXXX", buffer[65536];
    NEED(mkdtemp(folder));
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    NEED(from >= 0 && chdir(folder) == 0);
    int to = open("self", O_WRONLY | O_CREAT, 0700);
    NEED(to >= 0);
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;) NEED(write(to, buffer, n) == n);
    close(to);
    int exe = open("self", O_RDONLY | O_CLOEXEC);
    NEED(exe >= 0 && unlink("self") == 0 && rmdir(folder) == 0);
    NEED(chroot(".") == 0); /* needs root, which CI's containers have */
    char *argv[] = {"self", "inside", NULL}, *envp[] = {NULL};
    fexecve(exe, argv, envp);
    /* Where fexecve goes through /proc, execveat does without. */
    NEED(0 && "fexecve");
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc == 1) start_in_empty_root();
    CHECK(access("/proc", F_OK) != 0, "/proc is there");
    errno = 0;
    free(hidden(malloc(10)));
    CHECK_SAME(errno, 0);
    work(NULL);
    for (int i = 0; i < 10; i++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, work, NULL));
        pthread_join(id, NULL);
    }
    return check_result();
}

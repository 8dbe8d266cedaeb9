/* Runs a program within a memory cgroup, and removes the cgroup:
 *
 *     enter SECONDS DIRECTORY|data:BYTES HEAP_MIB COMMAND [ARGUMENT...]
 *     enter --guard DIRECTORY
 *
 * The first form moves this process into the cgroup DIRECTORY and becomes COMMAND there, so that everything which COMMAND
 * takes is charged to the cgroup, and nothing of the harness.  With data:BYTES, COMMAND gets RLIMIT_DATA instead.  If HEAP_MIB is not 0, COMMAND gets a file of that size
 * in memory as descriptor 9, for bench/limit/apart.c.  Its pages are written to before the move: the kernel charges
 * a page to the cgroup of the process that touched it first, so these are not charged to DIRECTORY.  The exit codes 122
 * to 127 are this program's own.
 *
 * The second form waits until its input ends, which is when the harness has ended, in whatever way, and then removes the
 * cgroup.  A process that is still in it ends at the same time (PR_SET_PDEATHSIG). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    HEAP = 9,
    NO_MEMORY = 122,
    NO_GROUP = 123,
    NO_START = 127,
};

static void fail(int code, const char *what) {
    fprintf(stderr, "enter: %s: %s\n", what, strerror(errno));
    exit(code);
}

/* A file in memory, all of whose pages exist. */
static void give_heap(size_t bytes) {
    int file = memfd_create("heap", 0);
    if (file < 0 || ftruncate(file, (off_t)bytes)) fail(NO_MEMORY, "a file in memory");
    unsigned char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p == MAP_FAILED) fail(NO_MEMORY, "a file in memory");
    for (size_t at = 0; at < bytes; at += 4096) p[at] = 1;
    munmap(p, bytes);
    if (file == HEAP) return;
    if (dup2(file, HEAP) < 0) fail(NO_MEMORY, "a file in memory");
    close(file);
}

static void limit(const char *bytes) {
    rlim_t most = strcmp(bytes, "unlimited") ? strtoul(bytes, 0, 10) : RLIM_INFINITY;
    if (setrlimit(RLIMIT_DATA, &(struct rlimit){most, most})) fail(NO_GROUP, "RLIMIT_DATA");
}

static void enter(const char *folder) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/cgroup.procs", folder) >= (int)sizeof path) errno = ENAMETOOLONG, fail(NO_GROUP, folder);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    /* 0 is the process that writes. */
    if (file < 0 || write(file, "0", 1) != 1) fail(NO_GROUP, path);
    close(file);
}

static int guard(const char *folder) {
    char byte;
    ssize_t count;
    do count = read(0, &byte, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    for (int tries = 0; tries < 1000; tries++) {
        if (rmdir(folder) == 0 || errno == ENOENT) return 0;
        nanosleep(&(struct timespec){0, 10000000}, 0);
    }
    fail(NO_GROUP, folder);
    return 1;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--guard") == 0) return guard(argv[2]);
    if (argc < 5) {
        fprintf(stderr, "enter SECONDS FOLDER|data:BYTES HEAP_MIB COMMAND [ARGUMENT...] | enter --guard FOLDER\n");
        return 2;
    }
    long mib = atol(argv[3]);
    if (mib > 0) give_heap((size_t)mib << 20);
    pid_t harness = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* It may have ended before that call. */
    if (harness == 1 || getppid() != harness) return NO_START;
    if (strncmp(argv[2], "data:", 5) == 0) limit(argv[2] + 5);
    else enter(argv[2]);
    /* execve keeps it: a program that hangs is ended. */
    alarm((unsigned)atoi(argv[1]));
    execve(argv[4], argv + 4, environ);
    fail(NO_START, argv[4]);
}

/* Runs one command and measures that one process: launch [--peak] COMMAND [ARGUMENT...]
 *
 * After the command's own output it prints
 *     launch wall_ns=… user_us=… system_us=… voluntary=… involuntary=… peak_rss_kb=… minor_faults=… status=…
 * The time runs from just before vfork to the moment that the child has been reaped.  With --peak
 * it stops the child at its exit, while its memory is still there, and adds hwm_kb=…; the times
 * are then not worth keeping.  (Linux rounds the peak that wait4 gives to some hundred KiB, which
 * is more than a small program has.)
 *
 * Why a program of its own: the kernel starts a process's peak of resident memory with that of the
 * image that called exec.  Seen from a large parent, every child seems to have used at least as
 * much as its parent.  This program is static, has no heap and is smaller than anything it
 * measures.  It runs one child in its life, so that its figures are that child's alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static char line[512];
static unsigned used;

static void put_text(const char *text) {
    while (*text && used < sizeof line) line[used++] = *text++;
}

static void put(const char *name, unsigned long value) {
    char digits[24];
    unsigned n = 0;
    put_text(name);
    do digits[n++] = (char)('0' + value % 10);
    while ((value /= 10));
    while (n && used < sizeof line) line[used++] = digits[--n];
}

static unsigned long clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long)t.tv_sec * 1000000000u + (unsigned long)t.tv_nsec;
}

static unsigned long microseconds(struct timeval t) {
    return (unsigned long)t.tv_sec * 1000000u + (unsigned long)t.tv_usec;
}

/* Peak resident memory of a stopped process, in KiB: 0 where it is unknown. */
static unsigned long peak_rss_kb(pid_t process) {
    static char text[4096];
    used = 0;
    put("/proc/", (unsigned long)process);
    put_text("/status");
    memcpy(text, line, used);
    used = 0;
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    unsigned long kb = 0;
    const char *p = strstr(text, "VmHWM:");
    if (!p) return 0;
    for (p += 6; *p == ' ' || *p == '\t'; p++) continue;
    for (; *p >= '0' && *p <= '9'; p++) kb = kb * 10 + (unsigned long)(*p - '0');
    return kb;
}

/* Lets a traced child run from stop to stop until it has ended; gives its peak at exit. */
static unsigned long trace(pid_t child, int *status, struct rusage *use) {
    unsigned long peak = 0;
    int started = 0;
    while (wait4(child, status, 0, use) == child && WIFSTOPPED(*status)) {
        int deliver = 0;
        if (*status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
            peak = peak_rss_kb(child);
        } else if (!started && WSTOPSIG(*status) == SIGTRAP) {
            /* The stop after exec. */
            started = 1;
            ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXIT);
        } else {
            deliver = WSTOPSIG(*status);
        }
        ptrace(PTRACE_CONT, child, 0, deliver);
    }
    return peak;
}

int main(int argc, char **argv) {
    int tracing = argc > 1 && !strcmp(argv[1], "--peak");
    char **command = argv + 1 + tracing;
    if (argc < 2 + tracing) return 2;
    unsigned long begin = clock_ns();
    pid_t child = vfork();
    if (child < 0) return 2;
    if (child == 0) {
        /* exec keeps a pending alarm: a program that hangs is killed and reported. */
        alarm(600);
        if (tracing && ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(126);
        execve(command[0], command, environ);
        _exit(127);
    }
    int status = 0;
    unsigned long peak = 0;
    struct rusage use = {0};
    if (tracing)
        peak = trace(child, &status, &use);
    else
        while (wait4(child, &status, 0, &use) != child) continue;
    unsigned long end = clock_ns();
    put("launch wall_ns=", end - begin);
    put(" user_us=", microseconds(use.ru_utime));
    put(" system_us=", microseconds(use.ru_stime));
    put(" voluntary=", (unsigned long)use.ru_nvcsw);
    put(" involuntary=", (unsigned long)use.ru_nivcsw);
    put(" peak_rss_kb=", (unsigned long)use.ru_maxrss);
    put(" minor_faults=", (unsigned long)use.ru_minflt);
    if (tracing) put(" hwm_kb=", peak);
    put(" status=", (unsigned long)status);
    put_text("\n");
    return write(1, line, used) == (ssize_t)used ? 0 : 2;
}

// How streams of a descriptor write, with brawn's function and with libc's, to pipes that take a part, nothing, or nobody reads: a
// part of stdio.c.
#pragma once
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

size_t brawn___stdio_write(FILE *, const unsigned char *, size_t);

static void interrupts(int signal) { (void)signal; }

// Takes what comes out of a pipe, and ends with whether that was the alphabet from `a`, over and over.
static void takes_all(int fd) {
    char some[3000];
    size_t at = 0;
    for (ssize_t n; (n = read(fd, some, sizeof some)) > 0 || errno == EINTR; errno = 0, usleep(100)) {
        for (ssize_t i = 0; i < n; i++, at++)
            if (some[i] != (char)('a' + at % 26)) _exit(1);
        if (!n) break;
    }
    _exit(0);
}

// Where a signal ends the kernel's work after a part, the next part follows where that ended.
static void interrupted_writes(int turns) {
    static char from[26 * 2000];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)('a' + i % 26);
    const struct sigaction handler = {.sa_handler = interrupts};
    sigaction(SIGUSR2, &handler, NULL);
    struct sigevent told = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    const struct itimerspec often = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &told, &timer)) FAIL("no timer");
    for (int turn = 0; turn < turns; turn++) {
        static char buffer[30000];
        int end[2], status = -1;
        if (pipe(end) || fcntl(end[1], F_SETPIPE_SZ, 4096) < 0) FAIL("no pipe");
        const pid_t child = fork();
        if (!child) {
            close(end[1]);
            takes_all(end[0]);
        }
        close(end[0]);
        FILE *const f = fdopen(end[1], "w");
        setvbuf(f, buffer, _IOFBF, sizeof buffer);
        *(void **)(void *)((char *)f + WRITES) = (void *)brawn___stdio_write;
        timer_settime(timer, 0, &often, NULL);
        fwrite(from, 1, 26 * 1000, f), fflush(f);
        // Of one of which nothing went out it is not known where the next begins.
        if (!ferror(f)) fwrite(from, 1, 26, f), fwrite(from, 1, sizeof from, f), fflush(f);
        timer_settime(timer, 0, &never, NULL);
        fclose(f);
        while (waitpid(child, &status, 0) < 0) continue;
        if (status) FAIL("stdio: __stdio_write, interrupted: other bytes came out");
    }
    timer_delete(timer);
    signal(SIGUSR2, SIG_DFL);
}

// A stream over a socket whose messages have ends: what is written at once is one, and nothing is none.
static void messages(void) {
    int ends[2];
    char came[100];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) FAIL("no sockets");
    FILE *const f = fdopen(ends[0], "w");
    setvbuf(f, NULL, _IONBF, 0);
    *(void **)(void *)((char *)f + WRITES) = (void *)brawn___stdio_write;
    const ssize_t sizes[] = {3, 0, 1, 26, 0, 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (fprintf(f, "%.*s", (int)sizes[i], "abcdefghijklmnopqrstuvwxyz") != sizes[i]) FAIL("stdio: __stdio_write to a socket failed");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!sizes[i]) continue;
        const ssize_t n = recv(ends[1], came, sizeof came, MSG_DONTWAIT);
        if (n != sizes[i] || memcmp(came, "abcdefghijklmnopqrstuvwxyz", (size_t)n)) FAIL("stdio: __stdio_write: message %zu has %zd bytes, expected %zd", i, n, sizes[i]);
    }
    if (recv(ends[1], came, sizeof came, MSG_DONTWAIT) >= 0) FAIL("stdio: __stdio_write sent one message too many");
    fclose(f);
    close(ends[1]);
}

// What the stream's calls gave, and what came out.
static void same_writes(long turns) {
    static char buffer[2][20000], from[20000], came[2][70000];
    static const char *const kinds[] = {"a small pipe", "a file", "a closed descriptor", "one that is only read", "a pipe whose other end is closed"};
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)('a' + i % 26);
    for (long turn = 0; turn < turns; turn++) {
        const int kind = turn % 8 < 4 ? 0 : turn % 8 - 3;
        const size_t room = next() % 3 ? next() % sizeof buffer[0] : next() % 100;
        int ends[2][2];
        FILE *f[2];
        for (int side = 0; side < 2; side++) {
            int *const end = ends[side];
            if (pipe(end) || fcntl(end[1], F_SETPIPE_SZ, 4096) < 0) FAIL("no pipe");
            fcntl(end[0], F_SETFL, O_NONBLOCK), fcntl(end[1], F_SETFL, O_NONBLOCK);
            if (kind == 1) dup2(temporary(), end[1]);
            if (kind == 4) close(end[0]);
            f[side] = fdopen(end[1], "w");
            if (!f[side]) FAIL("no stream");
            setvbuf(f[side], buffer[side], room ? _IOFBF : _IONBF, room);
            if (kind == 2) close(end[1]);
            if (kind == 3) dup2(end[0], end[1]);
            if (side) *(void **)(void *)((char *)f[side] + WRITES) = (void *)brawn___stdio_write;
        }
        long length[2] = {0, 0};
        for (int step = 0; step < 20; step++) {
            const unsigned what = next() % 8;
            const size_t n = next() % (next() % 3 ? 300 : sizeof from), take = next() % 6000;
            long result[2];
            int error[2];
            for (int side = 0; side < 2; side++) {
                errno = 0;
                if (what < 4) result[side] = (long)fwrite(from + n % 26, 1, n < sizeof from - 26 ? n : 0, f[side]);
                else if (what == 4) result[side] = fputc('x', f[side]);
                else if (what == 5) result[side] = fflush(f[side]);
                else if (what == 6) clearerr(f[side]), result[side] = 0;
                else {
                    const ssize_t read_now = kind == 0 ? read(ends[side][0], came[side] + length[side], take) : 0;
                    result[side] = read_now;
                    if (read_now > 0) length[side] += read_now;
                }
                error[side] = errno;
            }
            if (result[0] != result[1] || error[0] != error[1] || ferror(f[0]) != ferror(f[1])) {
                FAIL("stdio: __stdio_write to %s, call %u of %zu with a buffer of %zu: %ld and %ld, errno %d and %d, error %d and %d", kinds[kind],
                    what, n, room, result[0], result[1], error[0], error[1], ferror(f[0]), ferror(f[1]));
            }
        }
        for (int side = 0; side < 2; side++) {
            const int fd = kind == 1 ? dup(ends[side][1]) : ends[side][0];
            if (kind == 1) lseek(fd, 0, SEEK_SET);
            fclose(f[side]);
            // More than comes out of a pipe is in a file: its beginning tells, and its size.
            if (kind < 2) {
                const ssize_t more = read(fd, came[side] + length[side], sizeof came[side] - (size_t)length[side]);
                if (more > 0) length[side] += more;
            }
            close(fd);
        }
        if (length[0] != length[1] || memcmp(came[0], came[1], (size_t)length[0])) FAIL("stdio: __stdio_write to %s: other bytes, or %ld and %ld", kinds[kind], length[0], length[1]);
    }
    signal(SIGPIPE, SIG_DFL);
}

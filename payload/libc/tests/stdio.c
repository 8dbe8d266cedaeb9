// Holds brawn's printf and its kin against libc's, and its fdopen: what streams of both do with the same files, their
// errors, and the descriptor's flags.
// Ends with 1 and says what differs.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

FILE *brawn___fdopen(int fd, const char *mode);
size_t brawn___stdio_read(FILE *, unsigned char *, size_t);

// Where musl's FILE has its functions, and its lock.
enum {
    READS = 64,
    WRITES = 72,
    LOCK = 140,
};

#define FAIL(...) (fprintf(stderr, __VA_ARGS__), fprintf(stderr, "\n"), exit(1))

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static FILE *(*const both[])(int, const char *) = {fdopen, brawn___fdopen};
static FILE *stream[2];
static int descriptor[2];

static int temporary(void) {
    char name[] = "/tmp/brawn-stdio-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0) FAIL("no temporary file: %s", strerror(errno));
    unlink(name);
    return fd;
}

#include "stdio-streams.h"

static void open_both(const char *mode) {
    for (int i = 0; i < 2; i++) {
        stream[i] = both[i](descriptor[i], mode);
        if (!stream[i]) FAIL("%s: no stream", mode);
    }
    *(void **)(void *)((char *)stream[1] + READS) = (void *)brawn___stdio_read;
}

static const char *const modes[] = {"r", "w", "a", "r+", "w+", "a+", "re", "rb+e", "we", "ab+e", "", "x", "+", "q+", "rwa", "wx"};

static void opened(void) {
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        int result[2], flags[2], owned[2], error[2], c[2], put[2];
        for (int i = 0; i < 2; i++) {
            const int fd = temporary();
            if (write(fd, "text", 4) != 4) FAIL("could not write");
            lseek(fd, 0, SEEK_SET);
            errno = 0;
            FILE *const f = both[i](fd, modes[m]);
            error[i] = errno;
            result[i] = !!f;
            flags[i] = fcntl(fd, F_GETFL);
            owned[i] = fcntl(fd, F_GETFD);
            c[i] = put[i] = 0;
            if (f) {
                if (fileno(f) != fd) FAIL("%s: another descriptor", modes[m]);
                c[i] = fgetc(f);
                c[i] += ferror(f) << 8;
                clearerr(f);
                put[i] = fputs("more", f);
                put[i] += ferror(f) << 8;
                put[i] += fclose(f) << 16;
                if (fcntl(fd, F_GETFD) != -1) FAIL("%s: fclose leaves the descriptor open", modes[m]);
            } else {
                close(fd);
            }
        }
        if (result[0] != result[1] || flags[0] != flags[1] || owned[0] != owned[1] || error[0] != error[1] || c[0] != c[1] || put[0] != put[1]) {
            FAIL("mode \"%s\": result %d %d, flags %#x %#x, of the descriptor %d %d, errno %d %d, reads %d %d, writes %d %d", modes[m],
                result[0], result[1], flags[0], flags[1], owned[0], owned[1], error[0], error[1], c[0], c[1], put[0], put[1]);
        }
    }
    // One that is none is found when it is used.
    for (int i = 0; i < 2; i++) {
        FILE *const f = both[i](1000, "r");
        if (!f || fgetc(f) != EOF || errno != EBADF) FAIL("a descriptor that is none");
        fclose(f);
    }
}

// The same calls, at random: the same results, places and bytes.
static void used(long turns) {
    static char block[2][20000], line[2][400], *grown[2];
    static size_t room[2];
    for (long turn = 0; turn < turns; turn++) {
        const char *const mode = (const char *[]){"r+", "w+", "a+"}[turn % 3];
        for (int i = 0; i < 2; i++) descriptor[i] = temporary();
        for (size_t k = 0; k < sizeof block[0]; k++) block[0][k] = next() % 40 ? 'a' + k % 26 : '\n';
        const size_t length = next() % sizeof block[0];
        for (int i = 0; i < 2; i++) {
            if (write(descriptor[i], block[0], length) != (ssize_t)length) FAIL("could not write");
            lseek(descriptor[i], 0, SEEK_SET);
        }
        open_both(mode);
        for (int step = 0; step < 60; step++) {
            const unsigned what = next() % 12, amount = next() % (next() % 4 ? 60 : next() % 4 ? 9000
                                                                                               : 520);
            long r[2];
            if (what >= 6 && what < 9) memset(block[1], (int)('A' + amount % 26), amount);
            // Between reading and writing the place has to be told.
            const long to = next() % 12000;
            for (int i = 0; i < 2; i++) {
                FILE *const f = stream[i];
                memset(line[i], 0, sizeof line[i]);
                switch (what) {
                case 0: r[i] = fread(block[i], 1, amount, f); break;
                case 1: r[i] = fgets(line[i], 1 + amount % 300, f) != NULL; break;
                case 2: r[i] = getline(&grown[i], &room[i], f); break;
                case 3: r[i] = fgetc(f); break;
                // Where there is nothing before it, the place is nowhere.
                case 4: r[i] = ftell(f) > 0 ? ungetc('u', f) : 0; break;
                case 5: r[i] = fseek(f, to, SEEK_SET); break;
                case 6: fseek(f, 0, SEEK_CUR), r[i] = fwrite(block[1], 1, amount, f), fseek(f, 0, SEEK_CUR); break;
                case 7: fseek(f, 0, SEEK_END), r[i] = fprintf(f, "%u %.*s\n", amount, amount, block[1]), fflush(f), fseek(f, 0, SEEK_CUR); break;
                case 8: fseek(f, to % 100, SEEK_SET), r[i] = fputc(amount, f), fseek(f, 0, SEEK_CUR); break;
                case 9: r[i] = fseek(f, -(long)amount, SEEK_CUR); break;
                case 10: r[i] = feof(f) + 2 * ferror(f), clearerr(f); break;
                default: r[i] = fflush(f);
                }
                if (what == 2 && r[i] > 0) strncpy(line[i], grown[i], sizeof line[i] - 1);
            }
            if (r[0] != r[1] || memcmp(line[0], line[1], sizeof line[0])) FAIL("turn %ld, step %d, call %u: %ld and %ld", turn, step, what, r[0], r[1]);
            if (what == 0 && memcmp(block[0], block[1], (size_t)r[0])) FAIL("turn %ld, step %d: fread gives other bytes", turn, step);
            const long place[2] = {ftell(stream[0]), ftell(stream[1])};
            if (place[0] != place[1]) FAIL("turn %ld, step %d, call %u: at %ld and %ld", turn, step, what, place[0], place[1]);
        }
        off_t end[2];
        int copy[2];
        for (int i = 0; i < 2; i++) {
            copy[i] = dup(descriptor[i]);
            if (fclose(stream[i])) FAIL("fclose fails");
            end[i] = lseek(copy[i], 0, SEEK_END);
        }
        if (end[0] != end[1]) FAIL("turn %ld: files of %ld and %ld bytes", turn, (long)end[0], (long)end[1]);
        for (off_t at = 0; at < end[0]; at += sizeof block[0]) {
            const ssize_t got = pread(copy[0], block[0], sizeof block[0], at);
            if (pread(copy[1], block[1], sizeof block[1], at) != got || memcmp(block[0], block[1], got)) FAIL("turn %ld: not the same file", turn);
        }
        close(copy[0]);
        close(copy[1]);
    }
}

// A line to a terminal is there when it ends.
static void terminal(void) {
    const int main_end = posix_openpt(O_RDWR | O_NOCTTY);
    if (main_end < 0 || grantpt(main_end) || unlockpt(main_end)) FAIL("no terminal: %s", strerror(errno));
    const int other = open(ptsname(main_end), O_RDWR | O_NOCTTY);
    if (other < 0) FAIL("no terminal's other end: %s", strerror(errno));
    FILE *const f = brawn___fdopen(other, "w");
    char text[16];
    fputs("line\n", f);
    if (read(main_end, text, sizeof text) != 6 || memcmp(text, "line\r\n", 6)) FAIL("a line did not come");
    fclose(f);
    close(main_end);
}

// Others may read what a pipe has, too: a stream takes as much of it as musl's.
static void a_pipe(void) {
    static const char text[3000];
    int ends[2][2], left[2];
    for (int i = 0; i < 2; i++) {
        if (pipe(ends[i]) || write(ends[i][1], text, sizeof text) != sizeof text) FAIL("no pipe: %s", strerror(errno));
        descriptor[i] = ends[i][0];
    }
    open_both("r");
    for (int i = 0; i < 2; i++) {
        getc(stream[i]);
        if (ioctl(ends[i][0], FIONREAD, &left[i])) FAIL("a pipe does not say what it has");
        fclose(stream[i]);
        close(ends[i][1]);
    }
    if (left[0] != left[1]) FAIL("%d and %d bytes are left in a pipe", left[0], left[1]);
}

// A stream that threads share has a lock, whether it was made before or after there were any.
static void *puts_lines(void *f) {
    for (int i = 0; i < 2000; i++) fprintf(f, "%s", "0123456789abcdef0123456789abcdef\n");
    return NULL;
}

static void threads(void) {
    for (int turn = 0; turn < 3; turn++) {
        const int fd = temporary();
        FILE *const f = brawn___fdopen(fd, "w+");
        pthread_t all[4];
        for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, puts_lines, f);
        for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
        rewind(f);
        char line[64];
        long count = 0;
        while (fgets(line, sizeof line, f)) {
            if (strcmp(line, "0123456789abcdef0123456789abcdef\n")) FAIL("lines of two threads in one: %s", line);
            count++;
        }
        if (count != 8000) FAIL("%ld lines of threads", count);
        fclose(f);
    }
}

#include "stdio-standard.h"
#include "stdio-wide.h"

#include "stdio-lock.h"
#include "stdio-write.h"

#include "stdio-putc.h"
#include "stdio-fwrite.h"
int main(int argc, char **argv) {
    directives(argc > 2 ? atol(argv[2]) : (argc > 1 ? 20000 : 1000000));
    rare();
    ties();
    wide_text(argc > 1 ? 100 : 1000);
    wide_formats(argc > 1 ? 300 : 20000);
    others();
    same_streams(argc > 1 ? 350 : 3500);
    failing_streams();
    to_output();
    holds_the_lock();
    lines_of_a_cookie();
    printing_threads();
    opened();
    used(argc > 1 ? 60 : 3000);
    terminal();
    a_pipe();
    threads();
    standard();
    asked();
    file_locks(argc > 1 ? 10000 : 2000000);
    same_writes(argc > 1 ? 800 : 8000);
    messages();
    same_bytes(argc > 1 ? 400 : 8000);
    bytes_of_threads();
    same_pieces(argc > 1 ? 500 : 8000);
    pieces_of_threads();
    lock_is_held();
    first_thread_is_locked_out();
    interrupted_writes(argc > 1 ? 10 : 100);
    // Streams that nobody closes are written at the end.
    const int fd = temporary();
    FILE *const f = brawn___fdopen(fd, "w");
    fputs("left", f);
    fflush(NULL);
    char text[4];
    if (pread(fd, text, 4, 0) != 4 || memcmp(text, "left", 4)) FAIL("fflush does not know the stream");
    puts("stdio: as libc's");
    return 0;
}

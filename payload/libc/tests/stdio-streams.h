// Holds brawn's fprintf and printf against libc's: what streams of every kind hold after the same calls.
#pragma once
#include "stdio-print.h"

enum {
    KINDS = 7,
    WHOLE = 1 << 20,
    MEMORY = 200000,
};

// A file's text, or a memory stream's.
static char *made_text[2];
static size_t made_size[2];
static char *whole[2];

static FILE *stream_of(int kind, int side, size_t room, char *buffer) {
    if (kind == 4) return open_memstream(&made_text[side], &made_size[side]);
    descriptor[side] = temporary();
    if (kind == 5) return fmemopen(whole[side], MEMORY, "w+");
    FILE *const f = fdopen(dup(descriptor[side]), kind == 6 ? "a+" : "w+");
    if (!f) FAIL("no stream");
    if (kind < 4) setvbuf(f, buffer, kind == 0 ? _IONBF : (kind == 1 ? _IOLBF : _IOFBF), kind == 0 ? 0 : room);
    return f;
}

typedef int (*Printer)(FILE *, const char *, ...);

static int one_print(Printer print, FILE *f, unsigned what, unsigned length, const char *text) {
    switch (what) {
    case 0: return print(f, "%d %s\n", (int)length, "a line");
    case 1: return print(f, "%.*s", (int)length, text);
    case 2: return print(f, "words only, and no more of them than one line\nand a half");
    case 3: return print(f, "%s|%8.3f|%-*d|\n", "x", length / 7., (int)length % 300, (int)length);
    case 4: return print(f, "%*s\n%.*s", (int)length, "", (int)length, text);
    case 5: return print(f, "%s\n%s\n%.*s", "one", "two", (int)length, text);
    case 6: return print(f, "");
    case 7: return print(f, "%d %q", 5);
    // To musl, a stream for which a format was refused at once is not yet one of bytes.
    case 8: fputc('c', f); return print(f, "%q", 5);
    case 9: return print(f, "%.900f", length / 3.);
    case 10: return fputc('c', f);
    case 11: return fflush(f);
    }
    return fputs(text + 2900, f);
}

static void same_streams(long turns) {
    static char text[3000], buffer[2][5000];
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = next() % 60 ? (char)('a' + i % 26) : '\n';
    for (int side = 0; side < 2; side++) whole[side] = malloc(WHOLE);
    for (long turn = 0; turn < turns; turn++) {
        const int kind = (int)(turn % KINDS);
        const size_t room = next() % 2 ? 1 + next() % 100 : next() % 5000;
        FILE *f[2];
        for (int side = 0; side < 2; side++) {
            memset(whole[side], 0, MEMORY);
            f[side] = stream_of(kind, side, room, buffer[side]);
        }
        for (int step = 0; step < 30; step++) {
            const unsigned what = next() % 13, length = next() % (next() % 4 ? 60 : 2900);
            int result[2], error[2];
            for (int side = 0; side < 2; side++) {
                errno = 0;
                result[side] = one_print(side ? brawn_fprintf : fprintf, f[side], what, length, text);
                error[side] = errno;
            }
            if (result[0] != result[1] || error[0] != error[1] || ferror(f[0]) != ferror(f[1]) || fwide(f[0], 0) != fwide(f[1], 0)) {
                FAIL("stdio: fprintf, stream %d with %zu, call %u of %u: %d and %d, errno %d and %d, error %d and %d", kind, room,
                    what, length, result[0], result[1], error[0], error[1], ferror(f[0]), ferror(f[1]));
            }
            // A whole line is with the kernel.
            if (kind == 1 && what == 0 && room > 10) {
                char last;
                for (int side = 0; side < 2; side++) {
                    const off_t end = lseek(descriptor[side], 0, SEEK_END);
                    if (pread(descriptor[side], &last, 1, end - 1) != 1 || last != '\n') FAIL("stdio: fprintf, a line did not go out");
                }
            }
        }
        size_t size[2];
        for (int side = 0; side < 2; side++) {
            fclose(f[side]);
            const char *from = whole[side];
            if (kind == 4) from = made_text[side], size[side] = made_size[side];
            else if (kind == 5) size[side] = MEMORY;
            else {
                const ssize_t got = pread(descriptor[side], whole[side], WHOLE, 0);
                size[side] = got < 0 ? 0 : (size_t)got;
            }
            if (side && (size[0] != size[1] || memcmp(kind == 4 ? made_text[0] : whole[0], from, size[0]))) {
                FAIL("stdio: fprintf, stream %d with %zu: other text, %zu and %zu bytes", kind, room, size[0], size[1]);
            }
            if (kind != 4) close(descriptor[side]);
        }
        if (kind == 4) free(made_text[0]), free(made_text[1]);
    }
}

static void failing_streams(void) {
    for (int way = 0; way < 6; way++) {
        int result[2], error[2], flag[2];
        for (int side = 0; side < 2; side++) {
            FILE *const f = way == 3 ? fopen("/dev/null", "r") : (way == 5 ? fopen("/dev/null", "w") : fopen("/dev/full", "w"));
            if (!f) FAIL("no /dev/full");
            if (way < 2) setvbuf(f, NULL, way ? _IOLBF : _IONBF, way ? 100 : 0);
            // An error of before stays.
            if (way == 4) fputs("text", f), fflush(f);
            if (way == 5) fgetc(f);
            errno = 0;
            const Printer print = side ? brawn_fprintf : fprintf;
            result[side] = print(f, way == 2 ? "%5000d\n" : "%d\n", 7);
            error[side] = errno;
            flag[side] = ferror(f);
            if (side && way == 0 && brawn_fprintf(f, "%s", "again") != -1) FAIL("stdio: fprintf, no error the second time");
            fclose(f);
        }
        if (result[0] != result[1] || error[0] != error[1] || flag[0] != flag[1]) {
            FAIL("stdio: fprintf, failing stream %d: %d and %d, errno %d and %d, error %d and %d", way, result[0], result[1], error[0],
                error[1], flag[0], flag[1]);
        }
    }
}

static int by_list_to_output(const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int result = brawn_vprintf(format, list);
    va_end(list);
    return result;
}

static void to_output(void) {
    const int kept = dup(1), fd = temporary();
    fflush(stdout);
    dup2(fd, 1);
    const int first = brawn_printf("%s %d\n", "one", 1), second = by_list_to_output("%s %d\n", "two", 2);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    char text[20] = "";
    if (pread(fd, text, sizeof text, 0) != 12 || strcmp(text, "one 1\ntwo 2\n") || first != 6 || second != 6) {
        FAIL("stdio: printf: %d, %d, %s", first, second, text);
    }
    close(fd);
}

static void *prints_lines(void *f) {
    for (int i = 0; i < 2000; i++) brawn_fprintf(f, "%s%s\n", "0123456789abcdef", "0123456789abcdef");
    return NULL;
}

// Whether another thread finds the stream locked while what is printed is written: that does not depend on how threads meet.
static FILE *shared;
static int was_free;

static void *tries(void *unused) {
    was_free = !ftrylockfile(shared);
    if (was_free) funlockfile(shared);
    return unused;
}

static ssize_t writes(void *unused, const char *bytes, size_t n) {
    (void)unused, (void)bytes;
    pthread_t other;
    if (pthread_create(&other, NULL, tries, NULL) || pthread_join(other, NULL)) FAIL("no thread");
    return (ssize_t)n;
}

static void *nothing(void *unused) { return unused; }

static void holds_the_lock(void) {
    // Only a program that had a second thread has locks.
    pthread_t other;
    if (pthread_create(&other, NULL, nothing, NULL) || pthread_join(other, NULL)) FAIL("no thread");
    const int buffering[] = {_IONBF, _IOLBF};
    for (int i = 0; i < 2; i++) {
        shared = fopencookie(NULL, "w", (cookie_io_functions_t){.write = writes});
        if (!shared || setvbuf(shared, NULL, buffering[i], BUFSIZ)) FAIL("no stream");
        was_free = -1;
        brawn_fprintf(shared, "%d\n", i);
        if (was_free) FAIL("stdio: fprintf, %s", was_free < 0 ? "nothing was written" : "the stream is not locked");
        tries(NULL);
        if (!was_free) FAIL("stdio: fprintf leaves the stream locked");
        pthread_create(&other, NULL, tries, NULL), pthread_join(other, NULL);
        if (!was_free) FAIL("stdio: fprintf leaves the stream locked for others");
        fclose(shared);
    }
}

// A stream of the program's own may take a call without a byte for the end of all: there is none behind a line.
static int empty_calls;
static char taken[256];
static size_t taken_size;

static ssize_t takes(void *unused, const char *bytes, size_t n) {
    (void)unused;
    if (n == 0) empty_calls++;
    if (n > sizeof taken - taken_size) FAIL("stdio: fprintf to a cookie, %zu bytes more", n);
    memcpy(taken + taken_size, bytes, n);
    taken_size += n;
    return (ssize_t)n;
}

static void lines_of_a_cookie(void) {
    FILE *const f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = takes});
    if (!f || setvbuf(f, NULL, _IOLBF, BUFSIZ)) FAIL("no stream");
    brawn_fprintf(f, "a=%d\n", 5);
    brawn_fprintf(f, "b=%s\nnext\n%d", "xyz", 7);
    const char *const whole = "a=5\nb=xyz\nnext\n";
    if (empty_calls) FAIL("stdio: fprintf, %d calls without a byte", empty_calls);
    if (taken_size != strlen(whole) || memcmp(taken, whole, taken_size)) FAIL("stdio: fprintf by lines: %.*s", (int)taken_size, taken);
    fclose(f);
    if (taken_size != strlen(whole) + 1 || taken[taken_size - 1] != '7') FAIL("stdio: fprintf, the rest of a line: %.*s", (int)taken_size, taken);
}

// Every line of every thread is whole.
static void printing_threads(void) {
    const int fd = temporary();
    FILE *const f = fdopen(fd, "w+");
    pthread_t all[4];
    for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, prints_lines, f);
    for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
    rewind(f);
    char line[64];
    long count = 0;
    for (; fgets(line, sizeof line, f); count++) {
        if (strcmp(line, "0123456789abcdef0123456789abcdef\n")) FAIL("stdio: fprintf, lines of two threads in one: %s", line);
    }
    if (count != 8000) FAIL("stdio: fprintf, %ld lines of threads", count);
    fclose(f);
}

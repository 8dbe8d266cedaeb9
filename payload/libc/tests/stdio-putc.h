// putc, beside libc's: a part of stdio.c.
#pragma once
#include <sched.h>
#include <sys/stat.h>

int brawn_putc(int, FILE *);

// A new stream as `kind` and `buffering` say, with a buffer of `room` bytes: kind 2 is a closed descriptor, kind 3 was read before.
static void prepare(FILE *f, int kind, int buffering, char *buffer, size_t room) {
    static const int modes[] = {_IOFBF, _IOLBF, _IONBF};
    setvbuf(f, buffer, modes[buffering], room);
    if (kind == 2) close(fileno(f));
    if (kind == 3) fputs("some text to read", f), rewind(f), fgetc(f), fseek(f, 0, SEEK_CUR);
}

// The same calls to two streams of the same kind: answers, errors, and what is in the file.
static void same_bytes(long turns) {
    static const char *const kinds[] = {"a file", "one that is only read", "a closed descriptor", "one that was read before"};
    for (long turn = 0; turn < turns; turn++) {
        const int kind = (int)(turn % 4), buffering = (int)(next() % 3);
        const size_t room = 1 + next() % 40;
        static char buffer[2][64];
        FILE *f[2];
        for (int side = 0; side < 2; side++) {
            f[side] = fdopen(temporary(), kind == 1 ? "r" : "w+");
            if (!f[side]) FAIL("no stream");
            prepare(f[side], kind, buffering, buffer[side], room);
        }
        for (int step = 0; step < 100; step++) {
            const int c = next() % 4 ? (int)(next() % 256) : next() % 2 ? '\n'
                                                                        : (int)next(),
                      is_locked = next() % 8 == 0;
            int result[2], error[2];
            struct stat now[2] = {{.st_size = 0}, {.st_size = 0}};
            for (int side = 0; side < 2; side++) {
                if (is_locked) flockfile(f[side]);
                errno = 0;
                result[side] = side ? brawn_putc(c, f[side]) : putc(c, f[side]);
                error[side] = errno;
                if (kind != 2) fstat(fileno(f[side]), &now[side]);
                if (is_locked) funlockfile(f[side]);
            }
            if (result[0] != result[1] || error[0] != error[1] || ferror(f[0]) != ferror(f[1]) || now[0].st_size != now[1].st_size)
                FAIL("stdio: putc of %d to %s: %d and %d, errno %d and %d", c, kinds[kind], result[0], result[1], error[0], error[1]);
        }
        if (kind != 2) {
            static char came[2][400];
            ssize_t length[2];
            for (int side = 0; side < 2; side++) {
                fflush(f[side]);
                length[side] = pread(fileno(f[side]), came[side], sizeof came[side], 0);
            }
            if (length[0] != length[1] || memcmp(came[0], came[1], (size_t)length[0])) FAIL("stdio: putc to %s wrote other bytes", kinds[kind]);
        }
        for (int side = 0; side < 2; side++) fclose(f[side]);
    }
}

// Bytes of one thread that holds the stream are together, and none is lost.
static void *puts_pairs(void *f) {
    for (int i = 0; i < 20000; i++) {
        flockfile(f);
        brawn_putc('a', f), brawn_putc('b', f);
        funlockfile(f);
    }
    for (int i = 0; i < 100000; i++) brawn_putc('c', f);
    return NULL;
}

static volatile int is_put;
static void *puts_one(void *f) {
    brawn_putc('c', f);
    is_put = 1;
    return NULL;
}

// Four threads write "ab" and "c" to a stream.  A pair is written together, and nothing is lost.
static void pieces_come_whole(const char *function, FILE *f, void *(*writes)(void *), long all_pairs, long all_alone) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, writes, f);
    for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
    rewind(f);
    long pairs = 0, alone = 0;
    for (int c; (c = fgetc(f)) != EOF;) {
        if (c == 'c') alone++;
        else if (c == 'a' && fgetc(f) == 'b') pairs++;
        else FAIL("stdio: %s, a pair was not written together", function);
    }
    if (pairs != all_pairs || alone != all_alone) FAIL("stdio: %s, %ld pairs and %ld bytes came", function, pairs, alone);
    fclose(f);
}

static void bytes_of_threads(void) {
    FILE *const f = fdopen(temporary(), "w+");
    pthread_t one;
    // Where another thread has the stream, it waits: musl's lock, 0x8c bytes into its FILE, says so by this bit.
    flockfile(f);
    pthread_create(&one, NULL, puts_one, f);
    while (!is_put && !(*(volatile int *)(void *)((char *)f + 0x8c) & 0x40000000)) sched_yield();
    if (is_put) FAIL("stdio: putc did not wait for the stream's lock");
    funlockfile(f);
    pthread_join(one, NULL);
    pieces_come_whole("putc", f, puts_pairs, 80000, 400001);
}

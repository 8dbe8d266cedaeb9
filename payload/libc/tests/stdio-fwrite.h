// fwrite, beside libc's: a part of stdio.c.
#pragma once

size_t brawn_fwrite(const void *, size_t, size_t, FILE *);
size_t brawn___fwritex(const unsigned char *, size_t, FILE *);
size_t __fwritex(const unsigned char *, size_t, FILE *);

// A stream whose function takes fewer bytes now and then, or none.
typedef struct {
    int calls;
    size_t length;
    char came[4000];
} Taker;
static ssize_t take(void *cookie, const char *from, size_t n) {
    Taker *const taker = cookie;
    const size_t taken = taker->calls++ % 7 == 3 ? n / 2 : taker->calls % 11 == 5 ? 0
                                                                                  : n;
    memcpy(taker->came + taker->length, from, taken);
    taker->length += taken;
    return (ssize_t)taken;
}

// The same calls to two streams of the same kind: answers, errors, and what came.
static void same_pieces(long turns) {
    static const char *const kinds[] = {"a file", "one that is only read", "a closed descriptor", "one that was read before", "a function"};
    static char text[300];
    for (size_t i = 0; i < sizeof text; i++) text[i] = "abcdefghijk\n"[next() % 12];
    for (long turn = 0; turn < turns; turn++) {
        const int kind = (int)(turn % 5), buffering = (int)(next() % 3);
        const size_t room = 1 + next() % 60;
        static char buffer[2][64], came[2][9000];
        static Taker takers[2];
        FILE *f[2];
        for (int side = 0; side < 2; side++) {
            takers[side] = (Taker){.calls = 0};
            f[side] = kind == 4 ? fopencookie(&takers[side], "w", (cookie_io_functions_t){.write = take}) : fdopen(temporary(), kind == 1 ? "r" : "w+");
            if (!f[side]) FAIL("no stream");
            prepare(f[side], kind, buffering, buffer[side], room);
        }
        for (int step = 0; step < 40; step++) {
            const size_t from = next() % 200, is_long = next() % 4 == 0, size = next() % (is_long ? 9 : 4), n = next() % (is_long ? 12 : 8);
            const int is_locked = next() % 8 == 0, is_inner = next() % 4 == 0;
            size_t result[2];
            int error[2];
            struct stat now[2] = {{.st_size = 0}, {.st_size = 0}};
            for (int side = 0; side < 2; side++) {
                if (is_locked) flockfile(f[side]);
                errno = 0;
                if (is_inner) result[side] = (side ? brawn___fwritex : __fwritex)((const unsigned char *)text + from, n, f[side]);
                else result[side] = (side ? brawn_fwrite : fwrite)(text + from, size, n, f[side]);
                error[side] = errno;
                if (kind < 2 || kind == 3) fstat(fileno(f[side]), &now[side]);
                if (is_locked) funlockfile(f[side]);
            }
            if (result[0] != result[1] || error[0] != error[1] || ferror(f[0]) != ferror(f[1]) || now[0].st_size != now[1].st_size ||
                takers[0].length != takers[1].length)
                FAIL("stdio: fwrite of %zu times %zu to %s: %zu and %zu, errno %d and %d", n, size, kinds[kind], result[0], result[1], error[0], error[1]);
        }
        ssize_t length[2] = {0};
        for (int side = 0; side < 2; side++) {
            fflush(f[side]);
            if (kind < 2 || kind == 3) length[side] = pread(fileno(f[side]), came[side], sizeof came[side], 0);
        }
        if (length[0] != length[1] || memcmp(came[0], came[1], (size_t)length[0]) || memcmp(&takers[0], &takers[1], sizeof takers[0]))
            FAIL("stdio: fwrite to %s wrote other bytes", kinds[kind]);
        for (int side = 0; side < 2; side++) fclose(f[side]);
    }
}

// Pieces of one thread are whole, and none is lost.
static void *writes_pairs(void *f) {
    for (int i = 0; i < 60000; i++) brawn_fwrite("ab", 1, 2, f), brawn_fwrite("c", 1, 1, f);
    return NULL;
}

static void pieces_of_threads(void) {
    // This thread opens the stream while it is alone.
    pieces_come_whole("fwrite", fdopen(temporary(), "w+"), writes_pairs, 240000, 240000);
}

// While a stream's own function writes, another thread does not get its lock.
static struct {
    FILE *f;
    sem_t ask, answered;
    int busy;
} probe;
static void *asks(void *unused) {
    sem_wait(&probe.ask);
    probe.busy = ftrylockfile(probe.f);
    if (!probe.busy) funlockfile(probe.f);
    sem_post(&probe.answered);
    return unused;
}
static ssize_t take_asking(void *cookie, const char *from, size_t n) {
    (void)cookie, (void)from;
    sem_post(&probe.ask);
    sem_wait(&probe.answered);
    return (ssize_t)n;
}

static void lock_is_held(void) {
    pthread_t other;
    sem_init(&probe.ask, 0, 0);
    sem_init(&probe.answered, 0, 0);
    pthread_create(&other, NULL, asks, NULL);
    probe.f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take_asking});
    setvbuf(probe.f, NULL, _IONBF, 0);
    if (brawn_fwrite("x", 1, 1, probe.f) != 1 || !probe.busy) FAIL("stdio: fwrite, another thread got the stream's lock meanwhile");
    pthread_join(other, NULL);
    fclose(probe.f);
}

// The same where the program's own function begins the first other thread: until then there was no need for a lock.
static pthread_t first_other;
static ssize_t take_beginning(void *unused, const char *text, size_t n) {
    (void)unused, (void)text;
    if (pthread_create(&first_other, NULL, asks, NULL)) FAIL("stdio: no thread");
    sem_post(&probe.ask);
    sem_wait(&probe.answered);
    return (ssize_t)n;
}

static void first_thread_is_locked_out(void) {
    for (int way = 0; way < 2; way++) {
        sem_init(&probe.ask, 0, 0);
        sem_init(&probe.answered, 0, 0);
        probe.busy = 0;
        probe.f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take_beginning});
        setvbuf(probe.f, NULL, _IONBF, 0);
        const int wrong = way ? brawn_putc('x', probe.f) != 'x' : brawn_fwrite("x", 1, 1, probe.f) != 1;
        if (wrong || !probe.busy) FAIL("stdio: %s, the first other thread got the stream's lock", way ? "putc" : "fwrite");
        pthread_join(first_other, NULL);
        fclose(probe.f);
    }
}

//# states: a small block in the mapping of a larger one that was freed does not hold its memory while the program waits, and is as it was
//# libc: brawn
//# link: static static-pie
//# profile: fast lean
//# case: grown once beside
//# timeout: 60
#include "rests.h"

enum {
    LARGE = 16 << 20,
    SMALL = 40000,
}; /* bytes */

/* A vector that grows by halves, and every byte of it. */
static unsigned char *grow(size_t to) {
    unsigned char *p = NULL;
    size_t size = 0;
    for (size_t next = 64; size < to; next += next / 2) {
        if (next > to) next = to;
        NEED(p = realloc(p, next));
        for (; size < next; size++) p[size] = (unsigned char)(size * 7);
    }
    return p;
}
static void check_bytes(const unsigned char *p, size_t size) {
    for (size_t i = 0; i < size; i++) CHECK(p[i] == (unsigned char)(i * 7), "byte %zu is %d", i, p[i]);
}

static void goes_while_it_waits(long before, unsigned char *p, size_t size) {
    if (shows_memory()) CHECK(is_back(before, (long)(size >> 10) + 1000), "%ld KiB, then %ld KiB", before, resident());
    check_bytes(p, size);
    /* It may need it all the same. */
    NEED(p = realloc(p, LARGE));
    check_bytes(p, size);
    memset(p, 1, LARGE);
    free(p);
}

static void grown(void) {
    free(grow(1000));
    long before = resident();
    free(grow(LARGE));
    goes_while_it_waits(before, grow(SMALL), SMALL);
}

static void once(void) {
    enum { SIZE = LARGE / 12 };
    free(grow(1000));
    long before = resident();
    free(grow(LARGE));
    unsigned char *p = malloc(SIZE);
    NEED(p);
    for (size_t i = 0; i < SIZE; i++) p[i] = (unsigned char)(i * 7);
    goes_while_it_waits(before, p, SIZE);
}

/* One thread waits all the time, and so has turns, while another one's blocks come, grow and go. */
static _Atomic int ended;
static void *waiting(void *unused) {
    while (!ended) poll(NULL, 0, 1);
    return unused;
}
static void beside(void) {
    if (!has_options("rest_delay=0")) return;
    pthread_t t;
    NEED(pthread_create(&t, NULL, waiting, NULL) == 0);
    for (int i = 0; i < (check_emulated() ? 50 : 300); i++) {
        free(grow(1 << 20));
        unsigned char *small = grow(SMALL), *other = malloc(300000);
        NEED(other);
        poll(NULL, 0, i % 3);
        memset(other, 2, 300000);
        check_bytes(small, SMALL);
        NEED(small = realloc(small, 10 * SMALL));
        check_bytes(small, SMALL);
        free(other);
        free(small);
    }
    ended = 1;
    NEED(pthread_join(t, NULL) == 0);
}

RUN_CASES({"grown", grown}, {"once", once}, {"beside", beside})

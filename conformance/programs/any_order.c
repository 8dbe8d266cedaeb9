//# states: whatever calls a program makes, in whatever order, on any of its threads and in its children: each block keeps all of its bytes, is
//# states: aligned, and as large as asked for; calloc's are zero
//# case: alone few growing threads large children waits
//# timeout: 120
#include "check.h"
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum {
    KIB = 1024,
    MIB = 1024 * KIB,
    PLACES = 500,
    SHARED = 64,
    THREADS = 4,
    MARK = 509,
    /* No more than so many bytes are in use, and blocks are small from there on. */
    MOST = 48 * MIB,
};

struct block {
    unsigned char *at;
    size_t size;
    unsigned seed;
};

/* A thread's blocks, and what it does with them, drawn from `state`. */
struct work {
    uint64_t state;
    int places, operations, share, forks, waits, large;
    unsigned grows; /* how many of 100 operations let a block grow */
    struct block blocks[PLACES];
};

static struct {
    pthread_mutex_t mutex;
    struct block block;
} shared[SHARED];
static atomic_size_t in_use;

static size_t draw(struct work *w, size_t below) { return (size_t)(next_random(&w->state) >> 11) % below; }

/* Half of them small, few of them large. */
static size_t draw_size(struct work *w) {
    static const struct {
        unsigned until;
        size_t size;
    } sizes[] = {{55, KIB}, {75, 16 * KIB}, {92, 110 * KIB}, {99, MIB}, {100, 5 * MIB}};
    unsigned n = (unsigned)draw(w, 100), i = 0;
    if (w->large && n < 80 && in_use < MOST / 2) return 100 * KIB + draw(w, n < 40 ? MIB : 4 * MIB);
    while (n >= sizes[i].until) i++;
    const size_t size = draw(w, sizes[i].size + 1);
    return in_use + size <= MOST ? size : size % (2 * KIB);
}

/* Each page and cell of a block has such a byte, and its end has one. */
static unsigned char mark(const struct block *b, size_t i) { return (unsigned char)(b->seed + i / MARK * 7); }

static void write_marks(const struct block *b) {
    for (size_t i = 0; i < b->size; i += MARK) b->at[i] = mark(b, i);
    if (b->size > 0) b->at[b->size - 1] = mark(b, b->size - 1);
}

static void check_marks(const struct block *b, size_t size, const char *when) {
    for (size_t i = 0; i < size; i += MARK)
        CHECK(b->at[i] == mark(b, i), "byte %zu of %zu is %d %s, was %d", i, b->size, b->at[i], when, mark(b, i));
}

static void check_whole(const struct block *b, const char *when) {
    if (b->at == NULL || b->size == 0) return;
    check_marks(b, b->size, when);
    CHECK(b->at[b->size - 1] == mark(b, b->size - 1), "the last of %zu bytes is %d %s", b->size, b->at[b->size - 1], when);
}

static void give(struct block *b) {
    check_whole(b, "before free");
    free(b->at);
    in_use -= b->size;
    *b = (struct block){0};
}

static void take(struct work *w, struct block *b) {
    const size_t size = draw_size(w), kind = draw(w, 16), alignment = kind == 1 ? (size_t)16 << draw(w, 14) : 16;
    b->seed = (unsigned)draw(w, 256);
    b->size = size;
    b->at = hidden(kind == 0 ? calloc(1, size) : kind == 1 ? aligned_alloc(alignment, size)
                                                           : malloc(size));
    NEED(b->at);
    in_use += size;
    CHECK(((uintptr_t)b->at & (alignment - 1)) == 0, "%zu bytes are at %p, asked for a multiple of %zu", size, (void *)b->at, alignment);
    CHECK(malloc_usable_size(b->at) >= size, "%zu bytes have %zu", size, malloc_usable_size(b->at));
    for (size_t i = 0; kind == 0 && i < size; i++) CHECK(b->at[i] == 0, "byte %zu of calloc's %zu is %d", i, size, b->at[i]);
    write_marks(b);
}

/* By halves, by little, to twice its size, back, or to any size. */
static void resize(struct work *w, struct block *b) {
    if (b->at == NULL) return take(w, b);
    const size_t old = b->size, kind = draw(w, 8);
    size_t size = kind < 3 ? old + old / 2 + 1 : kind < 5 ? old + 1 + draw(w, 5000)
        : kind < 6                                        ? 2 * old + 1
        : kind < 7                                        ? old / 2 + 1
                                                          : draw_size(w) + 1;
    if (size > 6 * MIB || (size > old && in_use + size - old > MOST)) size = 1 + draw(w, 3000);
    check_whole(b, "before realloc");
    if (draw(w, 64) == 0) {
        static const size_t too_much[] = {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 256 + 2, PTRDIFF_MAX, (size_t)1 << 56};
        CHECK_SAME((uintptr_t)realloc(hidden(b->at), too_much[draw(w, 5)]), 0);
    }
    NEED(b->at = realloc(b->at, size));
    in_use += size - old;
    b->size = size;
    check_marks(b, old == 0 ? 0 : old < size ? old - 1
                                             : size - 1,
        "after realloc");
    write_marks(b);
}

static void exchange(struct work *w, struct block *b) {
    const size_t i = draw(w, SHARED);
    pthread_mutex_lock(&shared[i].mutex);
    const struct block other = shared[i].block;
    shared[i].block = *b;
    pthread_mutex_unlock(&shared[i].mutex);
    *b = other;
    check_whole(b, "from another thread");
}

static void one(struct work *w) {
    struct block *const b = &w->blocks[draw(w, (size_t)w->places)];
    const unsigned n = (unsigned)draw(w, 100);
    if (n < w->grows) resize(w, b);
    else if (w->share && n < w->grows + 12) exchange(w, b);
    else if (n < 65) {
        if (b->at != NULL) give(b);
        take(w, b);
    } else if (b->at != NULL) give(b);
}

static void work_in_child(struct work *w) {
    const pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 1000; i++) {
            struct block *const b = &w->blocks[draw(w, (size_t)w->places)];
            if (b->at != NULL && i % 2 == 0) give(b);
            else resize(w, b);
        }
        _exit(check_result());
    }
    int status;
    while (waitpid(child, &status, 0) < 0) NEED(errno == EINTR);
    CHECK(status == 0, "a child ended with %#x", (unsigned)status);
}

static void *work(void *of) {
    struct work *const w = of;
    for (int n = 0; n < w->operations; n++) {
        one(w);
        if (w->forks && draw(w, (size_t)w->operations) < (size_t)w->forks) work_in_child(w);
        if (w->waits && draw(w, (size_t)w->operations) < (size_t)w->waits) poll(NULL, 0, 1 + (int)draw(w, 2));
    }
    for (int i = 0; i < w->places; i++) {
        if (w->blocks[i].at != NULL) give(&w->blocks[i]);
    }
    return NULL;
}

static struct work drawn(uint64_t seed, int places, unsigned grows, int operations) {
    struct work w = {.state = seed * 0x9e3779b97f4a7c15u, .places = places, .grows = grows};
    w.operations = (int)check_share((size_t)operations);
    return w;
}

static void end(void) {
    for (int i = 0; i < SHARED; i++) {
        if (shared[i].block.at != NULL) give(&shared[i].block);
    }
    CHECK_SAME(in_use, 0);
}

static void with(struct work w) {
    work(&w);
    end();
}
static void alone(void) { with(drawn(1, PLACES, 20, 60000)); }
static void few(void) { with(drawn(2, 4, 20, 60000)); }
static void growing(void) { with(drawn(3, 20, 60, 60000)); }
static void waits(void) {
    struct work w = drawn(4, 100, 30, 30000);
    w.waits = 200;
    with(w);
}
static void children(void) {
    struct work w = drawn(5, 200, 30, 20000);
    w.forks = 20;
    with(w);
}

/* Each of them for a short time, and the next ones after them. */
static void in_threads(int large) {
    enum { GENERATIONS = 12 };
    static struct work works[THREADS];
    for (int i = 0; i < SHARED; i++) NEED(pthread_mutex_init(&shared[i].mutex, NULL) == 0);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t ids[THREADS];
        for (int i = 0; i < THREADS; i++) {
            const int places = large ? 2 + i * 3 : 4 + i * 50;
            works[i] = drawn((uint64_t)(10 + generation * THREADS + i), places, 10 + 15 * (unsigned)(generation % 3), large ? 1000 : 3000);
            works[i].share = 1;
            works[i].large = large;
            works[i].waits = generation % 2 ? 20 : 0;
            NEED(pthread_create(&ids[i], NULL, work, &works[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) NEED(pthread_join(ids[i], NULL) == 0);
    }
    end();
}
static void threads(void) { in_threads(0); }
static void large(void) { in_threads(1); }

RUN_CASES({"alone", alone}, {"few", few}, {"growing", growing}, {"waits", waits}, {"children", children}, {"threads", threads}, {"large", large})

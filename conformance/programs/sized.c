//# states: free_sized and free_aligned_sized of C23 take every block that free takes, leave errno, and profile
//# states: secure ends a program that names another size
//# libc: brawn
//# link: static static-pie lld gc line
//# case: every_size elsewhere resized_without_room keeps_errno wrong_size wrong_alignment twice
//# timeout: 60
#include "child.h"
#include <pthread.h>

/* No musl has them: where stock's functions were found in a program, these were not. */
void free_sized(void *p, size_t size) __attribute__((weak));
void free_aligned_sized(void *p, size_t alignment, size_t size) __attribute__((weak));

static const size_t sizes[] = {0, 1, 8, 15, 16, 24, 100, 1000, 1016, 1024, 4096,
    9000, 16376, 20000, 60000, 98296, 98304, 98305, 200000, 1 << 20, 5000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void every_size(void) {
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < SIZES; i++) {
            size_t n = sizes[i];
            char *p = block(n), *q = hidden(calloc(1, n)), *r = hidden(realloc(block(n / 2), n));
            NEED(q && (r || n == 0));
            for (size_t k = 0; k < n; k += 4096) CHECK(q[k] == 0, "%zu bytes: not zero at %zu", n, k);
            free_sized(p, n);
            free_sized(q, n);
            free_sized(r, n);
            for (size_t alignment = 1; alignment <= 1 << 21; alignment *= 8) {
                char *s = hidden(aligned_alloc(alignment, n));
                NEED(s);
                memset(s, 1, n);
                free_aligned_sized(s, alignment, n);
            }
        }
    }
    free_sized(NULL, 0);
    free_sized(NULL, 100);
    free_aligned_sized(NULL, 64, 100);
    free_aligned_sized(NULL, 0, 0);
}

/* Of another thread, and of one that has ended. */
static void *freeing(void *unused) {
    void **all = unused;
    for (int i = 0; i < SIZES; i++) free_sized(all[i], sizes[i]);
    for (int i = 0; i < SIZES; i++) all[i] = block(sizes[i]);
    return NULL;
}
static void elsewhere(void) {
    for (int round = 0; round < 20; round++) {
        void *all[SIZES];
        pthread_t t;
        for (int i = 0; i < SIZES; i++) all[i] = block(sizes[i]);
        NEED(pthread_create(&t, NULL, freeing, all) == 0);
        NEED(pthread_join(t, NULL) == 0);
        for (int i = 0; i < SIZES; i++) free_sized(all[i], sizes[i]);
    }
}

/* A block that shrinks where there is no room for a smaller one stays where it is, and its size is the new one. */
static void resized_without_room(void) {
    if (check_emulated()) return; /* the limit would be the emulator's */
    static char *all[SIZES][40];
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < 40; k++) all[i][k] = block(sizes[i]);
    struct rlimit none = {1, 1};
    NEED(setrlimit(RLIMIT_AS, &none) == 0);
    static void *taken[100000];
    size_t count = 0;
    for (size_t n = 60000; n >= 16; n /= 2)
        while (count < 100000 && (taken[count] = hidden(malloc(n)))) count++;
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < 40; k++) {
            size_t n = sizes[i] / (size_t)(k + 2);
            char *p = hidden(realloc(all[i][k], n));
            if (p || n > 0) NEED(p);
            free_sized(p, n);
        }
    }
}

static void keeps_errno(void) {
    for (int i = 0; i < SIZES; i++) {
        void *p = block(sizes[i]), *q = hidden(aligned_alloc(64, sizes[i]));
        errno = 77;
        free_sized(p, sizes[i]);
        free_aligned_sized(q, 64, sizes[i]);
        CHECK_SAME(errno, 77);
    }
}

/* Profile secure ends a child that does this; no other looks at the size. */
static void ends(const char *what, void (*misuse)(size_t), size_t n) {
    const char *profile = getenv("CONFORMANCE_PROFILE");
    int status = child_status(misuse, n);
    if (profile && strcmp(profile, "secure") == 0)
        CHECK(WIFSIGNALED(status), "%s, %zu bytes: not found", what, n);
    else
        CHECK(WIFEXITED(status), "%s, %zu bytes: ended with status %d", what, n, status);
}

static void one_more(size_t n) { free_sized(block(n), n + 1); }
static void one_less(size_t n) {
    if (n > 0) free_sized(block(n), n - 1);
    else raise(SIGKILL);
}
static void nothing(size_t n) {
    if (n > 0) free_sized(block(n), 0);
    else raise(SIGKILL);
}
static void huge(size_t n) { free_sized(block(n), hidden_size(SIZE_MAX)); }
static void of_zeros(size_t n) { free_sized(hidden(calloc(2, n + 1)), n + 1); }
static void grown(size_t n) { free_sized(hidden(realloc(block(n + 16), n + 20)), n + 16); }
static void *one_more_there(void *p) {
    free_sized(p, 101);
    return NULL;
}
static void there(size_t n) {
    pthread_t t;
    NEED(pthread_create(&t, NULL, one_more_there, block(n == 101 ? 102 : n)) == 0);
    NEED(pthread_join(t, NULL) == 0);
}
static void wrong_size(void) {
    const char *profile = getenv("CONFORMANCE_PROFILE");
    int secure = profile && strcmp(profile, "secure") == 0;
    for (int i = 0; i < SIZES; i++) {
        ends("one more", one_more, sizes[i]);
        if (secure) ends("one less", one_less, sizes[i]);
        if (secure) ends("nothing", nothing, sizes[i]);
        ends("huge", huge, sizes[i]);
        ends("of zeros", of_zeros, sizes[i]);
        ends("grown", grown, sizes[i]);
        ends("there", there, sizes[i]);
    }
}

static void aligned_more(size_t n) { free_aligned_sized(hidden(aligned_alloc(64, n)), 64, n + 1); }
static void no_power(size_t n) { free_aligned_sized(hidden(aligned_alloc(64, n)), 48, n); }
static void stricter(size_t n) {
    char *p;
    do NEED(p = hidden(aligned_alloc(16, n)));
    while (((uintptr_t)p & 65535) == 0);
    free_aligned_sized(p, 65536, n);
}
static void wrong_alignment(void) {
    for (int i = 0; i < SIZES; i++) {
        ends("one more", aligned_more, sizes[i]);
        ends("no power of two", no_power, sizes[i]);
        ends("stricter", stricter, sizes[i]);
    }
}

static void freed_twice(size_t n) {
    void *a = block(n), *p = block(n);
    free_sized(p, n);
    free_sized(hidden(p), n);
    free(a);
}
static void twice(void) {
    const char *profile = getenv("CONFORMANCE_PROFILE");
    if (!profile || strcmp(profile, "secure") != 0) return;
    for (int i = 0; i < SIZES; i++) ends("twice", freed_twice, sizes[i]);
}

static void (*const wanted[])(void) = {every_size, elsewhere, resized_without_room, keeps_errno, wrong_size,
    wrong_alignment, twice};
static void run(int which) {
    int there = free_sized != NULL && free_aligned_sized != NULL;
    if (getenv("CONFORMANCE_PROFILE")) CHECK(there, "the heap has no free_sized");
    if (there) wanted[which]();
}
#define C(name, which) \
    static void run_##name(void) { run(which); }
C(every_size, 0)
C(elsewhere, 1)
C(resized, 2)
C(errno, 3)
C(size, 4)
C(alignment, 5)
C(twice, 6)
RUN_CASES({"every_size", run_every_size}, {"elsewhere", run_elsewhere}, {"resized_without_room", run_resized},
    {"keeps_errno", run_errno}, {"wrong_size", run_size}, {"wrong_alignment", run_alignment},
    {"twice", run_twice})

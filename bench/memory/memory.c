// Times the memory functions of several libraries side by side, in one process: glibc's own, and those that are
// linked in under prefixed names (build.sh).  For each function and size all candidates take turns within each
// round, in an order that rotates, on the same data and through the same volatile pointer.
//
//     memory [-r ROUNDS] [-f FUNCTION] [-m mix|warm|huge|cold] [-s MIN-MAX] [-b MICROSECONDS] [-c CANDIDATE]...
//
// A line for each function, mode, size (0 for mix) and candidate: nanoseconds a call in each round.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sizes.h"

enum shape { COPY,
    SET,
    COMPARE,
    FIND,
    FIND_BACK,
    FIND_PART,
    LENGTH,
    LENGTH_N,
    CHAR,
    LAST_CHAR,
    ORDER,
    ORDER_N,
    STRING,
    STRING_N,
    APPEND,
    APPEND_N,
    PART };
#define FUNCTIONS(X)                     \
    X(memcpy, COPY, sizes_memcpy)        \
    X(memmove, COPY, sizes_memmove)      \
    X(memset, SET, sizes_memset)         \
    X(memcmp, COMPARE, sizes_memcmp)     \
    X(bcmp, COMPARE, sizes_memcmp)       \
    X(memchr, FIND, sizes_memchr)        \
    X(memrchr, FIND_BACK, sizes_memchr)  \
    X(memmem, FIND_PART, sizes_memchr)   \
    X(strlen, LENGTH, sizes_strlen)      \
    X(strnlen, LENGTH_N, sizes_strlen)   \
    X(strchr, CHAR, sizes_strchr)        \
    X(strchrnul, CHAR, sizes_strchr)     \
    X(strrchr, LAST_CHAR, sizes_strrchr) \
    X(strcmp, ORDER, sizes_strcmp)       \
    X(strncmp, ORDER_N, sizes_strncmp)   \
    X(strcpy, STRING, sizes_strcpy)      \
    X(stpcpy, STRING, sizes_strcpy)      \
    X(strncpy, STRING_N, sizes_strcpy)   \
    X(stpncpy, STRING_N, sizes_strcpy)   \
    X(strcat, APPEND, sizes_strcpy)      \
    X(strncat, APPEND_N, sizes_strcpy)   \
    X(strstr, PART, sizes_memchr)

static const struct {
    const char *name;
    enum shape shape;
    const unsigned *mix;
} functions[] = {
#define X(name, shape, mix) {#name, shape, mix},
    FUNCTIONS(X)
#undef X
};
#define COUNT (int)(sizeof functions / sizeof *functions)

// Candidates: whoever is not linked in is not there.
#define X(name, shape, mix)                                                                 \
    extern char brawn_##name[] __attribute__((weak)), stock_##name[] __attribute__((weak)), \
        llvm19_##name[] __attribute__((weak)), llvm22_##name[] __attribute__((weak)), sz_##name[] __attribute__((weak));
FUNCTIONS(X)
#undef X
extern unsigned char brawn_memory_level;
extern void brawn_memory_detect(void);

#define X(name, shape, mix) PREFIX(name),
#define PREFIX(name) brawn_##name
static void *const brawn[] = {FUNCTIONS(X)};
#undef PREFIX
#define PREFIX(name) stock_##name
static void *const stock[] = {FUNCTIONS(X)};
#undef PREFIX
#define PREFIX(name) llvm19_##name
static void *const llvm19[] = {FUNCTIONS(X)};
#undef PREFIX
#define PREFIX(name) llvm22_##name
static void *const llvm22[] = {FUNCTIONS(X)};
#undef PREFIX
#define PREFIX(name) sz_##name
static void *const stringzilla[] = {FUNCTIONS(X)};
#undef PREFIX
#undef X
static void *glibc[COUNT];

static const struct candidate {
    const char *name;
    void *const *functions;
    unsigned char level;  // of brawn's, 0: what the processor has
} candidates[] = {
    {"glibc", glibc, 0},
    {"stock", stock, 0},
    {"brawn", brawn, 0},
    {"brawn-avx2", brawn, 2},
    {"brawn-sse2", brawn, 1},
    {"llvm-19", llvm19, 0},
    {"llvm-22", llvm22, 0},
    {"stringzilla", stringzilla, 0},
};
#define CANDIDATES (int)(sizeof candidates / sizeof *candidates)

struct call {
    char *a, *b;
    size_t n;
};

static uint64_t random_state = 88172645463325252u;
static uint64_t next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> 11;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *volatile called;
static volatile uintptr_t sink;

// What is looked for; texts have lower-case letters only.
#define WANTED 'Q'
static const char part[] = "QueryKey";

// Calls the function for `count` calls beginning at `at`, in the given order, and says how long that took.
static double run(enum shape shape, const struct call *calls, const unsigned *order, size_t slots, size_t *at, size_t count) {
    size_t i = *at;
    uintptr_t sum = 0;
    const double begin = now();
#define LOOP(type, ...)                          \
    for (size_t k = 0; k < count; k++) {         \
        const struct call *c = &calls[order[i]]; \
        if (++i == slots) i = 0;                 \
        __VA_ARGS__;                             \
    }                                            \
    break
#define F(result, ...) ((result (*)(__VA_ARGS__))called)
    switch (shape) {
    case COPY: LOOP(, sum += (uintptr_t)F(void *, void *, const void *, size_t)(c->b, c->a, c->n));
    case SET: LOOP(, sum += (uintptr_t)F(void *, void *, int, size_t)(c->b, 0, c->n));
    case COMPARE: LOOP(, sum += F(int, const void *, const void *, size_t)(c->a, c->b, c->n));
    case FIND: LOOP(, sum += (uintptr_t)F(void *, const void *, int, size_t)(c->a, WANTED, c->n));
    case FIND_BACK: LOOP(, sum += (uintptr_t)F(void *, const void *, int, size_t)(c->a, WANTED, c->n));
    case FIND_PART: LOOP(, sum += (uintptr_t)F(void *, const void *, size_t, const void *, size_t)(c->a, c->n, part, 8));
    case LENGTH: LOOP(, sum += F(size_t, const char *)(c->a));
    case LENGTH_N: LOOP(, sum += F(size_t, const char *, size_t)(c->a, c->n + 1));
    case CHAR: LOOP(, sum += (uintptr_t)F(char *, const char *, int)(c->a, WANTED));
    case LAST_CHAR: LOOP(, sum += (uintptr_t)F(char *, const char *, int)(c->a, WANTED));
    case ORDER: LOOP(, sum += F(int, const char *, const char *)(c->a, c->b));
    case ORDER_N: LOOP(, sum += F(int, const char *, const char *, size_t)(c->a, c->b, c->n));
    case STRING: LOOP(, sum += (uintptr_t)F(char *, char *, const char *)(c->b, c->a));
    case STRING_N: LOOP(, sum += (uintptr_t)F(char *, char *, const char *, size_t)(c->b, c->a, c->n + 8));
    case APPEND: LOOP(, c->b[8] = 0; sum += (uintptr_t)F(char *, char *, const char *)(c->b, c->a));
    case APPEND_N: LOOP(, c->b[8] = 0; sum += (uintptr_t)F(char *, char *, const char *, size_t)(c->b, c->a, c->n));
    case PART: LOOP(, sum += (uintptr_t)F(char *, const char *, const char *)(c->a, part));
    }
    const double end = now();
    *at = i;
    sink = sum;
    return end - begin;
}

// Writes what a call of this shape finds at a and b.
static void fill(enum shape shape, const struct call *c, int differ) {
    for (size_t i = 0; i < c->n; i++) c->a[i] = 'a' + next() % 26;
    c->a[c->n] = 0;
    switch (shape) {
    case COMPARE:
    case ORDER:
    case ORDER_N:
        memcpy(c->b, c->a, c->n + 1);
        if (differ && c->n) c->b[c->n - 1] ^= 1;
        if (shape == ORDER_N) c->a[c->n] = c->b[c->n] = 'x';
        break;
    case FIND:
    case CHAR:
        if (c->n) c->a[c->n - 1] = WANTED;
        break;
    case FIND_BACK:
        if (c->n) c->a[0] = WANTED;
        break;
    case LAST_CHAR:
        if (c->n) c->a[next() % c->n] = WANTED;
        break;
    case FIND_PART:
    case PART:
        if (c->n >= 8) memcpy(c->a + c->n - 8, part, 8);
        break;
    case APPEND:
    case APPEND_N:
        memset(c->b, 'z', 8);
        break;
    default:
        break;
    }
}

static char *left, *right;
#define AREA ((size_t)96 << 20)
#define MAX_SLOTS 65536
static struct call calls[MAX_SLOTS];
static unsigned order[MAX_SLOTS];

static int rounds = 21, chosen[CANDIDATES], any_chosen;
static double batch = 60e3;
static size_t smallest = 0, largest = SIZE_MAX;

static void measure(int f, const char *mode, size_t size) {
    if (size < smallest || size > largest) return;
    const enum shape shape = functions[f].shape;
    const int is_mix = !strcmp(mode, "mix"), is_cold = !strcmp(mode, "cold");
    size_t slots, orders;
    if (is_mix) slots = 256, orders = 8192;
    else if (is_cold) slots = orders = AREA / 2 / (size + 512) < MAX_SLOTS ? AREA / 2 / (size + 512) : MAX_SLOTS;
    else if (size > AREA / 4) slots = orders = 1;
    else slots = orders = 16384 / (size + 128) < 2 ? 2 : (16384 / (size + 128) > 64 ? 64 : 16384 / (size + 128));
    // Each slot has an alignment of its own on both sides.
    const size_t gap = is_cold ? 512 : 160;
    char *a = left, *b = right;
    for (size_t i = 0; i < slots; i++) {
        calls[i].n = is_mix ? functions[f].mix[i] : size;
        calls[i].a = a + next() % 64;
        calls[i].b = b + next() % 64;
        fill(shape, &calls[i], is_mix && next() % 2);
        a += (calls[i].n + gap) & ~(size_t)63;
        b += (calls[i].n + gap) & ~(size_t)63;
    }
    for (size_t i = 0; i < orders; i++) order[i] = is_mix ? next() % slots : i;
    if (!is_mix)
        for (size_t i = orders - 1; i; i--) {
            const size_t j = next() % (i + 1);
            const unsigned t = order[i];
            order[i] = order[j], order[j] = t;
        }
    static double times[CANDIDATES][1024];
    size_t counts[CANDIDATES], at = 0;
    for (int c = 0; c < CANDIDATES; c++) {
        counts[c] = 0;
        if (!candidates[c].functions[f] || (any_chosen && !chosen[c])) continue;
        called = candidates[c].functions[f];
        brawn_memory_detect();
        if (candidates[c].level && candidates[c].level < brawn_memory_level) brawn_memory_level = candidates[c].level;
        // How many calls fill a batch; an interruption must not be taken for a slow call.
        size_t n = 1;
        double t = 0;
        for (;; n *= 2) {
            for (int k = 0; k < 3; k++) {
                const double once = run(shape, calls, order, orders, &at, n);
                if (!k || once < t) t = once;
            }
            if (t >= batch / 4) break;
        }
        counts[c] = (size_t)(n * batch / t) + 1;
    }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < CANDIDATES; k++) {
            const int c = (k + r) % CANDIDATES;
            if (!counts[c]) continue;
            called = candidates[c].functions[f];
            brawn_memory_detect();
            if (candidates[c].level && candidates[c].level < brawn_memory_level) brawn_memory_level = candidates[c].level;
            if (!is_cold) run(shape, calls, order, orders, &at, counts[c] / 8 + 1);
            times[c][r] = run(shape, calls, order, orders, &at, counts[c]) / counts[c];
        }
    for (int c = 0; c < CANDIDATES; c++) {
        if (!counts[c]) continue;
        printf("%s\t%s\t%zu\t%s", functions[f].name, mode, size, candidates[c].name);
        for (int r = 0; r < rounds; r++) printf("\t%.3g", times[c][r]);
        printf("\n");
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *only = NULL, *mode = NULL;
    int option;
    while ((option = getopt(argc, argv, "r:f:m:s:c:b:")) != -1) {
        if (option == 'r') rounds = atoi(optarg);
        else if (option == 'f') only = optarg;
        else if (option == 'm') mode = optarg;
        else if (option == 's') {
            if (sscanf(optarg, "%zu-%zu", &smallest, &largest) != 2) return fprintf(stderr, "memory: %s: not MIN-MAX\n", optarg), 2;
        } else if (option == 'b') batch = atof(optarg) * 1e3;
        else if (option == 'c') {
            int known = 0;
            for (int c = 0; c < CANDIDATES; c++)
                if (!strcmp(candidates[c].name, optarg)) chosen[c] = known = any_chosen = 1;
            if (!known) return fprintf(stderr, "memory: %s: no such candidate\n", optarg), 2;
        } else return 2;
    }
    if (rounds < 1 || rounds > 1024) return fprintf(stderr, "memory: 1 to 1024 rounds\n"), 2;
    left = mmap(NULL, AREA * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (left == MAP_FAILED) return perror("memory: mmap"), 1;
    memset(left, 1, AREA * 2);
    // The two do not begin at the same place of their pages.
    right = left + AREA + 1344;
    int found = 0;
    for (int f = 0; f < COUNT; f++) {
        if (only && strcmp(only, functions[f].name)) continue;
        found = 1;
        glibc[f] = dlsym(RTLD_DEFAULT, functions[f].name);
        if (!glibc[f]) return fprintf(stderr, "memory: %s: not in this libc\n", functions[f].name), 1;
        const int whole = functions[f].shape == FIND_PART || functions[f].shape == PART;
        if (!mode || !strcmp(mode, "mix")) measure(f, "mix", 0);
        static const size_t warm[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576};
        static const size_t cold[] = {8, 32, 128, 512, 2048, 8192, 65536, 1048576};
        if (!mode || !strcmp(mode, "warm"))
            for (size_t i = 0; i < sizeof warm / sizeof *warm; i++)
                if (!whole || warm[i] >= 16) measure(f, "warm", warm[i]);
        // What does not fit into caches any more: copies only, since the rest does nothing else then.
        const int copies = functions[f].shape == COPY || functions[f].shape == SET;
        if (copies && (!mode || !strcmp(mode, "huge")))
            for (size_t size = (size_t)4 << 20; size <= (size_t)64 << 20; size *= 4) measure(f, "huge", size);
        if (!mode || !strcmp(mode, "cold"))
            for (size_t i = 0; i < sizeof cold / sizeof *cold; i++)
                if (!whole || cold[i] >= 16) measure(f, "cold", cold[i]);
    }
    if (!found) return fprintf(stderr, "memory: %s: no such function\n", only), 2;
}

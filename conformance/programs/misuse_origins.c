//# states: misuse of aligned blocks, of resized ones, of other threads' and of sizes at borders ends a program by
//# states: a signal, or lets it go on: no other end
//# case: aligned aligned_large aligned_resized grown shrunk threads borders
//# profile: secure
//# timeout: 120
/* tests/misuse_table.rs makes a table of docs/security.md from what this prints, and holds profile secure to
 * what musl's own heap ends. The number in each name is the alignment for the cases of aligned blocks, else the size. */
#include "misused.h"
#include <pthread.h>

/* How a case gets its block of `size` bytes from a number. */
typedef struct {
    char *p;
    size_t size;
} made;
static made (*make)(size_t number);

/* Other bytes than are there: a fixed one is what it was once in 256 times. */
static void change(char *p) {
    volatile char *at = (volatile char *)hidden(p);
    *at = (char)~*at;
}

static void twice(size_t number) {
    made a = make(number), b = make(number);
    free(a.p);
    free(hidden(a.p));
    free(b.p);
}
static void in_front(size_t number) {
    made b = make(number);
    change(b.p - 1);
    free(hidden(b.p));
}
static void in_front_resized(size_t number) {
    made b = make(number);
    change(b.p - 1);
    hidden(realloc(hidden(b.p), b.size * 2));
}
static void behind(size_t number) {
    made b = make(number);
    change(b.p + b.size);
    free(hidden(b.p));
}
static void inner(size_t number) {
    made b = make(number);
    free(hidden(b.p + b.size / 2 / 16 * 16 + 16));
}
static void *freeing(void *p) {
    free(p);
    return NULL;
}
static void in_front_elsewhere(size_t number) {
    made b = make(number);
    pthread_t t;
    change(b.p - 1);
    NEED(pthread_create(&t, NULL, freeing, b.p) == 0);
    NEED(pthread_join(t, NULL) == 0);
}

static void all(const char *origin, made (*maker)(size_t), const size_t *numbers, int count) {
    static const struct {
        const char *name;
        void (*misuse)(size_t);
    } kinds[] = {{"twice", twice}, {"front", in_front}, {"front-resized", in_front_resized}, {"front-elsewhere", in_front_elsewhere},
        {"behind", behind}, {"inner", inner}};
    make = maker;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%s", origin, kinds[i].name);
        misused_at(name, kinds[i].misuse, numbers, count);
    }
}

/* Aligned */

enum { FROM = 4,
    TO = 22 }; /* 16 bytes to 4 MiB */
static made aligned_to(size_t alignment, size_t size) {
    char *p = hidden(aligned_alloc(alignment, size));
    NEED(p);
    memset(p, 0x41, size);
    return (made){p, size};
}
static made aligned_small(size_t alignment) { return aligned_to(alignment, 1000); }
static made aligned_big(size_t alignment) { return aligned_to(alignment, 150000); }
static made aligned_then_resized(size_t alignment) {
    char *p = hidden(realloc(aligned_to(alignment, 1000).p, 2500)); /* fits where a block has a mapping of its own */
    NEED(p);
    return (made){p, 2500};
}
static void with_alignments(const char *origin, made (*maker)(size_t)) {
    size_t numbers[TO - FROM + 1];
    for (int i = FROM; i <= TO; i++) numbers[i - FROM] = (size_t)1 << i;
    goes_on_with = 1000;
    all(origin, maker, numbers, TO - FROM + 1);
}
static void aligned(void) { with_alignments("aligned", aligned_small); }
static void aligned_large(void) { with_alignments("aligned-large", aligned_big); }
static void aligned_resized(void) { with_alignments("aligned-resized", aligned_then_resized); }

/* Resized */

static made resized_from(size_t first, size_t size) {
    char *p = hidden(realloc(block(first), size));
    NEED(p);
    return (made){p, size};
}
static made made_larger(size_t n) { return resized_from(n / 2 + 1, n); }
static made made_smaller(size_t n) { return resized_from(n * 3, n); }
static void grown(void) { all("grown", made_larger, misused_sizes, MISUSED_SIZES); }
static void shrunk(void) { all("shrunk", made_smaller, misused_sizes, MISUSED_SIZES); }

/* Of another thread, which still runs or has ended */

static size_t asked;
static pthread_barrier_t there;
static void *making(void *at) {
    *(void **)at = block(asked);
    return NULL;
}
static void *making_and_waiting(void *at) {
    making(at);
    pthread_barrier_wait(&there);
    pause();
    return at;
}
static made of_a_running_thread(size_t n) {
    void *p;
    pthread_t t;
    asked = n;
    NEED(pthread_barrier_init(&there, NULL, 2) == 0);
    NEED(pthread_create(&t, NULL, making_and_waiting, &p) == 0);
    pthread_barrier_wait(&there);
    return (made){p, n};
}
static made of_an_ended_thread(size_t n) {
    void *p;
    pthread_t t;
    asked = n;
    NEED(pthread_create(&t, NULL, making, &p) == 0);
    NEED(pthread_join(t, NULL) == 0);
    return (made){p, n};
}
static void threads(void) {
    all("running", of_a_running_thread, misused_sizes, MISUSED_SIZES);
    all("ended", of_an_ended_thread, misused_sizes, MISUSED_SIZES);
}

/* Sizes beside borders: of both heaps' classes, and of what has pages, spans and mappings of its own. */

static made plain(size_t n) { return (made){block(n), n}; }
static void borders(void) {
    static const size_t ends[] = {12, 16, 28, 44, 56, 104, 120, 248, 504, 1016, 1012, 1528, 2024, 4072, 4080, 4096, 8168, 8184, 16344, 16376,
        16384, 32744, 65512, 65536, 98296, 98304, 131052, 131072, 262144, 1048576};
    enum { ENDS = sizeof ends / sizeof *ends };
    size_t numbers[2 * ENDS];
    int count = 0;
    for (int i = 0; i < ENDS; i++)
        for (size_t more = 0; more < 2; more++) numbers[count++] = ends[i] + more;
    all("border", plain, numbers, count);
}

RUN_CASES({"aligned", aligned}, {"aligned_large", aligned_large}, {"aligned_resized", aligned_resized}, {"grown", grown},
    {"shrunk", shrunk}, {"threads", threads}, {"borders", borders})

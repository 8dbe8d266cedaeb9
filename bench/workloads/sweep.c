/* One way of using blocks: sweep SIZES LIVE ORDER CALL THREADS TOUCH COUNT
 *
 * SIZES   64,4096         these sizes in turn
 *         64-4096         random sizes, each as likely as the others
 *         64~4096         random sizes, each octave as likely as the others (powers of two)
 *         64-4096+512     blocks that grow by `realloc`, 512 bytes at a time
 *         64-4096*50      the same by 50 % of what they have
 * LIVE    how many blocks each thread has at a time; 0: each is freed before the next one is taken. Of growing blocks, how many grow
 *         side by side
 * ORDER   oldest, random  which block goes when a new one comes
 *         first, last     all are taken, then all are freed, from the first or from the last on
 * CALL    malloc, calloc
 * TOUCH   what is written to, one byte in each page: whole, tenth, page
 * COUNT   how many blocks each thread takes; of growing blocks, how many times all of them grow
 *
 * With one thread it is the program's first one, as in a program that has no others.  The processor time is that from the first block to the
 * end of the last thread; what starting and ending the program takes is not in it.  A heap can need a thousand times what another one needs: who
 * has taken LIMIT_NS stops early, and the time is that of COUNT blocks at the same pace. */
#include "workload.h"

enum {
    MOST_SIZES = 8,
    MOST_LIVE = 10000,
    MOST_THREADS = 8,
    PAGE = 4096,
    LIMIT_NS = 100000000,
    LOOKS = 64,
};

static enum { TURN,
    EVEN,
    OCTAVES,
    ADD,
    MULTIPLY } shape;
static size_t sizes[MOST_SIZES], size_count, low, high, step;
static unsigned low_bits, high_bits;
static size_t live, count;
static int threads;
static enum { OLDEST,
    RANDOM,
    FIRST,
    LAST } order;
static enum { MALLOC,
    CALLOC } call;
static enum { WHOLE,
    TENTH,
    ONE } touched;
/* Not of the heap, since its size would be one of the pattern's. */
static void *slots[MOST_THREADS][MOST_LIVE];

static uint64_t spent_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A thread looks at its clock some times only, since that is a system call. */
struct pace {
    uint64_t begin;
    size_t next;
};

/* What the threads that stopped would have taken for the rest. */
static uint64_t more_ns[MOST_THREADS];

static int goes_on(struct pace *pace, size_t done) {
    if (done < pace->next) return done < count;
    pace->next = done + count / LOOKS + 1;
    return done < count && spent_ns(CLOCK_THREAD_CPUTIME_ID) - pace->begin < (uint64_t)(LIMIT_NS / threads);
}

/* Writes to the part of the bytes from `begin` to `end` that the pattern says. The compiler keeps volatile writes, although the block is
 * freed right after. */
static void touch(unsigned char *block, size_t begin, size_t end) {
    volatile unsigned char *p = block;
    size_t until = touched == WHOLE ? end : touched == TENTH ? begin + (end - begin) / 10
                                                             : begin;
    for (size_t at = begin; at < until; at += PAGE) p[at] = 1;
    p[shape == ADD || shape == MULTIPLY ? end - 1 : 0] = 1;
    keep(block);
}

static size_t next_size(uint64_t *state, size_t at) {
    if (shape == TURN) return sizes[at % size_count];
    if (shape == EVEN) return low + random_below(state, high - low + 1);
    return random_log_uniform(state, low_bits, high_bits);
}

static void *take(size_t size) {
    void *p = must(call == MALLOC ? malloc(size) : calloc(1, size));
    touch(p, 0, size);
    return p;
}

/* A block goes, and a new one comes in its place. These functions return how many of COUNT they have done. */
static size_t replace(void **mine, uint64_t *state, struct pace *pace) {
    size_t places = live ? live : 1, place = 0, n = 0;
    for (; goes_on(pace, n); n++) {
        if (order == RANDOM && n >= places) place = random_below(state, places);
        free(mine[place]);
        mine[place] = take(next_size(state, n));
        if (!live) {
            free(mine[place]);
            mine[place] = 0;
        }
        if (++place == places) place = 0;
    }
    for (size_t i = 0; i < places; i++) free(mine[i]);
    return n;
}

static size_t in_batches(void **mine, uint64_t *state, struct pace *pace) {
    size_t n = 0;
    for (; goes_on(pace, n); n += live) {
        for (size_t i = 0; i < live; i++) mine[i] = take(next_size(state, n + i));
        for (size_t i = 0; i < live; i++) free(mine[order == FIRST ? i : live - 1 - i]);
    }
    return n;
}

static size_t grow(void **mine, struct pace *pace) {
    size_t blocks = live ? live : 1, n = 0;
    for (; goes_on(pace, n); n++) {
        memset(mine, 0, blocks * sizeof *mine);
        for (size_t size = low, before = 0, next; size <= high; before = size, size = next) {
            for (size_t i = 0; i < blocks; i++) {
                mine[i] = must(realloc(mine[i], size));
                touch(mine[i], before, size);
            }
            next = size + (shape == ADD ? step : size * step / 100 + 1);
        }
        for (size_t i = 0; i < blocks; i++) free(mine[i]);
    }
    return n;
}

static void work(int index) {
    uint64_t state = random_state((uint64_t)index);
    struct pace pace = {spent_ns(CLOCK_THREAD_CPUTIME_ID), 1};
    void **mine = slots[index];
    size_t done;
    if (shape == ADD || shape == MULTIPLY) done = grow(mine, &pace);
    else if (order == FIRST || order == LAST) done = in_batches(mine, &state, &pace);
    else done = replace(mine, &state, &pace);
    if (done < count) more_ns[index] = (spent_ns(CLOCK_THREAD_CPUTIME_ID) - pace.begin) * (count - done) / done;
}

static void usage(void) {
    fprintf(stderr, "sweep SIZES LIVE ORDER CALL THREADS TOUCH COUNT\n");
    exit(2);
}

static int one_of(const char *word, const char *const *words, int number) {
    for (int i = 0; i < number; i++)
        if (!strcmp(word, words[i])) return i;
    usage();
    return 0;
}
#define ONE_OF(word, ...) \
    one_of(word, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static unsigned bits_of(size_t size) { return 63 - (unsigned)__builtin_clzll(size); }

static void read_sizes(char *text) {
    low = strtoul(text, &text, 10);
    if (*text == '-' || *text == '~') {
        shape = *text == '-' ? EVEN : OCTAVES;
        high = strtoul(text + 1, &text, 10);
        if (low == 0 || low >= high) usage();
        low_bits = bits_of(low);
        high_bits = bits_of(high);
        if (*text == '+' || *text == '*') {
            shape = *text == '+' ? ADD : MULTIPLY;
            step = strtoul(text + 1, &text, 10);
            if (step == 0) usage();
        }
    } else {
        sizes[size_count++] = low;
        while (*text == ',' && size_count < MOST_SIZES) sizes[size_count++] = strtoul(text + 1, &text, 10);
    }
    if (*text) usage();
}

int main(int argc, char **argv) {
    if (argc != 8) usage();
    read_sizes(argv[1]);
    live = (size_t)argument(argc, argv, 2, 0);
    order = ONE_OF(argv[3], "oldest", "random", "first", "last");
    call = ONE_OF(argv[4], "malloc", "calloc");
    threads = (int)argument(argc, argv, 5, 1);
    touched = ONE_OF(argv[6], "whole", "tenth", "page");
    count = (size_t)argument(argc, argv, 7, 0);
    if (live > MOST_LIVE || threads < 1 || threads > MOST_THREADS || (live == 0 && order >= FIRST)) usage();
    uint64_t begin = spent_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (threads == 1) work(0);
    else run_team(threads, work);
    uint64_t spent = spent_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    for (int i = 0; i < threads; i++) spent += more_ns[i];
    printf("result load_ns=%llu hwm_kb=%lu\n", (unsigned long long)spent, peak_rss_kb());
    return 0;
}

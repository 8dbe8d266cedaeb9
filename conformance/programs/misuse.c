//# states: where stock's heap ends a program that frees twice, frees what is no block, or wrote behind a
//# states: block, profile secure ends it, too; a 0 behind a block, which stock does not see, as well
//# libc: stock brawn
//# profile: secure
//# case: freed_twice freed_elsewhere freed_at_once not_a_block written_behind written_behind_large
//# case: string_end realigned used_after freed_in_time freed_in_turn read_while_waiting
//# at-least: 100% of stock
//# timeout: 60
#include "child.h"
#include <pthread.h>

static const size_t sizes[] = {1, 8, 12, 16, 24, 40, 100, 250, 500, 1000, 1016,
    1017, 3000, 5000, 9000, 16376, 16377, 20000, 60000, 98296, 98297, 100000,
    131052, 200000, 500000, 1 << 20, (1 << 20) + 1, 5000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Prints for every size whether it was found; `always`: brawn has to, whatever stock does. */
static void measure(const char *name, void (*misuse)(size_t)) {
    for (int i = 0; i < SIZES; i++) printf("measure %s-%zu %d\n", name, sizes[i], ended(misuse, sizes[i]));
}

/* Some blocks of every size, so that a heap is not at its beginning. */
static void warm(void) {
    for (int round = 0; round < 3; round++) {
        void *some[SIZES];
        for (int i = 0; i < SIZES; i++) some[i] = block(sizes[i]);
        for (int i = round; i < SIZES; i++) free(some[i]);
    }
}

static void twice(size_t n) {
    void *p = block(n);
    free(p);
    free(hidden(p));
}
static void twice_with_neighbours(size_t n) {
    warm();
    void *a = block(n), *b = block(n), *c = block(n);
    free(b);
    free(hidden(b));
    free(a);
    free(c);
}
static void twice_after_others(size_t n) {
    void *p[40];
    for (int i = 0; i < 40; i++) p[i] = block(n);
    for (int i = 0; i < 40; i++) free(p[i]);
    free(hidden(p[7]));
}
static void twice_after_a_write(size_t n) {
    void *a = block(n), *p = block(n);
    free(p);
    if (n < 131052) memset(hidden(p), 0x42, n); /* a larger one may be gone */
    free(hidden(p));
    free(a);
}
static void resized(size_t n) {
    void *p = block(n);
    free(p);
    hidden(realloc(hidden(p), n / 2 + 1));
}
static void measured(size_t n) {
    extern size_t malloc_usable_size(void *);
    void *a = block(n), *p = block(n);
    free(p);
    hidden_size(malloc_usable_size(hidden(p)));
    free(a);
}
static void moved(size_t n) {
    void *p = block(n), *q = hidden(realloc(p, n * 8 + 4000000));
    NEED(q);
    if (q != p) free(hidden(p));
    else raise(SIGKILL);
}
static void freed_twice(void) {
    measure("twice", twice);
    measure("neighbours", twice_with_neighbours);
    measure("others", twice_after_others);
    measure("write", twice_after_a_write);
    measure("resized", resized);
    measure("measured", measured);
    measure("moved", moved);
}

/* By another thread than the one that has it, and after that one has ended. */
static void *freeing(void *p) {
    free(p);
    return NULL;
}
static void in_thread(void *(*run)(void *), void *p) {
    pthread_t t;
    NEED(pthread_create(&t, NULL, run, p) == 0);
    NEED(pthread_join(t, NULL) == 0);
}
static void here_and_there(size_t n) {
    void *p = block(n);
    free(p);
    in_thread(freeing, hidden(p));
}
static void there_and_here(size_t n) {
    void *p = block(n);
    in_thread(freeing, p);
    free(hidden(p));
}
static void there_twice(size_t n) {
    void *a = block(n), *p = block(n);
    in_thread(freeing, p);
    in_thread(freeing, hidden(p));
    free(a);
}
static void *making(void *at) {
    *(void **)at = block(*(size_t *)at);
    return NULL;
}
static void of_an_ended_thread(size_t n) {
    union {
        size_t n;
        void *p;
    } both = {n};
    in_thread(making, &both);
    free(both.p);
    free(hidden(both.p));
}
/* After that one has ended, and with a new block in between: it must not be the same again. */
static void *making_three(void *at) {
    void **p = at;
    size_t n = *(size_t *)at;
    for (int i = 0; i < 3; i++) p[i] = block(n);
    return NULL;
}
static void of_an_ended_thread_later(size_t n) {
    if (n > 16376) return; /* a larger one may come back at once: docs/security.md */
    union {
        size_t n;
        void *p[3];
    } all = {n};
    in_thread(making_three, &all);
    free(all.p[1]);
    block(n);
    free(hidden(all.p[1]));
}
static void freed_elsewhere(void) {
    measure("here-there", here_and_there);
    measure("there-here", there_and_here);
    measure("there-twice", there_twice);
    measure("ended", of_an_ended_thread);
    measure("ended-later", of_an_ended_thread_later);
}

/* Two threads that free one block at the same instant: of many tries, each has to end. */
static void *shared_block;
static pthread_barrier_t barrier;
static void *racing(void *unused) {
    pthread_barrier_wait(&barrier);
    free(shared_block);
    return unused;
}
static void at_once(size_t n) {
    void *a = block(n);
    shared_block = block(n);
    NEED(pthread_barrier_init(&barrier, NULL, 2) == 0);
    pthread_t t[2];
    for (int i = 0; i < 2; i++) NEED(pthread_create(&t[i], NULL, racing, NULL) == 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    free(a);
}
static void freed_at_once(void) { measure("at-once", at_once); }

/* Pointers that no allocation returned. */
static char data[1 << 16] __attribute__((aligned(4096)));
static void in_data(size_t n) { free(hidden(data + n % sizeof data / 16 * 16)); }
static void on_stack(size_t n) {
    char local[256] __attribute__((aligned(16)));
    memset(local, 0, sizeof local);
    free(hidden(local + n % 256 / 16 * 16));
}
static void small_number(size_t n) { free(hidden((void *)(n & ~(size_t)15 ? n & ~(size_t)15 : 16))); }
static void inside(size_t n) { free(hidden((char *)block(n + 32) + 16)); }
static void inside_far(size_t n) { free(hidden((char *)block(n + 32) + n / 2 / 16 * 16 + 16)); }
static void aside(size_t n) { free(hidden((char *)block(n + 32) + 1)); }
static void before(size_t n) {
    char *a = block(n), *p = block(n);
    free(hidden(p - 16));
    free(a);
}
/* Behind a block may be another one that is in use, such as the loader's, since their order is random: of four places
 * one is not such. */
static void behind(size_t n) {
    for (int i = 0; i < 4; i++) free(hidden((char *)block(n) + (n + 15) / 16 * 16));
}
static void resized_inside(size_t n) { hidden(realloc(hidden((char *)block(n + 32) + 16), n * 2)); }
static void not_a_block(void) {
    measure("data", in_data);
    measure("stack", on_stack);
    measure("number", small_number);
    measure("inside", inside);
    measure("inside-far", inside_far);
    measure("aside", aside);
    measure("before", before);
    measure("behind", behind);
    measure("resized-inside", resized_inside);
}

/* The byte behind a block changes; found when the block comes back. */
static char *hidden_byte(char *p) { return hidden(p); }
static char *spoiled(size_t n) {
    char *p = block(n);
    hidden_byte(p)[n] ^= 0x55;
    return p;
}
static void spoiled_free(size_t n) { free(spoiled(n)); }
static void spoiled_realloc(size_t n) { hidden(realloc(spoiled(n), n * 3)); }
static void spoiled_elsewhere(size_t n) { in_thread(freeing, spoiled(n)); }
static void spoiled_zeroed(size_t n) {
    char *p = hidden(calloc(1, n));
    NEED(p);
    hidden_byte(p)[n] ^= 0x55;
    free(p);
}
static void spoiled_grown(size_t n) {
    char *p = hidden(realloc(block(n / 2 + 1), n));
    NEED(p);
    hidden_byte(p)[n] ^= 0x55;
    free(p);
}
static void spoiled_reused(size_t n) {
    for (int i = 0; i < 100; i++) free(block(n));
    free(spoiled(n));
}
static void written_behind(void) {
    measure("free", spoiled_free);
    measure("realloc", spoiled_realloc);
    measure("elsewhere", spoiled_elsewhere);
    measure("zeroed", spoiled_zeroed);
    measure("grown", spoiled_grown);
    measure("reused", spoiled_reused);
}
/* A page behind a large block. Each byte is changed: with pages of 64 KiB nothing but the first may be looked at,
   and any fixed value is what it was once in 128 times. */
static void far_behind(size_t n) {
    char *p = block(n < 131052 ? 131052 : n);
    for (size_t i = 0; i < 8192; i++) hidden_byte(p)[(n < 131052 ? 131052 : n) + i] ^= 0x55;
    free(p);
}
/* The same where it was smaller before, with nothing unused at its end. */
static void far_behind_grown(size_t n) {
    size_t size = (n < 131072 ? 131072 : n + 4096) & -(size_t)4096;
    char *p = block(size);
    NEED(p = hidden(realloc(p, 2 * size)));
    for (size_t i = 0; i < 8192; i++) hidden_byte(p)[2 * size + i] ^= 0x55;
    free(p);
}
static void written_behind_large(void) {
    measure("far", far_behind);
    measure("far-grown", far_behind_grown);
}

/* What stock does not find, and this profile always does. */
static void ends_always(void (*misuse)(size_t)) {
    const char *profile = getenv("CONFORMANCE_PROFILE");
    for (int i = 0; i < SIZES; i++) {
        int found = ended(misuse, sizes[i]);
        if (profile) CHECK(found, "%zu bytes: not found by profile %s", sizes[i], profile);
    }
    printf("measure tried 1\n");
}
static void spoiled_string(size_t n) {
    char *p = block(n);
    hidden_byte(p)[n] = 0;
    if (n % 4096 == 0 && n > 98296) raise(SIGKILL); /* the guard page is behind it */
    free(p);
}
static void string_end(void) { ends_always(spoiled_string); }
static void spoiled_aligned(size_t n) {
    char *p = hidden(aligned_alloc(n > 4096 ? 8192 : 64, n));
    NEED(p);
    hidden_byte(p)[n] ^= 0x55;
    free(p);
}
static void twice_aligned(size_t n) {
    char *a = hidden(aligned_alloc(256, n)), *p = hidden(aligned_alloc(256, n));
    free(p);
    free(hidden(p));
    free(a);
}
static void realigned(void) {
    ends_always(spoiled_aligned);
    ends_always(twice_aligned);
}
/* A free block's link to the next one changes: found when the heap comes to it. */
static void linked(size_t n) {
    char *p[64];
    if (n > 1000) n = 1000;
    if (n < 16) n = 16;
    for (int i = 0; i < 64; i++) p[i] = block(n);
    for (int i = 0; i < 64; i++) free(p[i]);
    for (int i = 0; i < 64; i++) *(void **)hidden(p[i]) = data;
    for (int i = 0; i < 5000; i++) block(n);
}
static void used_after(void) { ends_always(linked); }
/* Blocks that are freed do not come back at once: in profile secure 15 others of their size come first, 7 of more than 504 bytes, if the
 * program has one block of it at a time.  (Some of the first blocks of a size come back earlier, until there are as many.) */
static void freed_in_turn(void) {
    enum { FIRST = 64,
        BLOCKS = 512 };
    const char *profile = getenv("CONFORMANCE_PROFILE");
    for (size_t size = 1; size <= 4000; size += 37) {
        const int others = size <= 504 ? 15 : 7;
        uintptr_t last[BLOCKS];
        size_t early = 0;
        for (int i = 0; i < BLOCKS; i++) {
            void *p = block(size);
            last[i] = (uintptr_t)p;
            free(p);
            for (int before = 1; i >= FIRST && before <= others; before++) early += last[i] == last[i - before];
        }
        if (profile) CHECK(early == 0, "%zu of %d blocks of %zu bytes came back early", early, BLOCKS - FIRST, size);
    }
    printf("measure tried 1\n");
}
/* The same at any time: not the block just freed. */
static void freed_in_time(void) {
    const char *profile = getenv("CONFORMANCE_PROFILE");
    size_t same = 0;
    for (int i = 0; i < 1000; i++) {
        void *p = block(100);
        free(p);
        void *q = block(100);
        same += p == q;
        free(q);
    }
    if (profile) CHECK(same < 100, "%zu of 1000 blocks were the one just freed", same);
    printf("measure tried 1\n");
}
/* Blocks of 16 to 96 KiB: at once, also if there are others. */
static void read_among_others(size_t n) {
    block(n);
    char *p = block(n);
    block(n);
    free(p);
    hidden_size(*hidden_byte(p));
}
/* Smaller ones: the only one of its size, after four others were made that need pages of their own.  (The first time for each
 * size, it is found without those.) */
static void read_after_others_were_made(size_t n) {
    free(block(n));
    char *p = block(n);
    free(p);
    block(2000), block(6000), block(7000), block(12000);
    hidden_size(*hidden_byte(p));
}
static void read_while_waiting(void) {
    static const size_t spans[] = {16385, 20000, 60000, 98000}, smaller[] = {1025, 3000, 4096, 9000};
    const char *profile = getenv("CONFORMANCE_PROFILE");
    printf("measure tried 1\n");
    if (!profile || sysconf(_SC_PAGESIZE) > 4096) return;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        CHECK(ended(read_among_others, spans[i]), "%zu bytes: read after it was freed", spans[i]);
    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
        CHECK(ended(read_after_others_were_made, smaller[i]), "%zu bytes: read after it was freed", smaller[i]);
}

RUN_CASES({"freed_twice", freed_twice}, {"freed_elsewhere", freed_elsewhere}, {"freed_at_once", freed_at_once},
    {"not_a_block", not_a_block}, {"written_behind", written_behind},
    {"written_behind_large", written_behind_large}, {"string_end", string_end}, {"realigned", realigned},
    {"used_after", used_after}, {"freed_in_time", freed_in_time},
    {"freed_in_turn", freed_in_turn}, {"read_while_waiting", read_while_waiting})

/* What most workloads share: a clock, a generator, a team of threads and the result line.
 *
 * A workload prints exactly one line that starts with "result " and goes on with key=value pairs;
 * the harness reads nothing else of its output.  The same source is compiled for every libc. */
#ifndef BRAWN_BENCH_WORKLOAD_H
#define BRAWN_BENCH_WORKLOAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "maps.h"

#define MAX_THREADS 1024
#define CACHE_LINE 64

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* xorshift64*: a few cycles, so that the generator is a small and equal part of every figure. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1du;
}

/* Any seed gives a state that is not zero and differs in many bits from its neighbours'. */
static inline uint64_t random_state(uint64_t seed) {
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 31) ^ 1;
}

/* A number in [0, bound), without a division. */
static inline size_t random_below(uint64_t *state, size_t bound) {
    return (size_t)(((next_random(state) >> 32) * (uint64_t)bound) >> 32);
}

/* A size in [2^low, 2^high], every octave as likely as every other. */
static inline size_t random_log_uniform(uint64_t *state, unsigned low, unsigned high) {
    unsigned octave = low + (unsigned)random_below(state, high - low);
    size_t base = (size_t)1 << octave;
    return base + random_below(state, base) + 1;
}

/* Keeps a compiler from removing an allocation whose block is never read. */
static inline void keep(void *p) {
    __asm__ volatile("" : : "r"(p) : "memory");
}

static inline void out_of_memory(void) {
    static const char text[] = "workload: allocation failed\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(3);
}

static inline void *must(void *p) {
    if (!p) out_of_memory();
    return p;
}

/* Writes to every page of a block, and to its first and last byte. */
static inline void touch_pages(void *block, size_t size) {
    volatile unsigned char *p = block;
    for (size_t i = 0; i < size; i += 4096) p[i] = (unsigned char)i;
    p[size - 1] = 1;
}

static inline long argument(int argc, char **argv, int index, long fallback) {
    if (index >= argc) return fallback;
    char *end;
    long value = strtol(argv[index], &end, 10);
    if (*end || value < 0) {
        fprintf(stderr, "%s: argument %d is not a number: %s\n", argv[0], index, argv[index]);
        exit(2);
    }
    return value;
}

/* The processors this process may run on: what Rust's available_parallelism() gives. */
static inline int processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int n = 0;
        for (int i = 0; i < CPU_SETSIZE; i++) n += CPU_ISSET(i, &set) ? 1 : 0;
        if (n > 0) return n;
    }
    return 8;
}

struct thread_span {
    uint64_t begin, end;
};

struct team {
    pthread_t threads[MAX_THREADS];
    struct thread_span spans[MAX_THREADS];
    pthread_barrier_t barrier;
    void (*work)(int index);
    int size;
};

struct team_member {
    struct team *team;
    int index;
};

static inline void *team_main(void *argument) {
    struct team_member *self = argument;
    struct team *team = self->team;
    pthread_barrier_wait(&team->barrier);
    team->spans[self->index].begin = now_ns();
    team->work(self->index);
    team->spans[self->index].end = now_ns();
    return 0;
}

/* Runs `work` on `size` threads that start together, and gives the time from the first start to
 * the last end: creating and joining threads is not in it. */
static inline uint64_t run_team(int size, void (*work)(int index)) {
    static struct team team;
    static struct team_member members[MAX_THREADS];
    if (size < 1 || size > MAX_THREADS) {
        fprintf(stderr, "threads: 1 to %d\n", MAX_THREADS);
        exit(2);
    }
    team.work = work;
    team.size = size;
    if (pthread_barrier_init(&team.barrier, 0, (unsigned)size)) abort();
    for (int i = 0; i < size; i++) {
        members[i].team = &team;
        members[i].index = i;
        if (pthread_create(&team.threads[i], 0, team_main, &members[i])) abort();
    }
    uint64_t begin = UINT64_MAX, end = 0;
    for (int i = 0; i < size; i++) {
        pthread_join(team.threads[i], 0);
        if (team.spans[i].begin < begin) begin = team.spans[i].begin;
        if (team.spans[i].end > end) end = team.spans[i].end;
    }
    return end - begin;
}

/* Processor time that one operation takes: with more threads than processors, the threads take
 * turns, and the wall time is shared by as many as run at once. */
static inline double ns_per_operation(uint64_t wall, int threads, double operations) {
    int cpus = processors();
    return (double)wall * (threads < cpus ? threads : cpus) / operations;
}

/* Prints the result line: time for an operation, wall time inside the program, operations, peak
 * memory, and what `more` (a printf format, may be empty) adds. */
__attribute__((format(printf, 4, 5))) static inline void report(double ns, uint64_t wall, double operations, const char *more, ...) {
    unsigned long peak = peak_rss_kb();
    printf("result ns=%.4f inner_ns=%llu operations=%.0f hwm_kb=%lu ", ns,
        (unsigned long long)wall, operations, peak);
    va_list list;
    va_start(list, more);
    vprintf(more, list);
    va_end(list);
    printf("\n");
}

#endif

/* What the rows of bench/libc are written with.
 *
 * A row is one call, or a few that belong together, at one size.  Its code runs `n` times and is timed as a whole, so
 * what it needs is made before, by the file's own constructor.  The program is compiled with -fno-builtin: every call
 * is libc's. */
#pragma once
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *family, *name;
    void (*run)(long n);
    /* It begins threads, and is timed in longer slices. */
    int begins_threads;
    struct Row *next;
    /* How often it runs in a slice, and the least time of one operation so far in nanoseconds; zeros at first. */
    long count;
    double least;
} Row;

#ifdef __cplusplus
extern "C" void add_row(Row *row);
#else
void add_row(Row *row);
/* A file in the temporary directory that has no name any more, or a negative number. */
int open_temporary(void);
#endif

/* Keeps a value, and all that was written to memory, from being optimized away. */
#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")
/* Hides from the compiler what a value is. */
#define HIDE(x) __asm__ volatile("" : "+r"(x) : : "memory")

/* ROW(family, id, "name") { one operation; } */
#define ROW(FAMILY, ID, NAME)                                      \
    static void one_##ID(void);                                    \
    static void run_##ID(long n) {                                 \
        for (long i = 0; i < n; i++) one_##ID();                   \
    }                                                              \
    __attribute__((constructor(200))) static void add_##ID(void) { \
        static Row row = {FAMILY, NAME, run_##ID, 0, 0};           \
        add_row(&row);                                             \
    }                                                              \
    static inline __attribute__((always_inline)) void one_##ID(void)

/* ROW_N(family, id, "name") { n operations; }: for what begins threads, which takes long once. */
#define ROW_N(FAMILY, ID, NAME)                                    \
    static void run_##ID(long n);                                  \
    __attribute__((constructor(200))) static void add_##ID(void) { \
        static Row row = {FAMILY, NAME, run_##ID, 1, 0};           \
        add_row(&row);                                             \
    }                                                              \
    static void run_##ID(long n)

/* Runs before the rows. */
#define PREPARE __attribute__((constructor(150))) static void prepare(void)

/* A generator of numbers that is the same with every libc. */
static inline uint64_t draw(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1dull;
}

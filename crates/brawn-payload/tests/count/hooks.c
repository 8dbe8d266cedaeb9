/* What the compiler's instrumentation for races calls, in the place of its own library: count.h. */
#include "count.h"

#include <stdio.h>
#include <stdlib.h>

counts_t counts;
unsigned count_thread = 1;
uint64_t count_time = 1u << 30;

/* Who wrote to a cache line last: by the line's number, in the next place that is free. */
enum { LINE = 64,
    PLACES = 1 << 22 };
static struct {
    uint64_t line;
    unsigned writer;
} lines[PLACES];

static void written(const void *at, size_t size) {
    for (uint64_t line = (uintptr_t)at / LINE; line <= ((uintptr_t)at + size - 1) / LINE; line++) {
        size_t place = (size_t)((line * 0x9e3779b97f4a7c15u) >> 42);
        for (size_t looked = 0; lines[place].line != line && lines[place].line != 0; place = (place + 1) % PLACES) {
            if (++looked < PLACES) continue;
            fprintf(stderr, "hooks.c: too few places for lines\n");
            exit(1);
        }
        lines[place].line = line;
        counts.lines += lines[place].writer != 0 && lines[place].writer != count_thread;
        lines[place].writer = count_thread;
    }
}

void __tsan_init(void) {}
void __tsan_func_entry(void *from) { (void)from; }
void __tsan_func_exit(void) {}

#define PLAIN(size)                                                    \
    void __tsan_read##size(void *at) { (void)at; }                     \
    void __tsan_write##size(void *at) { written(at, size); }           \
    void __tsan_unaligned_read##size(void *at) { (void)at; }           \
    void __tsan_unaligned_write##size(void *at) { written(at, size); } \
    void __tsan_volatile_read##size(void *at) { (void)at; }            \
    void __tsan_volatile_write##size(void *at) { written(at, size); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
void __tsan_read_range(void *at, size_t size) { (void)at, (void)size; }
void __tsan_write_range(void *at, size_t size) {
    if (size > 0) written(at, size);
}

#define CHANGE(bits, name)                                                                                      \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, int order) { \
        (void)order;                                                                                            \
        counts.atomics++;                                                                                       \
        written((const void *)at, bits / 8);                                                                    \
        return __atomic_##name(CHANGE_AT(at), value, __ATOMIC_SEQ_CST);                                         \
    }
#define CHANGE_AT(at) at
#define __atomic_exchange __atomic_exchange_n
#define ATOMICS(bits)                                                                                   \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {           \
        (void)order;                                                                                    \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) {    \
        (void)order;                                                                                    \
        written((const void *)at, bits / 8);                                                            \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                   \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t *at, uint##bits##_t *old, \
        uint##bits##_t value, int order, int otherwise) {                                               \
        (void)order, (void)otherwise;                                                                   \
        counts.atomics++;                                                                               \
        written((const void *)at, bits / 8);                                                            \
        return __atomic_compare_exchange_n(at, old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                                   \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile uint##bits##_t *at, uint##bits##_t *old,   \
        uint##bits##_t value, int order, int otherwise) {                                               \
        return __tsan_atomic##bits##_compare_exchange_strong(at, old, value, order, otherwise);         \
    }                                                                                                   \
    CHANGE(bits, exchange)                                                                              \
    CHANGE(bits, fetch_add)                                                                             \
    CHANGE(bits, fetch_sub)                                                                             \
    CHANGE(bits, fetch_and)                                                                             \
    CHANGE(bits, fetch_or)                                                                              \
    CHANGE(bits, fetch_xor)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

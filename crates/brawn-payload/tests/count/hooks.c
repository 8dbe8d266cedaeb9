/* What the compiler's instrumentation for races calls, in the place of its own library: count.h. */
#define _GNU_SOURCE
#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

counts_t counts;
unsigned count_thread;
uint64_t count_time = 1u << 30;

/* Who wrote to a cache line last, by pieces of the address space: a byte for each line, a thread's number and one.  0: nobody. */
enum { LINE = 64,
    PIECE = 1 << 20,
    PIECES = 1 << 16 };
static struct {
    uintptr_t number;
    uint8_t *writers; /* of PIECE / LINE lines */
} pieces[PIECES];
_Static_assert(COUNT_THREADS + 1 <= UINT8_MAX, "a writer is a byte");

/* The writers of the piece in which `at` lies; NULL: nobody wrote there, and none are made. */
static uint8_t *piece(uintptr_t at, int makes) {
    const uintptr_t number = at / PIECE;
    size_t place = (size_t)((number * 0x9e3779b97f4a7c15u) >> 48);
    for (size_t looked = 0; pieces[place].writers != NULL; place = (place + 1) % PIECES) {
        if (pieces[place].number == number) return pieces[place].writers;
        if (++looked < PIECES) continue;
        fprintf(stderr, "hooks.c: too few places for pieces\n");
        exit(1);
    }
    if (!makes) return NULL;
    void *const writers = mmap(NULL, PIECE / LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (writers == MAP_FAILED) {
        fprintf(stderr, "hooks.c: no memory\n");
        exit(1);
    }
    pieces[place].number = number;
    return pieces[place].writers = writers;
}

/* Thread-locals, and what lies on the stack, which here is all threads': the environment's pointers are at its top. */
static int is_own(const char *at) {
    const char *const stack = __builtin_frame_address(0), *const top = (const char *)environ;
    return (at >= count_locals_begin && at < count_locals_end) || (at >= stack && at < top);
}

static void written(const void *at, size_t size) {
    if (is_own(at)) return;
    const uintptr_t from = (uintptr_t)at / LINE, end = ((uintptr_t)at + size - 1) / LINE;
    const uint8_t self = (uint8_t)(count_thread + 1);
    for (uintptr_t line = from; line <= end; line++) {
        uint8_t *const writer = &piece(line * LINE, 1)[line % (PIECE / LINE)];
        counts.lines += *writer != 0 && *writer != self;
        *writer = self;
    }
}

/* How many of `size` bytes from `at` on lie in its piece. */
static size_t within(uintptr_t at, size_t size) {
    const size_t left = PIECE - at % PIECE;
    return size < left ? size : left;
}

void count_forget(uintptr_t from, size_t size) {
    for (size_t part; size > 0; from += part, size -= part) {
        part = within(from, size);
        uint8_t *const writers = piece(from, 0);
        if (writers != NULL) memset(writers + from % PIECE / LINE, 0, part / LINE);
    }
}

/* Both lie alike in their pieces, or are moved in parts that do. */
void count_move(uintptr_t from, uintptr_t to, size_t size) {
    for (size_t part; size > 0; from += part, to += part, size -= part) {
        part = within(to, within(from, size));
        const uint8_t *const writers = piece(from, 0);
        if (writers == NULL) count_forget(to, part);
        else memcpy(piece(to, 1) + to % PIECE / LINE, writers + from % PIECE / LINE, part / LINE);
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

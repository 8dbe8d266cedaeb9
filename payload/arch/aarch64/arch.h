// aarch64: system calls, a clock that costs none, and copies that need no libc.
#ifndef BRAWN_ARCH_H
#define BRAWN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../../common/numbers.h"
#include "syscall.h"

#define ARCH_O_NOFOLLOW 0100000  // <fcntl.h>
#define ARCH_MACHINE 183  // e_machine (<elf.h>)

// How the heap in static programs reaches its thread-locals: their distances are in a table, so that libc.a may be a
// part of a shared object, too.
#define ARCH_TLS_MODEL "initial-exec"

// The thread pointer (AAELF64, "Thread Local Storage"): unequal for any two live threads.
static inline uintptr_t arch_thread_pointer(void) {
    return (uintptr_t)__builtin_thread_pointer();
}

// The address of the calling thread's own `name`: by TLS descriptor, as compilers do for this architecture.
#define arch_local(type, name) ((type *)&name)

// The processor's own counter, read without a system call.
static inline uint64_t arch_counter(void) {
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

// The same, read when everything before it is done.  Only for profile `trace`.
static inline uint64_t arch_counter_in_order(void) {
    __asm__ volatile("isb" ::: "memory");
    return arch_counter();
}

// Asks for the line of the cache at `p`, to write to it.
static inline void arch_prefetch_write(const void *p) { __builtin_prefetch(p, 1); }

// A monotonic time in units of about a millisecond: the counter over a 1024th of its frequency.  It only
// paces the return of free pages to the kernel.
static inline int64_t arch_clock_of(uint64_t count) {
    uint64_t frequency;
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    return (int64_t)(count / (frequency / 1024 + 1));
}
static inline int64_t arch_clock(void) { return arch_clock_of(arch_counter()); }

static inline void arch_pause(void) { __asm__ volatile("yield" ::: "memory"); }

// gcc replaces such loops by calls of memcpy and memset, which would call themselves here.
#if defined(__GNUC__) && !defined(__clang__)
#define ARCH_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))
#else
#define ARCH_LOOP
#endif

// Both are correct for every n; 64 bytes at a time while that many are left.  What is copied may overlap
// a target below it: addresses only rise, and all of a step is loaded before any of it is stored.
ARCH_LOOP static inline void arch_copy(void *to, const void *from, size_t n) {
    typedef long long pair __attribute__((vector_size(16), may_alias, aligned(1)));
    char *t = to;
    const char *f = from;
    for (; n >= 64; n -= 64, t += 64, f += 64) {
        const pair a = ((const pair *)f)[0], b = ((const pair *)f)[1], c = ((const pair *)f)[2], d = ((const pair *)f)[3];
        ((pair *)t)[0] = a;
        ((pair *)t)[1] = b;
        ((pair *)t)[2] = c;
        ((pair *)t)[3] = d;
    }
    for (; n >= 16; n -= 16, t += 16, f += 16) *(pair *)t = *(const pair *)f;
    for (; n > 0; n--) *t++ = *f++;
}
ARCH_LOOP static inline void arch_fill(void *to, int byte, size_t n) {
    typedef unsigned char bytes __attribute__((vector_size(16), may_alias, aligned(1)));
    const bytes fill = (unsigned char)byte - (bytes){0};
    char *t = to;
    for (; n >= 64; n -= 64, t += 64) {
        ((bytes *)t)[0] = fill;
        ((bytes *)t)[1] = fill;
        ((bytes *)t)[2] = fill;
        ((bytes *)t)[3] = fill;
    }
    for (; n >= 16; n -= 16, t += 16) *(bytes *)t = fill;
    for (; n > 0; n--) *t++ = (char)byte;
}

#endif

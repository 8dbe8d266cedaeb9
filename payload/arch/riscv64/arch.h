// riscv64: system calls, a clock, and copies that need no libc.
//
// There is no arch_local: no heap in shared objects.
#ifndef BRAWN_ARCH_H
#define BRAWN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../../common/numbers.h"
#include "syscall.h"

#define ARCH_O_NOFOLLOW 0400000  // <fcntl.h>
#define ARCH_MACHINE 243  // e_machine (<elf.h>)

// How the heap in static programs reaches its thread-locals: their distances are in its code.  GNU ld (2.40) would leave
// distances in a table to a dynamic linker, which a static-pie has not.  So libc.a cannot be a part of a shared object.
#define ARCH_TLS_MODEL "local-exec"

// The thread pointer (RISC-V ELF psABI, "Integer Register Convention"): unequal for any two live threads.
static inline uintptr_t arch_thread_pointer(void) {
    uintptr_t pointer;
    __asm__("mv %0, tp" : "=r"(pointer));
    return pointer;
}

// The processor's own counter, read without a system call.
static inline uint64_t arch_counter(void) {
    uint64_t count;
    __asm__ volatile("rdtime %0" : "=r"(count));
    return count;
}

// The same, read when everything before it is done.  Only for profile `trace`.
static inline uint64_t arch_counter_in_order(void) {
    __asm__ volatile("fence iorw, iorw" ::: "memory");
    return arch_counter();
}

// Asks for the line of the cache at `p`, to write to it.
static inline void arch_prefetch_write(const void *p) { __builtin_prefetch(p, 1); }

// A monotonic time in units of about a millisecond, 1,024 to a second.  It only paces the return of free pages to the
// kernel.  A program cannot ask how fast the counter is (1 MHz to 1 GHz), so this is libc's clock: it reads the
// counter, too, by a function of the kernel's that is no system call (musl, arch/riscv64: __vdso_clock_gettime).
extern int arch_clock_gettime(int clock, int64_t time[2]) __asm__("__clock_gettime") __attribute__((visibility("hidden")));
static inline int64_t arch_clock(void) {
    int64_t time[2] = {0, 0};
    arch_clock_gettime(1, time);  // CLOCK_MONOTONIC: it is always there
    return time[0] * 1024 + (time[1] >> 20);
}

// The instruction `pause`: a fence of nothing on processors that do not know it (Zihintpause).
static inline void arch_pause(void) { __asm__ volatile(".4byte 0x0100000f" ::: "memory"); }

// gcc replaces such loops by calls of memcpy and memset, which would call themselves here.
#if defined(__GNUC__) && !defined(__clang__)
#define ARCH_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))
#else
#define ARCH_LOOP
#endif

// Both are correct for every n; 64 bytes at a time while that many are left, if both blocks are aligned in the same
// way, as blocks of the heap are: a load that is not aligned may take a thousand times as long.  What is copied may
// overlap a target below it: addresses only rise, and all of a step is loaded before any of it is stored.
typedef uint64_t __attribute__((may_alias)) arch_word;
ARCH_LOOP static inline void arch_copy(void *to, const void *from, size_t n) {
    char *t = to;
    const char *f = from;
    if ((((uintptr_t)t ^ (uintptr_t)f) & 7) == 0) {
        for (; n > 0 && ((uintptr_t)t & 7) != 0; n--) *t++ = *f++;
        for (; n >= 64; n -= 64, t += 64, f += 64) {
            const arch_word *const source = (const arch_word *)f;
            arch_word *const target = (arch_word *)t;
            const uint64_t a = source[0], b = source[1], c = source[2], d = source[3];
            const uint64_t e = source[4], g = source[5], h = source[6], i = source[7];
            target[0] = a, target[1] = b, target[2] = c, target[3] = d;
            target[4] = e, target[5] = g, target[6] = h, target[7] = i;
        }
        for (; n >= 8; n -= 8, t += 8, f += 8) *(arch_word *)t = *(const arch_word *)f;
    }
    for (; n > 0; n--) *t++ = *f++;
}
ARCH_LOOP static inline void arch_fill(void *to, int byte, size_t n) {
    const uint64_t fill = (uint64_t)(unsigned char)byte * 0x0101010101010101u;
    char *t = to;
    for (; n > 0 && ((uintptr_t)t & 7) != 0; n--) *t++ = (char)byte;
    for (; n >= 64; n -= 64, t += 64) {
        arch_word *const target = (arch_word *)t;
        target[0] = fill, target[1] = fill, target[2] = fill, target[3] = fill;
        target[4] = fill, target[5] = fill, target[6] = fill, target[7] = fill;
    }
    for (; n >= 8; n -= 8, t += 8) *(arch_word *)t = fill;
    for (; n > 0; n--) *t++ = (char)byte;
}

#endif

// x86_64: system calls, a clock that costs none, and copies that need no libc.
#ifndef BRAWN_ARCH_H
#define BRAWN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "syscall.h"

// Numbers from the kernel's arch/x86/entry/syscalls/syscall_64.tbl.
#define ARCH_SYS_mmap 9
#define ARCH_SYS_mprotect 10
#define ARCH_SYS_munmap 11
#define ARCH_SYS_mremap 25
#define ARCH_SYS_madvise 28
#define ARCH_SYS_futex 202
// Only in a turn before a wait, and rt_sigprocmask in profile `trace`.
#define ARCH_SYS_rt_sigaction 13
#define ARCH_SYS_rt_sigprocmask 14
#define ARCH_SYS_rt_sigpending 127
// Only for profile `trace`.
#define ARCH_SYS_read 0
#define ARCH_SYS_close 3
#define ARCH_SYS_pwritev 296
#define ARCH_SYS_getpid 39
#define ARCH_SYS_gettid 186
#define ARCH_SYS_clock_gettime 228
#define ARCH_SYS_openat 257
#define ARCH_SYS_prlimit64 302
#define ARCH_O_NOFOLLOW 0400000  // <fcntl.h>
#define ARCH_MACHINE 62  // e_machine (<elf.h>)

// How the heap in static programs reaches its thread-locals: their distances are in a table, so that libc.a may be a
// part of a shared object, too.
#define ARCH_TLS_MODEL "initial-exec"

// The thread pointer (psABI: %fs:0 holds its own address): unequal for any two live threads.
static inline uintptr_t arch_thread_pointer(void) {
    return *(const uintptr_t __seg_fs *)0;
}

// The address of the calling thread's own `name`, by TLS descriptor ("Thread-Local Storage Descriptors for
// IA32 and AMD64/EM64T"; __tls_get_addr, which compilers prefer, takes twice the time).  Where libc first has to
// make room for it, glibc before 2.40 may change vector registers, and before 2.26 needs an aligned stack,
// against that convention.  Built without a red zone: the compiler does not know that this is a call.
#define arch_local(type, name) ({ \
  type *arch_address_; \
  uintptr_t arch_stack_; \
  __asm__("movq %%rsp, %1\n\tandq $-16, %%rsp\n\t" \
          "leaq " #name "@tlsdesc(%%rip), %%rax\n\tcall *" #name "@tlscall(%%rax)\n\t" \
          "addq %%fs:0, %%rax\n\tmovq %1, %%rsp" \
          : "=&a"(arch_address_), "=&r"(arch_stack_) : \
          : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
            "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"); \
  arch_address_; })

// The processor's own counter, read without a system call.
static inline uint64_t arch_counter(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return ((uint64_t)high << 32) | low;
}

// The same, read when everything before it is done.  Only for profile `trace`.
static inline uint64_t arch_counter_in_order(void) {
    __asm__ volatile("lfence" ::: "memory");
    return arch_counter();
}

// Asks for the line of the cache at `p`, to write to it.  (For processors since 2005 this is no unknown instruction; compilers ask for the line to
// read it, unless they are told of a newer one: then the write asks a second time.)
static inline void arch_prefetch_write(const void *p) { __asm__ volatile("prefetchw %0" : : "m"(*(const char *)p)); }

// A monotonic time in units of about a millisecond: the time-stamp counter over 2^21, which is 1 ms at
// 2.1 GHz and 0.4 to 2 ms on any processor with a 64-bit mode.  It only paces the return of free pages
// to the kernel.
static inline int64_t arch_clock_of(uint64_t count) { return (int64_t)(count >> 21); }
static inline int64_t arch_clock(void) { return arch_clock_of(arch_counter()); }

static inline void arch_pause(void) { __asm__ volatile("pause" ::: "memory"); }

// Both are correct for every n and fast for large ones, where the microcode copies whole lines
// (Intel Optimization Manual, 3.7.6).  Callers use them where n is mostly large.  What is copied may
// overlap a target below it.
static inline void arch_copy(void *to, const void *from, size_t n) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
static inline void arch_fill(void *to, int byte, size_t n) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

#endif

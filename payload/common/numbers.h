// The numbers of system calls that all newer architectures have (the kernel's include/uapi/asm-generic/unistd.h).
#pragma once

#define ARCH_SYS_futex 98
#define ARCH_SYS_munmap 215
#define ARCH_SYS_mremap 216
#define ARCH_SYS_mmap 222
#define ARCH_SYS_mprotect 226
#define ARCH_SYS_madvise 233
// Only in a turn before a wait, and rt_sigprocmask in profile `trace`.
#define ARCH_SYS_rt_sigaction 134
#define ARCH_SYS_rt_sigprocmask 135
#define ARCH_SYS_rt_sigpending 136
// Only for profile `trace`.
#define ARCH_SYS_openat 56
#define ARCH_SYS_close 57
#define ARCH_SYS_read 63
#define ARCH_SYS_pwritev 70
#define ARCH_SYS_clock_gettime 113
#define ARCH_SYS_getpid 172
#define ARCH_SYS_gettid 178
#define ARCH_SYS_prlimit64 261

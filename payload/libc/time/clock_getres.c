// clock_getres: asked of the kernel's page of functions, as clock_gettime is, instead of by a system call.
#include "../../common/syscall.h"
#include "../libc.h"

// As in include/bits/alltypes.h of musl 1.2 on 64 bits.
typedef struct {
    int64_t seconds;
    long nanoseconds;
} Time;
_Static_assert(sizeof(Time) == 16, "struct timespec");

// src/internal/vdso.c and src/internal/syscall_ret.c, hidden in libc.a.
HIDDEN void *__vdsosym(const char *version, const char *name);
HIDDEN long __syscall_ret(unsigned long result);

enum { CLOCK_BOOTTIME = 7 };  // include/time.h: the last of those that every kernel has
typedef int Ask(int clock, Time *resolution);

#ifdef __x86_64__
enum { CLOCK_GETRES = 229 };
#elif defined(__aarch64__)
enum { CLOCK_GETRES = 114 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

// Without such a page, or with an old one, which has no such function.
static int ask_kernel(int clock, Time *resolution) { return (int)arch_syscall3(CLOCK_GETRES, clock, (long)resolution, 0); }

static COLD Ask *find(Ask **known) {
#ifdef __x86_64__
    Ask *ask = (Ask *)(uintptr_t)__vdsosym("LINUX_2.6", "__vdso_clock_getres");
#elif defined(__aarch64__)
    Ask *ask = (Ask *)(uintptr_t)__vdsosym("LINUX_2.6.39", "__kernel_clock_getres");
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    if (!ask) ask = ask_kernel;
    __atomic_store_n(known, ask, __ATOMIC_RELAXED);
    return ask;
}

HIDDEN int brawn_clock_getres(int clock, Time *resolution) {
    static Ask *known;
    Ask *ask = __atomic_load_n(&known, __ATOMIC_RELAXED);
    // Of clocks that a kernel may have or not, the page says that they are there.
    if (UNLIKELY((unsigned)clock > CLOCK_BOOTTIME)) ask = ask_kernel;
    else if (UNLIKELY(!ask)) ask = find(&known);
    const int result = ask(clock, resolution);
    return LIKELY(!result) ? 0 : (int)__syscall_ret((unsigned long)(long)result);
}
NAME(clock_getres, brawn_clock_getres)

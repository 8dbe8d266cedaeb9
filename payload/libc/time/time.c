// time(): the seconds of the kernel's coarse clock, which time(2) gives, too.  It changes once a tick, so the vdso's
// page has it ready: no counter of the processor is read, which a virtual machine may make slow, and no multiplication
// follows.  musl asks for the fine clock, whose seconds begin up to a tick earlier.
//
// On x86_64 the page has a function for just this, which reads one number.  Where it has none, and on aarch64, the
// coarse clock is asked.
#include "../libc.h"

// As in include/bits/alltypes.h of musl 1.2 on 64 bits.
struct timespec {
    int64_t tv_sec;
    long tv_nsec;
};
_Static_assert(sizeof(struct timespec) == 16, "struct timespec");
enum { CLOCK_REALTIME_COARSE = 5 };  // include/time.h
// src/time/clock_gettime.c, hidden in libc.a: through the vdso where there is one.
int __clock_gettime(int clock, struct timespec *now);

typedef int64_t Ask(int64_t *to);

static int64_t ask_clock(int64_t *to) {
    struct timespec now;
    __clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

#ifdef __x86_64__
// src/internal/vdso.c, hidden in libc.a.
HIDDEN void *__vdsosym(const char *version, const char *name);

// Two threads may both look: they find the same.
static COLD Ask *find(Ask **known) {
    Ask *ask = (Ask *)(uintptr_t)__vdsosym("LINUX_2.6", "__vdso_time");
    if (!ask) ask = ask_clock;
    __atomic_store_n(known, ask, __ATOMIC_RELAXED);
    return ask;
}

HIDDEN int64_t brawn_time(int64_t *to) {
    static Ask *known;
    Ask *ask = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (UNLIKELY(!ask)) ask = find(&known);
    return ask(to);
}
#else  // any other
HIDDEN int64_t brawn_time(int64_t *to) { return ask_clock(to); }
#endif
NAME(time, brawn_time)

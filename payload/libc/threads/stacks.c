// Stacks of threads that have ended.
//
// A few are kept, as glibc does: mapping one, taking its guard's rights, touching it and giving it back takes as long as all
// else of a thread's life.  An idle process has little of them in memory: of each stack the part next to its end.
//
// Each place has its own state, and nothing waits: a place that another thread is using at this moment counts as empty.  So a child of fork,
// in which that thread never finishes, can use all other places.  And a thread can leave the stack that it runs on: it has the kernel write
// the 0 when it has gone (set_tid_address).
#include "stacks.h"

enum {
    PLACES = 8,
    RESIDENT = 64 << 10,
    BELOW = 16 << 10,
    MOST = 40 << 20,
};
enum {
    FREE = 0,
    TAKEN = 1,
};

#ifdef __x86_64__
enum { MADVISE = 28 };
#elif defined(__aarch64__)
enum { MADVISE = 233 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
enum { DONTNEED = 4 };

// musl's munmap, under the name that its own functions call.
extern int __munmap(void *map, size_t size);

// While `state` is TAKEN, whoever made it that has the other fields.  `size` is 0 where there is no stack.
static struct place {
    volatile int state;
    volatile size_t size;
    size_t guard;
    void *map;
} places[PLACES];
static size_t all;
static unsigned turn;

// Takes out what is at a TAKEN place.
INLINE void *empty(struct place *p) {
    void *const map = p->map;
    __atomic_fetch_sub(&all, p->size, __ATOMIC_RELAXED);
    p->size = 0;
    __atomic_store_n(&p->state, FREE, __ATOMIC_RELEASE);
    return map;
}

static void drop(struct place *p) {
    if (p->state != FREE || !takes(&p->state, FREE, TAKEN)) return;
    const size_t size = p->size;
    void *const map = empty(p);
    if (size) __munmap(map, size);
}

HIDDEN void brawn_stacks_drop(void) {
    for (struct place *p = places; p < places + PLACES; p++) drop(p);
}

HIDDEN void *brawn_stack_take(size_t size, size_t guard) {
    for (struct place *p = places; p < places + PLACES; p++) {
        if (p->size != size || p->state != FREE || !takes(&p->state, FREE, TAKEN)) continue;
        if (p->size == size && p->guard == guard) return empty(p);
        __atomic_store_n(&p->state, FREE, __ATOMIC_RELEASE);
    }
    return NULL;
}

// Gives back to the kernel what is far from a stack's end, if that is large.
static void trim(char *low, char *top, char *used) {
    char *end = top - RESIDENT;
    if (used >= low && used <= top && end > used - BELOW) end = used - BELOW;
    end = (char *)((uintptr_t)end & -__libc.page);
    if (end > low && end - low > 2 * RESIDENT) arch_syscall4(MADVISE, (long)low, end - low, DONTNEED, 0);
}

// Drops the stack at the next place if its size is another one: perhaps nobody asks for that size any more.  Returns whether it was.
static int make_room(size_t size) {
    struct place *const p = &places[__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % PLACES];
    const int is_other = p->size && p->size != size;
    if (is_other) drop(p);
    return is_other;
}

static volatile int *keep(void *map, size_t size, size_t guard, void *top, void *used) {
    for (struct place *p = places; p < places + PLACES; p++) {
        if (p->size || p->state != FREE || !takes(&p->state, FREE, TAKEN)) continue;
        if (!p->size) {
            if (__atomic_add_fetch(&all, size, __ATOMIC_RELAXED) > MOST) {
                __atomic_fetch_sub(&all, size, __ATOMIC_RELAXED);
                __atomic_store_n(&p->state, FREE, __ATOMIC_RELEASE);
                return NULL;
            }
            trim((char *)map + guard, top, used);
            p->map = map, p->guard = guard, p->size = size;
            return &p->state;
        }
        __atomic_store_n(&p->state, FREE, __ATOMIC_RELEASE);
    }
    return NULL;
}

HIDDEN volatile int *brawn_stack_keep(void *map, size_t size, size_t guard, void *top, void *used) {
    volatile int *kept = keep(map, size, guard, top, used);
    if (!kept && size <= MOST && make_room(size)) kept = keep(map, size, guard, top, used);
    return kept;
}

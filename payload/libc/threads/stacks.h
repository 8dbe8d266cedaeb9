// Stacks of threads that have ended, which the next ones begin with: stacks.c.
#pragma once
#include "threads.h"

// A thread's `state`: musl's, the same in musl 1.2.2 to 1.2.6.
enum { ENDED,
    ENDING,
    JOINABLE,
    DETACHED };

// Whether its stack lies where its thread-locals do, and not in memory of the program's.
INLINE int has_own_stack(const thread *t) {
    return t->map && (uintptr_t)t->stack - (uintptr_t)t->map < t->mapped;
}

// One of `size` bytes, the lowest `guard` of which cannot be touched; NULL if there is none.  What is in it is anything.
HIDDEN void *brawn_stack_take(size_t size, size_t guard);

// Keeps a stack.  Its highest bytes, thread-locals and others, begin at `top`; what lies at `used` and above is still in use.  The returned
// word has to become 0, by the caller or by the kernel for the caller: then the stack can be taken.  NULL: it is not kept.
HIDDEN volatile int *brawn_stack_keep(void *map, size_t size, size_t guard, void *top, void *used);

// Gives all of them back.
HIDDEN void brawn_stacks_drop(void);

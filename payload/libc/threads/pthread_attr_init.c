// pthread_attr_init: without the lock that musl takes to read two numbers.
#include "../libc.h"

// include/alltypes.h.in of musl 1.2 on 64 bits; the first two are what src/internal/pthread_impl.h calls _a_stacksize and
// _a_guardsize.
typedef struct {
    size_t stack, guard, rest[5];
} Attributes;
_Static_assert(sizeof(Attributes) == 56, "pthread_attr_t");

// src/thread/default_attr.c: they only grow, and pthread_setattr_default_np writes them one after the other.
extern HIDDEN unsigned __default_stacksize, __default_guardsize;

HIDDEN int brawn_pthread_attr_init(Attributes *attributes) {
    *attributes = (Attributes){
        .stack = __atomic_load_n(&__default_stacksize, __ATOMIC_RELAXED),
        .guard = __atomic_load_n(&__default_guardsize, __ATOMIC_RELAXED),
    };
    return 0;
}
NAME(pthread_attr_init, brawn_pthread_attr_init)

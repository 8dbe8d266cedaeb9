// funlockfile: while there is one thread, without an atomic operation.
#include "lock.h"

HIDDEN void __unlist_locked_file(stream *f);

HIDDEN void brawn_funlockfile(stream *f) {
    if (f->lock_count != 1) {
        f->lock_count--;
        return;
    }
    __unlist_locked_file(f);
    f->lock_count = 0;
    // With the bit that says that others may wait, it is another number.
    if (LIKELY(is_alone() && load(&f->lock) == own_thread()->id)) __atomic_store_n(&f->lock, 0, __ATOMIC_RELAXED);
    else __unlockfile(f);
}
NAME(funlockfile, brawn_funlockfile)

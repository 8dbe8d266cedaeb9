// flockfile: while there is one thread, without an atomic operation; else by musl's ftrylockfile.  A stream that was never
// shared (NO_LOCK) is one with a lock from now on, as musl makes it.
#include "lock.h"

extern int ftrylockfile(stream *f);
HIDDEN void __register_locked_file(stream *f, thread *self);

HIDDEN void brawn_flockfile(stream *f) {
    thread *const self = own_thread();
    // In this order: see pthread_mutex_lock.c.
    const int alone = is_alone(), now = load(&f->lock);
    if (LIKELY(alone && now <= 0)) {
        __atomic_store_n(&f->lock, self->id, __ATOMIC_RELAXED);
    } else {
        if (!ftrylockfile(f)) return;
        __lockfile(f);
    }
    __register_locked_file(f, self);
}
NAME(flockfile, brawn_flockfile)

// A stream's lock.
#pragma once
#include "stream.h"
#include "../threads/threads.h"

HIDDEN int __lockfile(stream *f);
HIDDEN void __unlockfile(stream *f);

// For what looks at a stream for a moment, and calls nothing of the program's, which might begin a thread: whether it has to be unlocked.
// No other thread, no atomic operation, which is most of what these functions take:
// but not where a thread that has ended left it locked.
INLINE int lock_stream(stream *f) {
    const int lock = f->lock;
    if (LIKELY(lock < 0 || (lock == 0 && is_alone()))) return 0;
    return __lockfile(f);
}

INLINE void unlock_stream(stream *f, int locked) {
    if (UNLIKELY(locked)) __unlockfile(f);
}

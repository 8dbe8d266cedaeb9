// Forgets that there was an error or the end.
#include "lock.h"

HIDDEN void brawn_clearerr(stream *f) {
    const int locked = lock_stream(f);
    f->flags &= ~(unsigned)(AT_END | HAS_ERROR);
    unlock_stream(f, locked);
}
NAME(clearerr, brawn_clearerr)
NAME(clearerr_unlocked, brawn_clearerr)

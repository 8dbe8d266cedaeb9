// Whether there was an error.
#include "lock.h"

HIDDEN int brawn_ferror(stream *f) {
    const int locked = lock_stream(f), result = !!(f->flags & HAS_ERROR);
    unlock_stream(f, locked);
    return result;
}
NAME(ferror, brawn_ferror)
NAME(ferror_unlocked, brawn_ferror)
NAME(_IO_ferror_unlocked, brawn_ferror)

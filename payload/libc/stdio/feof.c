// Whether the end was met.
#include "lock.h"

HIDDEN int brawn_feof(stream *f) {
    const int locked = lock_stream(f), result = !!(f->flags & AT_END);
    unlock_stream(f, locked);
    return result;
}
NAME(feof, brawn_feof)
NAME(feof_unlocked, brawn_feof)
NAME(_IO_feof_unlocked, brawn_feof)

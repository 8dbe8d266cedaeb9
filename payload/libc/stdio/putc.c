// One byte into a stream's buffer.  musl's does the same with two jumps more, and takes a stream's lock by an atomic operation even
// where there is one thread.
#include "lock.h"

HIDDEN int __overflow(stream *f, int c);

INLINE int put(int c, stream *f) {
    const unsigned char byte = (unsigned char)c;
    char *const at = f->write_at;
    if (UNLIKELY(byte == f->line_end) || UNLIKELY(at == f->write_end)) return __overflow(f, byte);
    f->write_at = at + 1;
    *at = (char)byte;
    return byte;
}

static COLD int put_locked(int c, stream *f) {
    const int locked = lock_stream(f), result = put(c, f);
    unlock_stream(f, locked);
    return result;
}

HIDDEN int brawn_putc(int c, stream *f) {
    return LIKELY(f->lock < 0) ? put(c, f) : put_locked(c, f);
}
NAME(putc, brawn_putc)
NAME(_IO_putc, brawn_putc)

// One byte into a stream's buffer.  musl's does the same with two jumps more, and takes a stream's lock by an atomic operation even
// where there is one thread.
#include "lock.h"

HIDDEN int __overflow(stream *f, int c);

// Whether the byte goes into the buffer, and calls nothing.
INLINE int fits(const stream *f, unsigned char byte) {
    return LIKELY(byte != f->line_end) && LIKELY(f->write_at != f->write_end);
}

INLINE int put(int c, stream *f) {
    const unsigned char byte = (unsigned char)c;
    if (!fits(f, byte)) return __overflow(f, byte);
    *f->write_at++ = (char)byte;
    return byte;
}

// Without another thread no lock: a program's own function may begin one, but is only called by __overflow.
static COLD int put_locked(int c, stream *f) {
    if (f->lock == 0 && is_alone() && fits(f, (unsigned char)c)) return put(c, f);
    const int locked = __lockfile(f), result = put(c, f);
    unlock_stream(f, locked);
    return result;
}

HIDDEN int brawn_putc(int c, stream *f) {
    return LIKELY(f->lock < 0) ? put(c, f) : put_locked(c, f);
}
NAME(putc, brawn_putc)
NAME(_IO_putc, brawn_putc)

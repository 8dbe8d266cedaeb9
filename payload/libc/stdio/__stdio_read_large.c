// For whoever asks for large buffers: stdin gets one of 4 KiB where the program has given it no other.  It is asked for when the
// one before has nothing left.  So a program that starts others may have read more of an input that it shares with them.
#include "read.h"

// stdin looks like the streams that musl makes on its stack to read its own files (src/stdio/__fopen_rb_ca.c), whose
// descriptor may be 0 where a program has closed it.  Whoever comes first keeps the buffer for as long as its address is
// a stream's: two that are there at once never share it.
static void enlarge(stream *f) {
    static LATE unsigned char buffer[UNGET + BUFFER];
    static stream *owner;
    stream *none = NULL;
    if (__atomic_load_n(&owner, __ATOMIC_RELAXED) != f &&
        !__atomic_compare_exchange_n(&owner, &none, f, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    f->buffer = buffer + UNGET;
    f->size = BUFFER;
    // Where musl leaves them before it reads: what is put back after the end goes in front.
    f->reading[0] = f->reading[1] = f->buffer + f->size;
}

HIDDEN size_t brawn___stdio_read_large(stream *f, unsigned char *to, size_t n) {
    const unsigned standard = IS_STANDARD | NO_WRITING;
    if (UNLIKELY(f->size == SMALL_BUFFER && f->fd == 0 && (f->flags & (standard | NO_READING | OWN_BUFFER)) == standard)) enlarge(f);
    return read_into(f, to, n);
}
NAME(__stdio_read, brawn___stdio_read_large)

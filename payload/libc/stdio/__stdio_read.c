// What every stream of a descriptor reads with.  musl's, but that stdin gets a buffer of 4 KiB where the program has given
// it no other: it is asked for when the one before has nothing left.
#include "stream.h"

#ifdef __x86_64__
enum {
    READ = 0,
    READV = 19,
};
#else
enum {
    READ = 63,
    READV = 65,
};
#endif

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

HIDDEN size_t brawn___stdio_read(stream *f, unsigned char *to, size_t n) {
    const unsigned standard = IS_STANDARD | NO_WRITING;
    if (UNLIKELY(f->size == SMALL_BUFFER && f->fd == 0 && (f->flags & (standard | NO_READING | OWN_BUFFER)) == standard)) enlarge(f);
    // The last byte comes by the buffer, if there is one: so it is filled.
    const size_t direct = n - !!f->size;
    const struct {
        void *at;
        size_t size;
    } parts[2] = {{to, direct}, {f->buffer, f->size}};
    const long got = direct ? arch_syscall3(READV, f->fd, (long)parts, 2) : arch_syscall3(READ, f->fd, (long)f->buffer, (long)f->size);
    if (got <= 0) {
        if (got < 0) ERRNO = (int)-got;
        f->flags |= got ? HAS_ERROR : AT_END;
        return 0;
    }
    if ((size_t)got <= direct) return (size_t)got;
    f->reading[0] = f->buffer;
    f->reading[1] = f->buffer + ((size_t)got - direct);
    if (f->size) {
        to[n - 1] = f->buffer[0];
        f->reading[0] = f->buffer + 1;
    }
    return n;
}
NAME(__stdio_read, brawn___stdio_read)

// How a stream of a descriptor reads: as musl's does, but for small pieces.
#pragma once
#include "stream.h"

#ifdef __x86_64__
enum {
    READ = 0,
    READV = 19,
};
#elif defined(__aarch64__)
enum {
    READ = 63,
    READV = 65,
};
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

// For as much as an eighth of a buffer of ours, `read` into the buffer and a copy take less time than `readv`.  musl's small
// buffers and the program's own are filled as musl fills them: who else reads the file finds as much left.
INLINE int is_little(const stream *f, size_t n) {
    return f->size == BUFFER && !(f->flags & OWN_BUFFER) && n - 2 <= BUFFER / 8 - 2;
}

INLINE size_t read_into(stream *f, unsigned char *to, size_t n) {
    // The last byte comes by the buffer, if there is one: so it is filled.
    const size_t direct = n - !!f->size;
    const struct {
        void *at;
        size_t size;
    } parts[2] = {{to, direct}, {f->buffer, f->size}};
    const int little = is_little(f, n);
    const long got = direct && !little ? arch_syscall3(READV, f->fd, (long)parts, 2)
                                       : arch_syscall3(READ, f->fd, (long)f->buffer, (long)f->size);
    if (got <= 0) {
        if (got < 0) ERRNO = (int)-got;
        f->flags |= got ? HAS_ERROR : AT_END;
        return 0;
    }
    if (little) {
        const size_t copied = (size_t)got < n ? (size_t)got : n;
        brawn_memcpy(to, f->buffer, copied);
        if (copied < n) return copied;
        f->reading[0] = f->buffer + n;
        f->reading[1] = f->buffer + got;
        return n;
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

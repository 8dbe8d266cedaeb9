// Every stream of a descriptor writes with this.  It does what musl's does, but by `write` where one of the two pieces is
// empty, as it is whenever a full buffer is written, or flushed: the kernel takes longer for a list.  Filters of system calls that allow
// `writev` allow `write`, too; many were made for glibc's streams and allow `write` alone.
#include "stream.h"

#ifdef __x86_64__
enum {
    WRITE = 1,
    WRITEV = 20,
};
#elif defined(__aarch64__)
enum {
    WRITE = 64,
    WRITEV = 66,
};
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

HIDDEN size_t brawn___stdio_write(stream *f, const unsigned char *from, size_t n) {
    struct {
        const char *at;
        size_t size;
    } parts[2] = {{f->unwritten, (size_t)(f->write_at - f->unwritten)}, {(const char *)from, n}};
    for (;;) {
        const size_t buffered = parts[0].size, rest = parts[1].size;
        // Of nothing at all, too, the kernel says what is wrong with the descriptor.  By `write` a socket would send an empty message.
        const long wrote = !buffered == !rest ? arch_syscall3(WRITEV, f->fd, (long)parts, 2)
                                              : arch_syscall3(WRITE, f->fd, (long)parts[buffered ? 0 : 1].at, (long)(buffered + rest));
        if (wrote < 0) {
            ERRNO = (int)-wrote;
            f->write_at = f->unwritten = f->write_end = NULL;
            f->flags |= HAS_ERROR;
            return n - rest;
        }
        if ((size_t)wrote == buffered + rest) {
            f->write_end = (char *)f->buffer + f->size;
            f->write_at = f->unwritten = (char *)f->buffer;
            return n;
        }
        const size_t of_first = (size_t)wrote < buffered ? (size_t)wrote : buffered, of_second = (size_t)wrote - of_first;
        parts[0].at += of_first;
        parts[0].size -= of_first;
        parts[1].at += of_second;
        parts[1].size -= of_second;
    }
}
NAME(__stdio_write, brawn___stdio_write)

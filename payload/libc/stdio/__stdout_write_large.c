// For whoever asks for large buffers: the first write of stdout, which finds out whether it is a terminal.  Where it is none, and
// the program has given it no other, it gets a buffer of 4 KiB: a filter asks the kernel a quarter as often.  So what stdout and
// stderr write to one file may be mixed at other places.
#include "stream.h"

HIDDEN size_t __stdio_write(stream *f, const unsigned char *from, size_t n);

#ifdef __x86_64__
enum { IOCTL = 16 };
#elif defined(__aarch64__)
enum { IOCTL = 29 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

HIDDEN size_t brawn___stdout_write_large(stream *f, const unsigned char *from, size_t n) {
    static LATE unsigned char buffer[UNGET + BUFFER];
    uint16_t window[4];
    f->write = __stdio_write;
    if (!(f->flags & OWN_BUFFER) && arch_syscall3(IOCTL, f->fd, TIOCGWINSZ, (long)window)) {
        f->line_end = NO_LINES;
        // What waits in the old one is written from there, before the new one begins.
        if (f->size == SMALL_BUFFER) {
            f->buffer = buffer + UNGET;
            f->size = BUFFER;
        }
    }
    return __stdio_write(f, from, n);
}
NAME(__stdout_write, brawn___stdout_write_large)

// __fdopen, which fopen, fdopen, popen and tmpfile make streams with.  musl's buffers have 1 KiB, so that a program that reads
// a file by lines, numbers or small pieces asks the kernel four times as often as with glibc: that, and not the code of getline,
// fgets and fread, is what they are slower for.  These have 4 KiB.  Where other processes or streams may use the file as well, it
// stays 1 KiB, since what is written there is mixed at the buffers' borders, and what one reads the other misses: files to append
// to, the standard descriptors, and all that is no regular file, as "/dev/stdout" may be a pipe.
#include "stream.h"

// The beginning of musl's struct __libc (src/internal/libc.h), the same in these.
extern struct {
    char can_have_threads, has_threads;
} __libc;

extern void *malloc(size_t);
extern stream *__ofl_add(stream *);
extern size_t __stdio_read(stream *, unsigned char *, size_t);
extern size_t __stdio_write(stream *, const unsigned char *, size_t);
extern int64_t __stdio_seek(stream *, int64_t, int);
extern int __stdio_close(stream *);

enum {
    EINVAL = 22,
    STANDARD_LAST = 2,
    F_SETFD = 2,
    F_GETFL = 3,
    F_SETFL = 4,
    FD_CLOEXEC = 1,
    O_APPEND = 02000,
    S_IFMT = 0170000,
    S_IFREG = 0100000,
};

// MODE_AT: where the kernel's struct stat has st_mode.
#ifdef __x86_64__
enum {
    FCNTL = 72,
    FSTAT = 5,
    IOCTL = 16,
    MODE_AT = 24,
};
#elif defined(__aarch64__)
enum {
    FCNTL = 25,
    FSTAT = 80,
    IOCTL = 29,
    MODE_AT = 16,
};
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

INLINE int has(const char *s, char c) {
    while (*s && *s != c) s++;
    return *s == c;
}

// The kernel's struct stat, which has at most 144 bytes, is asked for by the descriptor: its name may have come to mean another file.
static int is_regular(int fd) {
    uint32_t words[36];
    return !arch_syscall3(FSTAT, fd, (long)words, 0) && (words[MODE_AT / sizeof *words] & S_IFMT) == S_IFREG;
}

HIDDEN stream *brawn___fdopen(int fd, const char *mode) {
    const char first = *mode;
    // To musl, an empty mode is one for writing.
    if (first && first != 'r' && first != 'w' && first != 'a') {
        ERRNO = EINVAL;
        return NULL;
    }
    const size_t size = fd <= STANDARD_LAST || first == 'a' || !is_regular(fd) ? SMALL_BUFFER : BUFFER;
    stream *const f = malloc(sizeof *f + UNGET + size);
    if (!f) return NULL;
    brawn_memset(f, 0, sizeof *f);
    if (!has(mode, '+')) f->flags = first == 'r' ? NO_WRITING : NO_READING;
    if (has(mode, 'e')) arch_syscall3(FCNTL, fd, F_SETFD, FD_CLOEXEC);
    if (first == 'a') {
        const long flags = arch_syscall3(FCNTL, fd, F_GETFL, 0);
        if (!(flags & O_APPEND)) arch_syscall3(FCNTL, fd, F_SETFL, flags | O_APPEND);
        f->flags |= APPENDS;
    }
    f->fd = fd;
    f->buffer = (unsigned char *)(f + 1) + UNGET;
    f->size = size;
    // To a terminal, by lines.
    uint16_t window[4];
    f->line_end = !(f->flags & NO_WRITING) && !arch_syscall3(IOCTL, fd, TIOCGWINSZ, (long)window) ? '\n' : NO_LINES;
    f->read = __stdio_read;
    f->write = __stdio_write;
    f->seek = __stdio_seek;
    f->close = __stdio_close;
    if (!__libc.has_threads) f->lock = NO_LOCK;
    return __ofl_add(f);
}
NAME(__fdopen, brawn___fdopen)
NAME(fdopen, brawn___fdopen)

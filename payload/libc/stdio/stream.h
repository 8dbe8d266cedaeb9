// musl's FILE (src/internal/stdio_impl.h), as it is used here: the same in musl 1.2.2 to 1.2.6.
#pragma once
#include "../../common/syscall.h"
#include "../libc.h"

typedef struct stream stream;
struct stream {
    unsigned flags;
    void *reading[2];
    int (*close)(stream *);
    // What is not written yet lies between `unwritten` and `write_at`.
    char *write_end, *write_at, *no_longer_used, *unwritten;
    size_t (*read)(stream *, unsigned char *, size_t);
    size_t (*write)(stream *, const unsigned char *, size_t);
    int64_t (*seek)(stream *, int64_t, int);
    unsigned char *buffer;
    size_t size;
    void *neighbours[2];
    int fd;
    int pipe_pid;
    long lock_count;
    int mode;
    volatile int lock;
    // What ends a line for a buffer that is written by lines, or NO_LINES.
    int line_end;
    void *rest[10];
};
_Static_assert(offsetof(stream, write_at) == 0x28 && offsetof(stream, unwritten) == 0x38, "musl's FILE");
_Static_assert(offsetof(stream, fd) == 0x78 && offsetof(stream, lock) == 0x8c && sizeof(stream) == 0xe8, "musl's FILE");
enum {
    IS_STANDARD = 1,
    NO_READING = 4,
    NO_WRITING = 8,
    AT_END = 16,
    HAS_ERROR = 32,
    OWN_BUFFER = 64,
    APPENDS = 128,
    NO_LINES = -1,
    NO_LOCK = -1,
};
// The buffers of musl's streams, what may be put back in front of them, and what glibc's have.
enum {
    SMALL_BUFFER = 1024,
    UNGET = 8,
    BUFFER = 4096,
    TIOCGWINSZ = 0x5413,
};

// A system call that leaves errno alone: a negative number is an error.
INLINE long ask(long number, long first, long second, long third) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
    return x0;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

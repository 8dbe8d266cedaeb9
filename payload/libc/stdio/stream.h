// musl's FILE (src/internal/stdio_impl.h), as it is used here: the same in musl 1.2.2 to 1.2.6.
#pragma once
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
enum { NO_READING = 4, NO_WRITING = 8, HAS_ERROR = 32, APPENDS = 128, NO_LINES = -1, NO_LOCK = -1 };

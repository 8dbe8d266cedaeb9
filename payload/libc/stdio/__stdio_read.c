// What every stream of a descriptor reads with, in buffers of musl's size.  (__stdio_read_large.c has a larger one for stdin.)
#include "read.h"

HIDDEN size_t brawn___stdio_read(stream *f, unsigned char *to, size_t n) {
    return read_into(f, to, n);
}
NAME(__stdio_read, brawn___stdio_read)

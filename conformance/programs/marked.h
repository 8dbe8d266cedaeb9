/* Blocks of 16 to 39,999 bytes that hold their size and a byte that depends on it, and what the process has resident. */
#ifndef MARKED_H
#define MARKED_H

#include "check.h"

static void mark(unsigned char *p, size_t size) {
    memset(p, (int)(size % 251), size);
    memcpy(p, &(unsigned){(unsigned)size}, 4);
}
static unsigned look(const unsigned char *p) {
    unsigned size;
    memcpy(&size, p, 4);
    CHECK(size >= 16 && size < 40000, "a block of %u bytes", size);
    for (unsigned i = 4; i < size; i++) CHECK(p[i] == size % 251, "byte %u of %u changed", i, size);
    return size;
}
static long resident(void) { return check_own_memory(); }

#endif

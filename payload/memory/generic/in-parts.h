// stpncpy, without vectors of its own.
#pragma once
#include "memory.h"

static char *in_parts(char *restrict to, const char *restrict from, size_t n) {
    const size_t length = brawn_strnlen(from, n);
    brawn_memcpy(to, from, length);
    if (length < n) brawn_memset(to + length, 0, n - length);
    return to + length;
}

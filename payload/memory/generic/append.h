// The rest of strncat, once it is known where to write.
#pragma once
#include "memory.h"

// A string is looked at and then copied: in parts, so that a long one is still in the cache nearest to the processor.
enum { APPENDED_AT_ONCE = 4096 };

INLINE void append_in_parts(char *restrict to, const char *restrict from, size_t n) {
    for (;;) {
        const size_t part = n < APPENDED_AT_ONCE ? n : APPENDED_AT_ONCE, length = brawn_strnlen(from, part);
        brawn_memcpy(to, from, length);
        to += length;
        n -= part;
        if (length < part || !n) break;
        from += part;
    }
    *to = 0;
}

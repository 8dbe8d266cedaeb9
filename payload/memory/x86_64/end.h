// Where strcat and strncat begin to write.
#pragma once
#include "memory.h"

// The byte there was often written just before, and a load waits until it is in the cache. A narrow vector is faster,
// since it lies on two cache lines less often.
INLINE char *end_of(char *s) {
    // An empty string, for which a byte is enough: what wrote it is often a store of this byte alone, and a load of more waits.
    if (!*s) return s;
    if (LIKELY(FITS_IN(s, 16))) {
        const unsigned m = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(GET128(s), _mm_setzero_si128()));
        if (LIKELY(m)) return s + __builtin_ctz(m);
    }
    return s + brawn_strlen(s);
}

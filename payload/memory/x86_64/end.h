// Where strcat and strncat begin to write.
#pragma once
#include "memory.h"

// The byte there has often just been written, and a wider load has to wait until that is in the cache: the narrow
// vector is sooner done, since it less often lies on two lines.
INLINE char *end_of(char *s) {
    if (LIKELY(FITS_IN(s, 16))) {
        const unsigned m = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(GET128(s), _mm_setzero_si128()));
        if (LIKELY(m)) return s + __builtin_ctz(m);
    }
    return s + brawn_strlen(s);
}

#ifndef WIDTH
#define SOURCE "../../libc/strings/wcslen.c"
#include "strings.h"

#ifdef __x86_64__
ENTRY(brawn_wcslen, length)
ENTRY_NAME(wcslen, brawn_wcslen)

#include "levels.h"

OTHERS(size_t, length, (const wide *s), s)
#elif defined(__aarch64__)
#include "levels.h"

HIDDEN size_t brawn_wcslen(const wide *s) { return length_neon(s); }
NAME(wcslen, brawn_wcslen)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

#else
#include "words.h"
#if WIDTH == 64
// A bit for each word of half a vector that is 0.  The instruction leaves no bits above these, which compilers do not know.
#ifdef IN_REGISTER
#define ZEROS(half)                                                                            \
    ({                                                                                         \
        uint64_t words;                                                                        \
        __asm__("vptestnmd %1, %1, %%k1\n\tkmovd %%k1, %k0" : "=r"(words) : "v"(half) : "k1"); \
        words;                                                                                 \
    })
#else
#define ZEROS(half) moved(_mm256_testn_epi32_mask(half, half))
#endif
#endif
TARGET ENTERED(brawn_wcslen) static size_t AT(length)(const wide *s) {
    if (LIKELY(FITS(s))) {
#if WIDTH == 64
        // By halves, as strlen.
        const __m256i a = HALF_IN(16, s), b = HALF_IN(17, s + LANES / 2);
        const bits m = ZEROS(a) | ZEROS(b) << (LANES / 2);
#else
        const bits m = EQ32(LOADU(s), ZERO);
#endif
        if (LIKELY(m)) return AT32(m);
        for (size_t i = LANES; i < 4 * LANES && FITS(s + i); i += LANES) {
            const bits more = EQ32(LOADU_IN(16, s + i), ZERO);
            if (more) return i + AT32(more);
        }
    }
    return (size_t)(AT(brawn_find_wide)(s, 0) - s);
}
#endif

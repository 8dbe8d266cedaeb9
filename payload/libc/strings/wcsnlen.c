#include "strings.h"

#ifdef __x86_64__
ENTRY_WITH(brawn_wcsnlen, others, 13, "", "")
ENTRY_NAME(wcsnlen, brawn_wcsnlen)
#define OTHERS_ATTRIBUTES __attribute__((noinline, used)) static
#else  // any other
#define others brawn_wcsnlen
#define OTHERS_ATTRIBUTES HIDDEN
#endif

OTHERS_ATTRIBUTES size_t others(const wide *s, size_t n) {
    const wide *const end = brawn_wmemchr(s, 0, n);
    return end ? (size_t)(end - s) : n;
}

#ifdef __x86_64__
#define WIDTH 64
#include "../../memory/x86_64/vector.h"
#include "words.h"
// A few vectors here, so that most calls are over with them.
ENTERED(brawn_wcsnlen)
TARGET static size_t AT(length)(const wide *s, size_t n) {
    if (UNLIKELY(!n)) return 0;
    for (size_t i = 0; i < 4 * LANES && FITS(s + i); i += LANES) {
        const bits m = EQ32(LOADU_IN(16, s + i), ZERO);
        if (m) return i + AT32(m) < n ? i + AT32(m) : n;
        if (n <= i + LANES) return n;
    }
    return others(s, n);
}
#else  // any other
NAME(wcsnlen, brawn_wcsnlen)
#endif

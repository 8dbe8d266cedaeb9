// All n words can be read, so that no page has to be asked for.
#ifndef WIDTH
#define SOURCE "../../libc/strings/wmemcmp.c"
#include "strings.h"

#include "levels.h"

#ifdef __x86_64__
static COLD int first(const wide *a, const wide *b, size_t n) {
    return brawn_memory_long(n * 4) ? brawn_wmemcmp(a, b, n) : order_sse2(a, b, n);
}
#endif

HIDDEN int brawn_wmemcmp(const wide *a, const wide *b, size_t n) { DISPATCH(order, first, a, b, n); }
NAME(wmemcmp, brawn_wmemcmp)

#else
#include "words.h"
TARGET static int AT(order)(const wide *a, const wide *b, size_t n) {
    size_t i = 0;
    bits m;
    if (n < LANES) {
#if WIDTH == 64
        // Of none, nothing may be read.
        if (UNLIKELY(!n)) return 0;
        if (UNLIKELY(!FITS(a) || !FITS(b))) return order_avx2(a, b, n);
        m = _bzhi_u64(NE32(LOADU_IN(16, a), LOADU(b)), (unsigned)n);
        if (!m) return 0;
        goto found;
#else
        for (; i < n; i++)
            if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        return 0;
#endif
    }
    for (const vec zero = ZERO; n - i >= 4 * LANES; i += 4 * LANES) {
        const wide *const p = a + i, *const q = b + i;
        const vec c = XOR(LOADU(p), LOADU(q)), d = XOR(LOADU(p + LANES), LOADU(q + LANES));
        const vec e = XOR(LOADU(p + 2 * LANES), LOADU(q + 2 * LANES)), f = XOR(LOADU(p + 3 * LANES), LOADU(q + 3 * LANES));
        if (UNLIKELY(NE32(OR(OR(c, d), OR(e, f)), zero))) break;
        // From here on aligned in one of the two.
        if (UNLIKELY(!i)) i -= (uintptr_t)a / 4 % LANES;
    }
    for (; n - i > LANES; i += LANES) {
        m = NE32(LOADU(a + i), LOADU(b + i));
        if (m) goto found;
    }
    // The last words, and before them what is equal.
    i = n - LANES;
    m = NE32(LOADU(a + i), LOADU(b + i));
    if (!m) return 0;
found:
    i += AT32(m);
    return a[i] < b[i] ? -1 : 1;
}
#endif

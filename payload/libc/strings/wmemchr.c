#ifndef WIDTH
#define SOURCE "../../libc/strings/wmemchr.c"
#include "strings.h"

#ifdef __x86_64__
ENTRY(brawn_wmemchr, find)
ENTRY_NAME(wmemchr, brawn_wmemchr)

#include "levels.h"

OTHERS(wide *, find, (const wide *s, wide c, size_t n), s, c, n)
#elif defined(__aarch64__)
#include "levels.h"

HIDDEN wide *brawn_wmemchr(const wide *s, wide c, size_t n) { return find_neon(s, c, n); }
NAME(wmemchr, brawn_wmemchr)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

#else
#include "words.h"
// After none or a vector that has no such word; n is more.
TARGET static wide *AT(find_on)(const wide *s, wide c, size_t n) {
    const vec x = FILL32_IN(17, c);
    const char *p = DOWN((const char *)s, WIDTH);
    bits m;
    // A few vectors, most often enough.
    for (size_t i = 0; i < 4 * LANES && FITS(s + i); i += LANES) {
        m = EQ32(LOADU_IN(16, s + i), x);
        if (m) return i + AT32(m) < n ? (wide *)s + i + AT32(m) : NULL;
        if (n <= i + LANES) return NULL;
    }
    m = SKIPPED32(EQ32(LOAD(p), x), (const char *)s - p);
    if (m) return AT32(m) < n ? (wide *)s + AT32(m) : NULL;
    // Callers who know that it is there may say more than there can be.
    const size_t some = n < SIZE_MAX / 8 ? n : SIZE_MAX / 8;
    for (;;) {
        p += WIDTH;
#ifdef MIN32
        // Four at once, aligned, as long as all of them count.
        if (!((uintptr_t)p & (4 * WIDTH - 1)) && (size_t)(p - (const char *)s) / 4 < some)
            for (; some - (size_t)(p - (const char *)s) / 4 >= 4 * LANES; p += 4 * WIDTH) {
                const vec a = SAME32(LOAD(p), x), b = SAME32(LOAD(p + WIDTH), x), d = SAME32(LOAD(p + 2 * WIDTH), x), e = SAME32(LOAD(p + 3 * WIDTH), x);
                if (UNLIKELY(HIT32(JOIN32(JOIN32(a, b), JOIN32(d, e))))) break;
            }
#endif
        const size_t seen = (size_t)(p - (const char *)s) / 4;
        if (seen >= some) return NULL;
        LOOK_UP(p, brawn_wmemchr((const wide *)p, c, n - seen));
        m = EQ32(LOAD(p), x);
        if (m) return seen + AT32(m) < n ? (wide *)p + AT32(m) : NULL;
    }
}

// A function of its own, so that the other's registers need no stack here.
TARGET ENTERED(brawn_wmemchr) static wide *AT(find)(const wide *s, wide c, size_t n) {
    if (UNLIKELY(!n)) return NULL;
    if (LIKELY(FITS(s))) {
        bits m = EQ32(LOADU_IN(16, s), FILL32_IN(17, c));
        __asm__("" : "+r"(m));
        if (m) return AT32(m) < n ? (wide *)s + AT32(m) : NULL;
        if (n <= LANES) return NULL;
    }
    return AT(find_on)(s, c, n);
}
#endif

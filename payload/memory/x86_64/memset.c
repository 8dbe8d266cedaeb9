#ifndef WIDTH
#define SOURCE "memset.c"
// From this size on, the processor's own fill is faster (measured).
enum { STOS_FROM = 8192 };

#include "levels.h"

static COLD void *first(void *to, int c, size_t n) {
    return brawn_memory_long(n) ? brawn_memset(to, c, n) : fill_sse2(to, c, n);
}

HIDDEN __attribute__((aligned(64))) void *brawn_memset(void *to, int c, size_t n) {
    char *d = to;
    const uint64_t bytes = (unsigned char)c * 0x0101010101010101u;
    if (UNLIKELY(n > 64)) DISPATCH(fill, first, to, c, n);
    if (UNLIKELY(n < 8)) {
        if (n >= 4) {
            PUT32(d, bytes);
            PUT32(d + n - 4, bytes);
        } else if (n) {
            d[0] = bytes;
            d[n / 2] = bytes;
            d[n - 1] = bytes;
        }
        return to;
    }
    if (LIKELY(n <= 32)) {
        // One way for four times the sizes: up to 16 bytes the inner two lie on the outer ones.
        const size_t inner = ((n - 1) >> 1) & 8;
        PUT64(d, bytes);
        PUT64(d + inner, bytes);
        PUT64(d + n - 8 - inner, bytes);
        PUT64(d + n - 8, bytes);
        return to;
    }
    const __m128i x = _mm_set1_epi64x((long long)bytes);
    PUT128(d, x);
    PUT128(d + 16, x);
    PUT128(d + n - 32, x);
    PUT128(d + n - 16, x);
    return to;
}
NAME(memset, brawn_memset)

#else
TARGET static void *AT(fill)(void *to, int c, size_t n) {
    char *const d = to, *const last = d + n - 4 * WIDTH;
    const vec x = FILL_IN(16, c);
#if WIDTH > 16
    if (LIKELY(n <= 4 * WIDTH)) {
        STOREU(d, x);
        STOREU(d + n - WIDTH, x);
        if (LIKELY(n <= 2 * WIDTH)) return opaque(to);
        STOREU(d + WIDTH, x);
        STOREU(d + n - 2 * WIDTH, x);
        return opaque(to);
    }
    if (UNLIKELY(n >= STOS_FROM)) {
        char *p = d;
        __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(c) : "memory");
        return opaque(to);
    }
#endif
    STOREU(d, x);
    for (char *p = DOWN(d, WIDTH) + WIDTH; p < last; p += 4 * WIDTH) {
        STORE(p, x);
        STORE(p + WIDTH, x);
        STORE(p + 2 * WIDTH, x);
        STORE(p + 3 * WIDTH, x);
    }
    STOREU(last, x);
    STOREU(last + WIDTH, x);
    STOREU(last + 2 * WIDTH, x);
    STOREU(last + 3 * WIDTH, x);
    return opaque(to);
}
#endif

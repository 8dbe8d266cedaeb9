// strcpy and stpcpy: GIVE(to, end) is what they give.
#if WIDTH < 64 && !defined COPY_SHORT
#define COPY_SHORT
// Copies n bytes, 1 to 32.
INLINE void copy_short(char *d, const char *s, size_t n) {
    if (n >= 16) {
        const __m128i head = GET128(s), tail = GET128(s + n - 16);
        PUT128(d, head);
        PUT128(d + n - 16, tail);
    } else if (n >= 8) {
        const uint64_t head = GET64(s), tail = GET64(s + n - 8);
        PUT64(d, head);
        PUT64(d + n - 8, tail);
    } else if (n >= 4) {
        const uint32_t head = GET32(s), tail = GET32(s + n - 4);
        PUT32(d, head);
        PUT32(d + n - 4, tail);
    } else if (n >= 2) {
        const uint16_t head = GET16(s), tail = GET16(s + n - 2);
        PUT16(d, head);
        PUT16(d + n - 2, tail);
    } else d[0] = s[0];
}
#endif

TARGET static char *AT(copy)(char *restrict to, const char *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN(from, WIDTH);
    bits m;
    if (LIKELY(FITS(from))) {
        const vec x = LOADU(from);
        m = EQ(x, zero);
        if (LIKELY(m)) {
            const unsigned k = CTZ(m);
#if WIDTH == 64
            _mm512_mask_storeu_epi8(to, m ^ (m - 1), x);
#else
            copy_short(to, from, k + 1);
#endif
            return GIVE(to, to + k);
        }
        STOREU(to, x);
    } else {
        m = EQ(LOAD(p), zero) >> (from - p);
        // The rest of the page, and what follows if the string goes on there.
        size_t k = m ? CTZ(m) : (size_t)(p + WIDTH - from);
        if (!m) {
            const bits next = EQ(LOAD(p + WIDTH), zero);
            k = k + (next ? CTZ(next) : WIDTH);
            m = next;
        }
        for (size_t i = 0; i < k; i++) {
            to[i] = from[i];
            __asm__("" ::: "memory");
        }
        if (m) {
            to[k] = 0;
            return GIVE(to, to + k);
        }
        p += WIDTH;
    }
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = to - from;
    for (;;) {
        p += WIDTH;
        vec x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
        p += WIDTH;
        x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
    }
    // The vector that ends with the end.
    p += CTZ(m);
    STOREU((char *)p + apart - (WIDTH - 1), LOADU(p - (WIDTH - 1)));
    return GIVE(to, (char *)p + apart);
}

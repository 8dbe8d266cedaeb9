// memcpy, which is memmove: finished programs may rely on copies that overlap.
#include "../generic/copy-short.h"
#include "vector.h"

// More than 128 bytes.  The loads are aligned, not the stores, as in Arm's own functions for its processors.
static __attribute__((noinline)) void *move(void *to, const void *from, size_t n) {
    char *const d = to;
    const char *const s = from, *p;
    // Forwards unless the destination begins inside the source.
    const ptrdiff_t apart = d - s;
    if (LIKELY((uintptr_t)apart >= n)) {
        const vec head = LOAD(s);
        const vec a = LOAD(s + n - 64), b = LOAD(s + n - 48), c = LOAD(s + n - 32), e = LOAD(s + n - 16);
        p = DOWN(s, WIDTH) + WIDTH;
        const char *const last = s + n - 64;
        do {
            const vec f = LOAD(p), g = LOAD(p + 16), h = LOAD(p + 32), i = LOAD(p + 48);
            STORE((char *)p + apart, f);
            STORE((char *)p + apart + 16, g);
            STORE((char *)p + apart + 32, h);
            STORE((char *)p + apart + 48, i);
            p += 64;
        } while (p < last);
        STORE(d + n - 64, a);
        STORE(d + n - 48, b);
        STORE(d + n - 32, c);
        STORE(d + n - 16, e);
        STORE(d, head);
        return to;
    }
    const vec a = LOAD(s), b = LOAD(s + 16), c = LOAD(s + 32), e = LOAD(s + 48), tail = LOAD(s + n - 16);
    p = DOWN(s + n - 1, WIDTH);
    do {
        p -= 64;
        const vec f = LOAD(p), g = LOAD(p + 16), h = LOAD(p + 32), i = LOAD(p + 48);
        STORE((char *)p + apart, f);
        STORE((char *)p + apart + 16, g);
        STORE((char *)p + apart + 32, h);
        STORE((char *)p + apart + 48, i);
    } while (p > s + 64);
    STORE(d, a);
    STORE(d + 16, b);
    STORE(d + 32, c);
    STORE(d + 48, e);
    STORE(d + n - 16, tail);
    return to;
}

// Every load comes before every store: the two may overlap.
HIDDEN void *brawn_memcpy(void *to, const void *from, size_t n) {
    char *d = to;
    const char *s = from;
    if (LIKELY(n <= 16)) {
        copy_short(d, s, n);
        return to;
    }
    if (LIKELY(n <= 32)) {
        const vec head = LOAD(s), tail = LOAD(s + n - 16);
        STORE(d, head);
        STORE(d + n - 16, tail);
        return to;
    }
    if (UNLIKELY(n > 128)) return move(to, from, n);
    const vec a = LOAD(s), b = LOAD(s + 16), c = LOAD(s + n - 32), e = LOAD(s + n - 16);
    if (n > 64) {
        const vec f = LOAD(s + 32), g = LOAD(s + 48), h = LOAD(s + n - 64), i = LOAD(s + n - 48);
        STORE(d + 32, f);
        STORE(d + 48, g);
        STORE(d + n - 64, h);
        STORE(d + n - 48, i);
    }
    STORE(d, a);
    STORE(d + 16, b);
    STORE(d + n - 32, c);
    STORE(d + n - 16, e);
    return to;
}
NAME(memcpy, brawn_memcpy)
NAME(memmove, brawn_memcpy)

// memcpy, which is memmove: finished programs may rely on copies that overlap as musl's allows.
#ifndef WIDTH
#define SOURCE "memcpy.c"
#include "../generic/copy-short.h"

enum {
    // From this size on, the processor's own copy is faster if the ranges do not overlap (measured).
    REP_FROM = 8192,
    // Unless a store is at most so many bytes above a load, pages apart: then AMD's takes up to 27 times as long (measured).
    REP_BESIDE = 63,
    // Data that cannot stay in the cache is written without it.
    STREAM_FROM = 32 << 20,
};

#include "levels.h"

static COLD void *first(void *to, const void *from, size_t n) {
    return brawn_memory_long(n) ? brawn_memcpy(to, from, n) : move_sse2(to, from, n);
}

// Every load comes before every store: the two may overlap.
HIDDEN __attribute__((aligned(64))) void *brawn_memcpy(void *to, const void *from, size_t n) {
    char *d = to;
    const char *s = from;
    // The rare sizes are tested first; the common ones use the branches after that.
    if (UNLIKELY(n > 64)) DISPATCH(move, first, to, from, n);
    if (n <= 16) {
        copy_short(d, s, n);
        return to;
    }
    if (n <= 32) {
        const __m128i head = GET128(s), tail = GET128(s + n - 16);
        PUT128(d, head);
        PUT128(d + n - 16, tail);
        return to;
    }
    const __m128i a = GET128(s), b = GET128(s + 16), c = GET128(s + n - 32), e = GET128(s + n - 16);
    PUT128(d, a);
    PUT128(d + 16, b);
    PUT128(d + n - 32, c);
    PUT128(d + n - 16, e);
    return to;
}
NAME(memcpy, brawn_memcpy)
NAME(memmove, brawn_memcpy)
NAME(__memcpy_fwd, brawn_memcpy)
NAME(__memcpy_fwd_alias_1, brawn_memcpy)

#else
// Long because it has a branch for each class of sizes, and a call for each class would take longer than a small copy.
TARGET static void *AT(move)(void *to, const void *from, size_t n) {
    char *d = to;
    const char *s = from;
#if WIDTH == 64
    if (LIKELY(n <= 2 * WIDTH)) {
        const vec head = LOADU_IN(16, s), tail = LOADU_IN(17, s + n - WIDTH);
        STOREU(d, head);
        STOREU(d + n - WIDTH, tail);
        return opaque(to);
    }
#endif
#if WIDTH > 16
    if (n <= 4 * WIDTH) {
        const vec a = LOADU(s), b = LOADU(s + WIDTH), c = LOADU(s + n - 2 * WIDTH), e = LOADU(s + n - WIDTH);
        STOREU(d, a);
        STOREU(d + WIDTH, b);
        STOREU(d + n - 2 * WIDTH, c);
        STOREU(d + n - WIDTH, e);
        return opaque(to);
    }
#endif
    if (n <= 8 * WIDTH) {
        const vec a = LOADU(s), b = LOADU(s + WIDTH), c = LOADU(s + 2 * WIDTH), e = LOADU(s + 3 * WIDTH);
        const vec f = LOADU(s + n - 4 * WIDTH), g = LOADU(s + n - 3 * WIDTH), h = LOADU(s + n - 2 * WIDTH), i = LOADU(s + n - WIDTH);
        STOREU(d, a);
        STOREU(d + WIDTH, b);
        STOREU(d + 2 * WIDTH, c);
        STOREU(d + 3 * WIDTH, e);
        STOREU(d + n - 4 * WIDTH, f);
        STOREU(d + n - 3 * WIDTH, g);
        STOREU(d + n - 2 * WIDTH, h);
        STOREU(d + n - WIDTH, i);
        return opaque(to);
    }
    // Forwards unless the destination begins inside the source.
    if (LIKELY((uintptr_t)d - (uintptr_t)s >= n)) {
#if WIDTH > 16
        const int apart_for_good = (uintptr_t)s - (uintptr_t)d >= n;
        if (n >= REP_FROM && n < STREAM_FROM && apart_for_good) {
            if (UNLIKELY(((uintptr_t)d - (uintptr_t)s) % PAGE - 1 < REP_BESIDE)) goto backwards;
            __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n)::"memory");
            return opaque(to);
        }
#endif
        const vec head = LOADU(s);
        const vec a = LOADU(s + n - 4 * WIDTH), b = LOADU(s + n - 3 * WIDTH), c = LOADU(s + n - 2 * WIDTH), e = LOADU(s + n - WIDTH);
        char *const last = d + n - 4 * WIDTH;
        const ptrdiff_t apart = s - d;
        char *p = DOWN(d, WIDTH) + WIDTH;
#if WIDTH > 16
        if (UNLIKELY(n >= STREAM_FROM && apart_for_good)) {
            do {
                for (int k = 0; k < 4 * WIDTH; k += 64) _mm_prefetch(p + apart + 2048 + k, _MM_HINT_T0);
                const vec f = LOADU(p + apart), g = LOADU(p + apart + WIDTH), h = LOADU(p + apart + 2 * WIDTH), i = LOADU(p + apart + 3 * WIDTH);
                STREAM(p, f);
                STREAM(p + WIDTH, g);
                STREAM(p + 2 * WIDTH, h);
                STREAM(p + 3 * WIDTH, i);
                p += 4 * WIDTH;
            } while (p < last);
            _mm_sfence();
        } else
#endif
            do {
                const vec f = LOADU(p + apart), g = LOADU(p + apart + WIDTH), h = LOADU(p + apart + 2 * WIDTH), i = LOADU(p + apart + 3 * WIDTH);
                STORE(p, f);
                STORE(p + WIDTH, g);
                STORE(p + 2 * WIDTH, h);
                STORE(p + 3 * WIDTH, i);
                p += 4 * WIDTH;
            } while (p < last);
        STOREU(last, a);
        STOREU(last + WIDTH, b);
        STOREU(last + 2 * WIDTH, c);
        STOREU(last + 3 * WIDTH, e);
        STOREU(d, head);
        return opaque(to);
    }
#if WIDTH > 16
backwards:;
#endif
    const vec a = LOADU(s), b = LOADU(s + WIDTH), c = LOADU(s + 2 * WIDTH), e = LOADU(s + 3 * WIDTH);
    const vec tail = LOADU(s + n - WIDTH);
    const ptrdiff_t apart = s - d;
    char *p = DOWN(d + n - 1, WIDTH);
    do {
        p -= 4 * WIDTH;
        const vec f = LOADU(p + apart), g = LOADU(p + apart + WIDTH), h = LOADU(p + apart + 2 * WIDTH), i = LOADU(p + apart + 3 * WIDTH);
        STORE(p, f);
        STORE(p + WIDTH, g);
        STORE(p + 2 * WIDTH, h);
        STORE(p + 3 * WIDTH, i);
    } while (p > d + 4 * WIDTH);
    STOREU(d, a);
    STOREU(d + WIDTH, b);
    STOREU(d + 2 * WIDTH, c);
    STOREU(d + 3 * WIDTH, e);
    STOREU(d + n - WIDTH, tail);
    return opaque(to);
}
#endif

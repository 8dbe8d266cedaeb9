// memmem, which strstr uses: it searches a vector at a time for two bytes of the part, and compares the rest where both
// are found.  If this happens too often without a match, it looks for eight bytes, and then continues with Two-Way, so that
// the time stays linear.
#ifndef WIDTH
#define SOURCE "memmem.c"
#include "memory.h"
#include "../generic/two-way.h"

#include "levels.h"

FIRST(void *, first, search, (const byte *text, size_t length, const byte *part, size_t size), text, length, part, size)

HIDDEN void *brawn_memmem(const void *text, size_t length, const void *part, size_t size) {
    if (UNLIKELY(size > length)) return NULL;
    if (UNLIKELY(size < 2)) return size ? brawn_memchr(text, *(const byte *)part, length) : (void *)text;
    DISPATCH(search, first, (const byte *)text, length, (const byte *)part, size);
}
NAME(memmem, brawn_memmem)

#else
// With AVX-512, too, so that the code is there once; SSE2 has nothing between the two bytes and Two-Way.
#if WIDTH == 16
#define OFTEN two_way
#elif WIDTH == 32
#define PROBED(p) LOADU(p)
#define FOLDED(c) (c)
#define FOLDS(c) 0
#define IS_THERE(p, part, size) (!brawn_memcmp(p, part, size))
#define ONE_EACH ALL
#define TWO_WAY two_way
#include "../generic/probes.h"
#undef OFTEN
#define OFTEN probed_avx2
#endif

#undef FILL_FROM
// In one step, and without a register for the byte.
#if WIDTH == 32
#define FILL_FROM(x, byte) __asm__("vpbroadcastb %1, %0" : "=x"(x) : "m"(byte))
#elif defined IN_REGISTER
#define FILL_FROM(x, byte) __asm__("vpbroadcastb %1, %0" : "=v"(x) : "m"(byte))
#else
#define FILL_FROM(x, byte) x = FILL(byte)
#endif

TARGET static void *AT(search)(const byte *text, size_t length, const byte *part, size_t size) {
    // The last byte, and the nearest one before it that differs from it: two equal bytes would match more often by
    // chance.
    const size_t late = size - 1;
    size_t early = late - 1;
    while (early && part[early] == part[late]) early--;
    vec x = FILL(part[early]), y = FILL(part[late]);
    const size_t places = length - size + 1;
    size_t budget = 256;
    for (size_t at = 0; at < places; at += WIDTH) {
        if (at) LOOK_UP(at, brawn_memmem(text + at, length - at, part, size));
        const byte *p = text + at + early, *q = text + at + late;
        size_t back;
        bits m;
        if (LIKELY(places - at >= WIDTH || (FITS(p) && FITS(q)))) m = EQ(LOADU(p), x) & EQ(LOADU(q), y);
        // Few processors have only SSE2, so its size matters more than its speed.
        else if (back = WIDTH - (places - at), WIDTH > 16 && (places >= WIDTH || (FITS(p - back) && FITS(q - back)))) {
            // The vector that ends with the last place; some of its bytes are looked at twice, or come before the text.
            m = (EQ(LOADU(p - back), x) & EQ(LOADU(q - back), y)) >> back;
        } else {
            m = 0;
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
            for (size_t i = 0; i < places - at; i++) m |= (bits)(p[i] == part[early] && q[i] == part[late]) << i;
        }
        budget += WIDTH;
        for (; m; m &= m - 1) {
            const size_t found = at + CTZ(m);
            if (found >= places) break;
            if (size == 2 || !brawn_memcmp(text + found, part, size)) return (void *)(text + found);
            // The cost of a comparison is counted in bytes. It is not known how many bytes it compared, so the largest
            // possible number is counted.
            const size_t cost = 16 + size / 8;
#if WIDTH > 16
            // Made anew, they are not kept on the stack over a call, where they may lie on two cache lines: a load of them then waits.
            FILL_FROM(x, part[early]);
            FILL_FROM(y, part[late]);
#endif
            if (UNLIKELY(budget < cost)) return OFTEN(text + found + 1, length - found - 1, part, size);
            budget -= cost;
        }
    }
    return NULL;
}
#endif

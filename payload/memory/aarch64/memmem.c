// memmem, which strstr uses: two bytes of the part are looked for a vector at once, and where both are the rest is
// compared.  Text that keeps promising and does not deliver is searched by Two-Way, so that the time stays linear.
#include "../generic/two-way.h"
#include "vector.h"

static void *search(const byte *text, size_t length, const byte *part, size_t size) {
    // The last byte, and the one before it that differs from it: equal neighbours say little.
    const size_t late = size - 1;
    size_t early = late - 1;
    while (early && part[early] == part[late]) early--;
    const vec x = FILL(part[early]), y = FILL(part[late]);
    const size_t places = length - size + 1;
    size_t budget = 256;
#define BOTH(p, q) HITS(AND(SAME(LOAD(p), x), SAME(LOAD(q), y)))
    for (size_t at = 0;; at += WIDTH) {
        const size_t from = at;
        bits m = 0;
        for (; LIKELY(places >= at + WIDTH); at += WIDTH) {
            m = BOTH(text + at + early, text + at + late);
            if (m) break;
        }
        // Else compilers count in this loop whatever is needed of `at` after it.
        __asm__("" : "+r"(at));
        budget += at - from + WIDTH;
        if (!m) {
            if (at >= places) return NULL;
            const byte *p = text + at + early, *q = text + at + late;
            if (FITS(p) && FITS(q)) m = BOTH(p, q);
            else if (places >= WIDTH) {
                // The last vector: again some that have been seen.
                const size_t back = WIDTH - (places - at);
                m = SKIP(BOTH(p - back, q - back), back);
            } else {
                for (size_t i = 0; i < places - at; i++) m |= (bits)(p[i] == part[early] && q[i] == part[late]) << (4 * i);
            }
        }
        for (m &= EACH; m; m &= m - 1) {
            const size_t found = at + CTZ(m);
            if (found >= places) break;
            if (size == 2 || !brawn_memcmp(text + found, part, size)) return (void *)(text + found);
            // A comparison costs some bytes, and how many it went through is not known: the worst is counted.
            const size_t cost = 16 + size / 8;
            if (UNLIKELY(budget < cost)) return two_way(text + found + 1, length - found - 1, part, size);
            budget -= cost;
        }
    }
}

HIDDEN void *brawn_memmem(const void *text, size_t length, const void *part, size_t size) {
    if (UNLIKELY(size > length)) return NULL;
    if (UNLIKELY(size < 2)) return size ? brawn_memchr(text, *(const byte *)part, length) : (void *)text;
    return search(text, length, part, size);
}
NAME(memmem, brawn_memmem)

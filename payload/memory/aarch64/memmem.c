// memmem, which strstr uses: it searches a vector at a time for two bytes of the part, and compares the rest where both
// are found.  If this happens too often without a match, it looks for eight bytes, and then continues with Two-Way, so that
// the time stays linear.
#include "../generic/two-way.h"
#include "vector.h"

#define TARGET
#define AT(name) name
#define PROBED(p) LOAD(p)
#define FOLDED(c) (c)
#define FOLDS(c) 0
#define IS_THERE(p, part, size) (!brawn_memcmp(p, part, size))
#define ONE_EACH EACH
#define TWO_WAY two_way
#include "../generic/probes.h"

static void *search(const byte *text, size_t length, const byte *part, size_t size) {
    // The last byte, and the nearest one before it that differs from it: two equal bytes would match more often by
    // chance.
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
        // Without this, compilers compute other values from `at` in this loop that are only needed after it.
        __asm__("" : "+r"(at));
        budget += at - from + WIDTH;
        if (!m) {
            if (at >= places) return NULL;
            const byte *p = text + at + early, *q = text + at + late;
            if (FITS(p) && FITS(q)) m = BOTH(p, q);
            else if (places >= WIDTH) {
                // The last vector; some of its bytes are looked at twice.
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
            // The cost of a comparison is counted in bytes. It is not known how many bytes it compared, so the largest
            // possible number is counted.
            const size_t cost = 16 + size / 8;
            if (UNLIKELY(budget < cost)) return probed(text + found + 1, length - found - 1, part, size);
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

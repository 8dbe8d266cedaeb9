// The heaps of smoothsort: an array is a row of them, each smaller than the one to its left.  One of rank r has Leonardo's number of r
// elements, the last of which is its top; in front of the top is a heap of rank r - 2, and before that one of rank r - 1.
#pragma once
#include "sort.h"

// More ranks than an array has whose size fits into 64 bits.
enum { DEEPEST = 96 };

// `rank` is the last heap's.  Bit i of `which` says whether there is one of rank + i; bit 0 is the last one's.  64 bits are for
// 34 * 10^12 elements: as many as musl's can sort, which is one bit short of its two words.
typedef struct {
    uint64_t which;
    unsigned rank;
} heaps;

INLINE void heap_sizes(size_t *sizes, size_t n) {
    sizes[0] = sizes[1] = 1;
    for (unsigned r = 2; r < DEEPEST; r++) {
        sizes[r] = sizes[r - 1] + sizes[r - 2] + 1;
        if (sizes[r] >= n) break;
    }
}

// From the last heap to the one to its left.
INLINE void next_heap(heaps *h) {
    const unsigned apart = __builtin_ctzll(h->which - 1);
    h->which >>= apart;
    h->rank += apart;
}

// Element after element joins the row: as the top of the two last heaps, if their ranks are one apart, or as a heap of its own.
// Then, from the end, each top is in its place, and its two heaps join the row.  What sifts and what trinkles is said of element `i`, with
// the row `h` and whether its heap is `trusted`.
#define SMOOTHLY(n, sizes, SIFT, TRINKLE)                                                                 \
    do {                                                                                                  \
        heaps h = {1, 1};                                                                                 \
        int trusted = 0;                                                                                  \
        size_t i = 0;                                                                                     \
        for (; i < (n) - 1; i++) {                                                                        \
            if ((h.which & 3) == 3) {                                                                     \
                SIFT;                                                                                     \
                h.which >>= 2;                                                                            \
                h.rank += 2;                                                                              \
            } else {                                                                                      \
                /* Where the heap stays as it is until the end, its top has to be the greatest so far. */ \
                if ((sizes)[h.rank - 1] >= (n) - 1 - i) TRINKLE;                                          \
                else SIFT;                                                                                \
                const unsigned down = h.rank == 1 ? 1 : h.rank - 1;                                       \
                h.which <<= down;                                                                         \
                h.rank -= down;                                                                           \
            }                                                                                             \
            h.which |= 1;                                                                                 \
        }                                                                                                 \
        TRINKLE;                                                                                          \
        const size_t last = i;                                                                            \
        trusted = 1;                                                                                      \
        for (size_t end = last; h.rank != 1 || h.which != 1; end--) {                                     \
            if (h.rank <= 1) {                                                                            \
                next_heap(&h);                                                                            \
                continue;                                                                                 \
            }                                                                                             \
            h.rank -= 2;                                                                                  \
            h.which = (h.which << 2 ^ 7) >> 1;                                                            \
            h.rank++;                                                                                     \
            i = end - 1 - (sizes)[h.rank - 1];                                                            \
            TRINKLE;                                                                                      \
            h.rank--;                                                                                     \
            h.which = h.which << 1 | 1;                                                                   \
            i = end - 1;                                                                                  \
            TRINKLE;                                                                                      \
        }                                                                                                 \
    } while (0)

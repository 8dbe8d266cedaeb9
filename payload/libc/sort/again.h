// musl's steps once more, with ranks in the place of elements.
#pragma once
#include "heaps.h"

// A heap of so many ranks is not all in the cache next to the processor.
enum { NEAR = 2048 };

// What is sorted again; what the comparison says of equal elements is "not less", "not greater", or both.
typedef struct {
    ranked *a;
    ranked equal_not_less, equal_not_greater;
    size_t sizes[DEEPEST];
} replay;

INLINE int not_less(const replay *r, ranked x, ranked y) {
    return (x >> 32) + r->equal_not_less > y >> 32;
}
INLINE int not_greater(const replay *r, ranked x, ranked y) {
    return x >> 32 < (y >> 32) + r->equal_not_greater;
}

// Each step waits for the one before, so there are few instructions between two of them, and what is next on either side is asked for
// before it is known which one it is.
INLINE void sift_again(const replay *r, size_t top, unsigned rank, ranked moved) {
    ranked *const a = r->a;
    if (rank > 1) {
        // The sizes of its two heaps; below rank 2, one of them is -1.
        size_t left_size = r->sizes[rank - 1], right_size = r->sizes[rank - 2];
        do {
            const size_t right = top - 1, left = right - right_size, next = left_size - right_size - 1;
            if (left_size > NEAR) {
                __builtin_prefetch(a + left - 1 - next);
                __builtin_prefetch(a + left + next);
            }
            const ranked x = a[left], y = a[right];
            const int is_left = not_less(r, x, y);
            const ranked z = is_left ? x : y;
            if (not_less(r, moved, z)) break;
            a[top] = z;
            top = is_left ? left : right;
            left_size = is_left ? right_size : next;
            right_size = is_left ? next : right_size - next - 1;
        } while ((ptrdiff_t)(left_size | right_size) > 0);
    }
    a[top] = moved;
}

static __attribute__((noinline)) void trinkle_again(const replay *r, size_t top, uint64_t which, unsigned rank, int trusted) {
    heaps h = {which, rank};
    ranked *const a = r->a;
    const ranked moved = a[top];
    while (h.which != 1) {
        const size_t next = top - r->sizes[h.rank];
        const ranked x = a[next];
        if (not_greater(r, x, moved)) break;
        if (!trusted && h.rank > 1) {
            const size_t right = top - 1, left = right - r->sizes[h.rank - 2];
            if (not_less(r, a[right], x) | not_less(r, a[left], x)) break;
        }
        a[top] = x;
        top = next;
        next_heap(&h);
        trusted = 0;
    }
    if (!trusted) sift_again(r, top, h.rank, moved);
}

// Most tops are in their places.
INLINE void try_again(const replay *r, size_t top, heaps h, int trusted) {
    if (trusted && (h.which == 1 || not_greater(r, r->a[top - r->sizes[h.rank]], r->a[top]))) return;
    trinkle_again(r, top, h.which, h.rank, trusted);
}

static __attribute__((noinline)) void smooth_again(ranked *a, size_t n, int kind) {
    replay r;
    r.a = a;
    r.equal_not_less = kind >= 0;
    r.equal_not_greater = kind <= 0;
    heap_sizes(r.sizes, n);
    SMOOTHLY(n, r.sizes, sift_again(&r, i, h.rank, a[i]), try_again(&r, i, h, trusted));
}

// What qsort and qsort_r are made of.  A large array is partitioned, as quicksort does it, until its parts are small; small parts
// are merged in a room of 2 KiB on the stack.  Nothing is allocated.
//
// Most of the time goes to the calls of the comparison, and to branches on what it says, which the processor predicts wrongly
// every other time.  So there are few comparisons (about n log2 n), and nothing branches on one: its answer is added to an index,
// or selects an address.  The ideas are published: partitioning by blocks (Edelkamp and Weiss, BlockQuicksort, 2016), merging
// from both ends (van den Hoven, quadsort), recursive medians of three, equal elements told by the one to the left (Peters,
// pattern-defeating quicksort, 2021), and heap sort when partitions stay bad (Musser, Introspective sorting, 1997).
//
// What callers can rely on, as with musl's:
// - Whenever the comparison is called, the array has all of its elements: a comparison may leave by longjmp.
// - A comparison that contradicts itself gives any order, but no element is lost, and nothing outside is touched.
// - O(n log n) comparisons at worst.
// Only "greater" is ever asked, so that comparisons which return no negative number sort, too.
#pragma once
#include "../libc.h"

typedef int order(const void *, const void *, void *);

enum {
    ROOM = 2048,
    BLOCK = 128,
    RUN_FROM = 16,
};

#define AFTER(a, b) (f((a), (b), context) > 0)

// Element types: as wide as said, aligned as anything.
typedef any32 element4;
typedef any64 element8;

typedef uint64_t __attribute__((vector_size(16), may_alias, aligned(1))) any128;

// What lies at a and b, of any size, changes places.
static __attribute__((noinline)) void swap(char *a, char *b, size_t size) {
    size_t i = 0;
    for (; size - i >= 16; i += 16) {
        const any128 x = *(any128 *)(a + i), y = *(any128 *)(b + i);
        *(any128 *)(a + i) = y;
        *(any128 *)(b + i) = x;
    }
    for (; size - i >= 4; i += 4) {
        const uint32_t x = GET32(a + i), y = GET32(b + i);
        PUT32(a + i, y);
        PUT32(b + i, x);
    }
    for (; i < size; i++) {
        const char x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

INLINE void swap_4(char *a, char *b) {
    const uint32_t x = GET32(a), y = GET32(b);
    PUT32(a, y);
    PUT32(b, x);
}

INLINE void swap_8(char *a, char *b) {
    const uint64_t x = GET64(a), y = GET64(b);
    PUT64(a, y);
    PUT64(b, x);
}

// The `left` bytes at a and the `right` ones behind them change places (Gries and Mills, Swapping sections, 1981).
static void rotate(char *a, size_t left, size_t right) {
    char *const middle = a + left;
    while (left != right) {
        if (left > right) {
            swap(middle - left, middle, right);
            left -= right;
        } else {
            swap(middle - left, middle + right - left, left);
            right -= left;
        }
    }
    swap(middle - left, middle, left);
}

// Merges the first `half` elements with those behind them, in place (Kim and Kutzner, Stable minimum storage merging by symmetric
// comparisons, 2004).  O(m log(n/m)) comparisons for m elements behind; the stack grows with log n.
static void merge_in_place(char *a, size_t half, size_t n, size_t size, order *f, void *context) {
    while (half && half < n) {
        const size_t middle = n / 2, sum = middle + half;
        size_t start = half > middle ? sum - n : 0, end = half > middle ? middle : half;
        while (start < end) {
            const size_t c = (start + end) / 2;
            if (AFTER(a + c * size, a + (sum - 1 - c) * size)) end = c;
            else start = c + 1;
        }
        end = sum - start;
        if (start < half && half < end) rotate(a + start * size, (half - start) * size, (end - half) * size);
        merge_in_place(a, start, middle, size, f, context);
        a += middle * size;
        n -= middle;
        half = end - middle;
    }
}

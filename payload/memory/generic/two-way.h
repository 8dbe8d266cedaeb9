// A search in linear time (Crochemore and Perrin, "Two-way string-matching", 1991), for data on which a quick search takes too
// long.  Where the last byte of a place is not the part's, the part moves to where it has that byte (R. N. Horspool, "Practical
// fast searching in strings", 1980).
#pragma once
#include "memory.h"

typedef unsigned char byte;
// What is searched in: bytes, or what a file names before it includes this.
#ifndef UNIT
#define UNIT byte
#endif
// What a unit is compared as.
typedef UNIT (*Folded)(UNIT);

INLINE UNIT as_it_is(UNIT c) {
    return c;
}

// Most units that are the same are so as they are.
INLINE int is_same(UNIT a, UNIT b, Folded folded) {
    return a == b || folded(a) == folded(b);
}

// The start of the largest suffix in the order of units, or in the opposite one, and its period.
INLINE size_t largest_suffix(const UNIT *part, size_t size, int opposite, size_t *period, Folded folded) {
    size_t start = 0, rival = 1, same = 0, step = 1;
    while (rival + same < size) {
        const UNIT mine = folded(part[start + same]), other = folded(part[rival + same]);
        if (mine == other) {
            if (++same == step) rival += step, same = 0;
        } else if ((other < mine) != opposite) {
            rival += same + 1;
            same = 0;
            step = rival - start;
        } else {
            start = rival++;
            same = 0;
            step = 1;
        }
    }
    *period = step;
    return start;
}

INLINE void *two_way_folded(const UNIT *text, size_t length, const UNIT *part, size_t size, Folded folded) {
    if (length < size) return NULL;
    size_t cut = 0, period = 1;
    for (int opposite = 0; opposite < 2; opposite++) {
        size_t other_period;
        const size_t other_cut = largest_suffix(part, size, opposite, &other_period, folded);
        if (!opposite || other_cut > cut) cut = other_cut, period = other_period;
    }
    // Where the whole part repeats with that period, what has matched before a shift need not be compared again.
    int repeats = cut + period <= size;
    for (size_t i = 0; repeats && i < cut; i++) repeats = is_same(part[i], part[i + period], folded);
    const size_t once = period;
    if (!repeats) period = (cut > size - cut ? cut : size - cut) + 1;
    // How far a unit's last place is from the end, or 255; of larger ones, by their last byte.  A thread's stack may be small.
    byte skips[256];
    brawn_memset(skips, size < 255 ? (int)size : 255, sizeof skips);
    for (size_t i = size < 255 ? 0 : size - 255; i < size; i++) skips[(byte)folded(part[i])] = (byte)(size - 1 - i);
    // Each step waits for the one before, and so for as little as there can be.
    for (unsigned c = 0; c < sizeof skips; c++) {
        if ((byte)folded((UNIT)c) != c) skips[c] = skips[(byte)folded((UNIT)c)];
    }
    size_t known = 0;
    for (size_t at = 0; at <= length - size;) {
        size_t skip = skips[(byte)text[at + size - 1]];
        if (skip) {
            // What is known repeats with the period, and so does the part: it cannot fit until they hardly overlap.
            if (known > once && skip < known - once + 1) skip = known - once + 1;
            at += skip;
            known = 0;
            continue;
        }
        size_t i = cut > known ? cut : known;
        while (i < size && is_same(part[i], text[at + i], folded)) i++;
        if (i < size) {
            at += i - cut + 1;
            known = 0;
            continue;
        }
        i = cut;
        while (i > known && is_same(part[i - 1], text[at + i - 1], folded)) i--;
        if (i <= known) return (void *)(uintptr_t)(text + at);
        at += period;
        known = repeats ? size - period : 0;
    }
    return NULL;
}

static COLD void *two_way(const UNIT *text, size_t length, const UNIT *part, size_t size) {
    return two_way_folded(text, length, part, size, as_it_is);
}

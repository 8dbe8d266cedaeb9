// A search in linear time (Crochemore and Perrin, 1991), for data on which memmem's quick search takes too long.
#pragma once
#include "memory.h"

typedef unsigned char byte;

// The start of the largest suffix in the order of bytes, or in the opposite one, and its period.
static size_t largest_suffix(const byte *part, size_t size, int opposite, size_t *period) {
    size_t start = 0, rival = 1, same = 0, step = 1;
    while (rival + same < size) {
        const byte mine = part[start + same], other = part[rival + same];
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

static COLD void *two_way(const byte *text, size_t length, const byte *part, size_t size) {
    if (length < size) return NULL;
    size_t period, other_period;
    size_t cut = largest_suffix(part, size, 0, &period);
    const size_t other_cut = largest_suffix(part, size, 1, &other_period);
    if (other_cut > cut) cut = other_cut, period = other_period;
    // Where the whole part repeats with that period, what has matched before a shift need not be compared again.
    int repeats = cut + period <= size && !brawn_memcmp(part, part + period, cut);
    if (!repeats) period = (cut > size - cut ? cut : size - cut) + 1;
    size_t known = 0;
    for (size_t at = 0; at <= length - size;) {
        size_t i = cut > known ? cut : known;
        while (i < size && part[i] == text[at + i]) i++;
        if (i < size) {
            at += i - cut + 1;
            known = 0;
            continue;
        }
        i = cut;
        while (i > known && part[i - 1] == text[at + i - 1]) i--;
        if (i <= known) return (void *)(text + at);
        at += period;
        known = repeats ? size - period : 0;
    }
    return NULL;
}

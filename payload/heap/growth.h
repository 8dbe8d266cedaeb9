// What a thread learns from blocks that grow: growth.c.
#ifndef BRAWN_GROWTH_H
#define BRAWN_GROWTH_H

typedef struct {
    void *last;  // the last block that had to move since it grew
    size_t to, before;  // for how many bytes it was asked then and later; and how far the one before it grew
    void *large;  // the last block that grew in a mapping
    size_t from;  // how large a span was from which a block was moved early to such a mapping
#if !BRAWN_LARGE_TIGHT
    void *early;  // the last block that got such a mapping early, while it is not known whether it grows as far
    size_t early_size, least;  // for how many bytes; and how many a block needs at least to get one
#endif
} brawn_growth_t;

#endif

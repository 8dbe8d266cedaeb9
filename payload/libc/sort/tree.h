// musl's trees of tsearch: AVL trees, whose nodes others of musl's functions walk (musl 1.2.2 to 1.2.6,
// src/search/tsearch.h).
#pragma once
#include "../libc.h"

typedef struct node node;
struct node {
    const void *key;
    node *side[2];
    int height;
};
_Static_assert(offsetof(node, side) == 8 && offsetof(node, height) == 24 && sizeof(node) == 32, "musl's struct node");

// More than a tree in 64 bits of addresses can be high: 1.44 * 64.
enum { HIGHEST = 96 };

typedef int Compare(const void *, const void *);

INLINE int height_of(const node *n) {
    return n ? n->height : 0;
}

HIDDEN int brawn_tree_turn(node **at, node *top, int deep);

// Makes the two sides of what is at `at` differ by one at most; 0 if it is as high as before.
INLINE int balance(node **at) {
    node *const n = *at;
    const int left = height_of(n->side[0]), right = height_of(n->side[1]);
    if (UNLIKELY((unsigned)(left - right + 1) >= 3)) return brawn_tree_turn(at, n, left < right);
    const int height = (left < right ? right : left) + 1, before = n->height;
    n->height = height;
    return height - before;
}

// The side on which a key lies that is not `n`'s.  By a branch: the processor goes on by its guess while the comparison, which takes
// longer than all else here, is not done yet.
INLINE node **side_of(node *n, int order) {
    node **at = &n->side[0];
    if (order > 0) {
        at = &n->side[1];
        // Else the compiler makes an addition of it.
        __asm__("" : "+r"(at));
    }
    return at;
}

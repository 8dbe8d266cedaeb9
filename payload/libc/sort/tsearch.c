// tsearch, and how its tree is kept balanced.
#include "tree.h"

void *malloc(size_t n);

// `top` is two deeper on its side `deep`.  The middle one of the three becomes the top.
HIDDEN int brawn_tree_turn(node **at, node *top, int deep) {
    node *const lower = top->side[deep], *const inner = lower->side[!deep];
    const int before = top->height, inner_height = height_of(inner);
    node *result;
    if (inner_height > height_of(lower->side[deep])) {
        top->side[deep] = inner->side[!deep];
        lower->side[!deep] = inner->side[deep];
        inner->side[!deep] = top;
        inner->side[deep] = lower;
        top->height = lower->height = inner_height;
        inner->height = inner_height + 1;
        result = inner;
    } else {
        top->side[deep] = inner;
        lower->side[!deep] = top;
        top->height = inner_height + 1;
        lower->height = inner_height + 2;
        result = lower;
    }
    *at = result;
    return result->height - before;
}

HIDDEN int brawn___tsearch_balance(node **at) {
    return balance(at);
}
NAME(__tsearch_balance, brawn___tsearch_balance)

HIDDEN void *brawn_tsearch(const void *key, void **root, Compare *compare) {
    if (!root) return NULL;
    node **way[HIGHEST], **at = (node **)root;
    int depth = 0;
    for (node *n; (n = *at);) {
        const int order = compare(key, n->key);
        if (!order) return n;
        way[depth++] = at;
        at = side_of(n, order);
    }
    node *const leaf = malloc(sizeof *leaf);
    if (!leaf) return NULL;
    *leaf = (node){key, {NULL, NULL}, 1};
    *at = leaf;
    while (depth && balance(way[--depth])) {
    }
    return leaf;
}
NAME(tsearch, brawn_tsearch)

// tdelete.
#include "tree.h"

void free(void *p);

HIDDEN void *brawn_tdelete(const void *restrict key, void **restrict root, Compare *compare) {
    if (!root) return NULL;
    // What is above the root is none, but not NULL.
    node **way[HIGHEST + 1], **at = (node **)root, *n;
    way[0] = at;
    int depth = 1;
    for (;;) {
        n = *at;
        if (!n) return NULL;
        const int order = compare(key, n->key);
        if (!order) break;
        way[depth++] = at;
        at = side_of(n, order);
    }
    node *const above = *way[depth - 1];
    if (n->side[0]) {
        // The one before it takes its place.
        node *const emptied = n;
        way[depth++] = at;
        at = &n->side[0];
        while (n = *at, n->side[1]) {
            way[depth++] = at;
            at = &n->side[1];
        }
        emptied->key = n->key;
        *at = n->side[0];
    } else {
        *at = n->side[1];
    }
    free(n);
    while (--depth && balance(way[depth])) {
    }
    return above;
}
NAME(tdelete, brawn_tdelete)

// Smoothsort as musl does it, on the array: the same comparisons in the same order, and the same moves (musl 1.2.2 to 1.2.6,
// src/stdlib/qsort.c; Dijkstra, EWD796a).
#pragma once
#include "heaps.h"

// The element at path[0] goes to where the last of the path is, and each other one to where the one before it is.
static void rotate(const task *t, char **path, size_t steps) {
    char piece[256];
    if (steps < 2) return;
    for (size_t offset = 0; offset < t->size; offset += sizeof piece) {
        const size_t left = t->size - offset, part = left < sizeof piece ? left : sizeof piece;
        brawn_memcpy(piece, path[0] + offset, part);
        for (size_t i = 1; i < steps; i++) brawn_memcpy(path[i - 1] + offset, path[i] + offset, part);
        brawn_memcpy(path[steps - 1] + offset, piece, part);
    }
}

// The heap of this rank at `top` is one but for its top, which goes down.
static void sift(const task *t, const size_t *sizes, char *top, unsigned rank) {
    char *path[DEEPEST];
    size_t steps = 1;
    path[0] = top;
    while (rank > 1) {
        char *const right = top - t->size, *const left = right - sizes[rank - 2] * t->size;
        if (t->f(path[0], left, t->context) >= 0 && t->f(path[0], right, t->context) >= 0) break;
        const int is_left = t->f(left, right, t->context) >= 0;
        top = is_left ? left : right;
        rank -= is_left ? 1 : 2;
        path[steps++] = top;
    }
    rotate(t, path, steps);
}

// The top of the last heap goes to the left along the tops of the others, and there down.  `trusted`: it is not less than what is
// below it.
static void trinkle(const task *t, const size_t *sizes, char *top, heaps h, int trusted) {
    char *path[DEEPEST];
    size_t steps = 1;
    path[0] = top;
    while (h.which != 1) {
        char *const next = top - sizes[h.rank] * t->size;
        if (t->f(next, path[0], t->context) <= 0) break;
        if (!trusted && h.rank > 1) {
            char *const right = top - t->size, *const left = right - sizes[h.rank - 2] * t->size;
            if (t->f(right, next, t->context) >= 0 || t->f(left, next, t->context) >= 0) break;
        }
        path[steps++] = top = next;
        next_heap(&h);
        trusted = 0;
    }
    if (trusted) return;
    rotate(t, path, steps);
    sift(t, sizes, top, h.rank);
}

static __attribute__((noinline)) void without_room(const task *t) {
    size_t sizes[DEEPEST];
    heap_sizes(sizes, t->n);
    SMOOTHLY(t->n, sizes, sift(t, sizes, AT(t, i), h.rank), trinkle(t, sizes, AT(t, i), h, trusted));
}

// Brings the places of elements into order where many are equal: those that are less than one of them, equal to it and greater are
// told apart by one comparison each, which is all that equal ones ever take.  Merging would ask about each one log2 n times.
#pragma once
#include "rank.h"

enum {
    // Fewer are merged: to find out whether many are equal takes some comparisons.
    FEWEST = 24,
    SAMPLES = 8,
    // Where fewer than one in so many are equal to the one that they are compared with, the rest is merged.
    RARE = 32,
};

// Whether one of some elements is equal to the first, asked from both sides: some comparisons say 0 where one is only less.
static __attribute__((noinline)) int many_equal(const task *t) {
    for (size_t i = 1; i < SAMPLES; i++) {
        const place x = t->places[i * t->n / SAMPLES];
        if (!ask(t, t->places[0], x) && !ask(t, x, t->places[0])) return 1;
    }
    return 0;
}

// Which one of three is the one in the middle.
static __attribute__((noinline)) size_t middle_of(const task *t, const place *a, size_t x, size_t y, size_t z) {
    const int xy = ask(t, a[x], a[y]) > 0, xz = ask(t, a[x], a[z]) > 0;
    if (xy != xz) return x;
    return (ask(t, a[y], a[z]) > 0) == xy ? y : z;
}

// Where the next ones go: equal ones and, from its end, greater ones wait in the room.
typedef struct {
    place *less, *equal, *greater;
} parts;

INLINE void add(parts *to, place x, int less, int greater) {
    *to->less = *to->equal = *to->greater = x;
    to->less += less;
    to->equal += !(less | greater);
    to->greater -= greater;
}

// By the one at a[pivot].  Each part keeps its order.  How many are less, and how many are equal.
static __attribute__((noinline)) void part_in_three(const task *t, place *a, size_t n, size_t pivot, place *room, size_t *less, size_t *equal) {
    const place one = a[pivot];
    parts to = {a, room, room + n - 1};
    size_t i = 0;
    for (; i < pivot; i++) {
        const int said = ask(t, a[i], one);
        add(&to, a[i], said < 0, said > 0);
    }
    add(&to, one, 0, 0);
    for (i++; i < n; i++) {
        const int said = ask(t, one, a[i]);
        add(&to, a[i], said > 0, said < 0);
    }
    *less = to.less - a;
    *equal = to.equal - room;
    brawn_memcpy(to.less, room, *equal * sizeof *a);
    place *at = to.less + *equal;
    for (i = n - 1; at < a + n; i--) *at++ = room[i];
}

// The stack grows with log n: the larger part is sorted here.
static void sort_few(task *t, place *a, size_t n, place *room) {
    while (n >= FEWEST) {
        size_t less, equal;
        part_in_three(t, a, n, middle_of(t, a, 0, n / 2, n - 1), room, &less, &equal);
        place *const greater = a + less + equal;
        const size_t more = n - less - equal;
        if (equal * RARE < n) {
            if (less) sort_part(t, a, less, room, 0);
            if (more) sort_part(t, greater, more, room, 0);
            return;
        }
        const int go_left = less > more;
        if (go_left) sort_few(t, greater, more, room);
        else sort_few(t, a, less, room);
        if (!go_left) a = greater;
        n = go_left ? less : more;
    }
    if (n > 1) sort_part(t, a, n, room, 0);
}

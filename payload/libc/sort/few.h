// Brings the places of elements into order where many are equal: those that are less than the first one, equal to it and greater are
// told apart by one comparison each, which is all that equal ones ever take.  Merging would ask about each one log2 n times.
#pragma once
#include "rank.h"

enum {
    // Fewer are merged: to find out whether many are equal takes some comparisons.
    FEWEST = 24,
    SAMPLES = 8,
    // What is left is merged if not even one in so many was equal to the first.
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

// Each part keeps its order.  How many are less, and how many are equal.
static __attribute__((noinline)) void part_in_three(const task *t, place *a, size_t n, place *room, size_t *less, size_t *equal) {
    const place first = a[0];
    place *l = a, *e = room, *g = room + n - 1;
    *e++ = first;
    for (size_t i = 1; i < n; i++) {
        const place x = a[i];
        const int said = ask(t, first, x);
        *l = *e = *g = x;
        l += said > 0;
        e += !said;
        g -= said < 0;
    }
    *less = l - a;
    *equal = e - room;
    brawn_memcpy(l, room, *equal * sizeof *l);
    l += *equal;
    for (size_t i = n - 1; l < a + n; i--) *l++ = room[i];
}

// The stack grows with log n: the larger part is sorted here.
static void sort_few(task *t, place *a, size_t n, place *room) {
    while (n >= FEWEST) {
        size_t less, equal;
        part_in_three(t, a, n, room, &less, &equal);
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

// Brings the numbers of elements into the order of the elements, equal ones as they stand: every comparison asks what an element is
// to one behind it.
#pragma once
#include "sort.h"

// Whether the element with number *a has to stand behind the one with *b, which is behind it so far.
INLINE int behind(const task *t, const number *a, const number *b, int *all) {
    const int said = ask(t, *a, *b);
    *all |= said;
    return said > 0;
}
#define BEHIND(a, b) behind(t, a, b, &all)

INLINE void sort_2(task *t, number *a) {
    int all = 0;
    const int wrong = BEHIND(a, a + 1);
    const number x = a[wrong], y = a[!wrong];
    a[0] = x;
    a[1] = y;
    t->said |= all;
}

INLINE void sort_3(task *t, number *a) {
    int all = 0;
    const int wrong = BEHIND(a, a + 1);
    const number *const low = a + wrong, *const high = a + !wrong;
    // The third is the last, the first, or between.
    const int not_last = BEHIND(high, a + 2), first = not_last && BEHIND(low, a + 2);
    const number x = *(first ? a + 2 : low), y = *(first ? low : not_last ? a + 2
                                                                          : high),
                 z = *(not_last ? high : a + 2);
    a[0] = x;
    a[1] = y;
    a[2] = z;
    t->said |= all;
}

// Five comparisons.  Whatever they say, the four addresses differ.
INLINE void sort_4(task *t, number *a) {
    int all = 0;
    const int one = BEHIND(a, a + 1), two = BEHIND(a + 2, a + 3);
    const number *const low1 = a + one, *const high1 = a + !one, *const low2 = a + 2 + two, *const high2 = a + 2 + !two;
    const int second = BEHIND(low1, low2), first = BEHIND(high1, high2);
    const number *const least = second ? low2 : low1, *const most = first ? high1 : high2;
    const number *const left = second ? low1 : (first ? low2 : high1), *const right = first ? high2 : (second ? high1 : low2);
    // If both are of one pair, they may have changed places already.
    const int turned = *left > *right;
    const int wrong = turned ^ BEHIND(turned ? right : left, turned ? left : right);
    const number x = *least, y = *(wrong ? right : left), z = *(wrong ? left : right), u = *most;
    a[0] = x;
    a[1] = y;
    a[2] = z;
    a[3] = u;
    t->said |= all;
}

// Merges the first `half` of n numbers with those behind them, from both ends at once, so that the two ends do not wait for each
// other.  As many steps from each end as the shorter side has never leave it, so that no step asks whether one has ended.  A comparison that
// contradicts itself may take a number twice: the numbers then stay as they are.
static __attribute__((noinline)) void merge(task *t, number *a, size_t half, size_t n, number *room) {
    const number *left = a, *right = a + half, *left_last = right - 1, *right_last = a + n - 1;
    number *front = room, *back = room + n - 1;
    int all = 0;
    ptrdiff_t l = half, r = n - half;
    const int in_order = n >= ASK_FROM && !BEHIND(left_last, right);
    for (ptrdiff_t steps; !in_order && (steps = l < r ? l : r) > 0;) {
        for (; steps; steps--) {
            const int take_right = BEHIND(left, right);
            *front++ = *(take_right ? right : left);
            right += take_right;
            left += !take_right;
            const int take_left = BEHIND(left_last, right_last);
            *back-- = *(take_left ? left_last : right_last);
            left_last -= take_left;
            right_last -= !take_left;
        }
        l = left_last + 1 - left;
        r = right_last + 1 - right;
    }
    t->said |= all;
    t->contradicts |= l < 0 || r < 0;
    if (in_order || t->contradicts) return;
    // What is left of one side is in the middle.
    brawn_memcpy(front, l ? left : right, (l + r) * sizeof *left);
    brawn_memcpy(a, room, n * sizeof *a);
}

static void sort_part(task *t, number *a, size_t n, number *room) {
    if (n > 4) {
        sort_part(t, a, n / 2, room);
        sort_part(t, a + n / 2, n - n / 2, room);
        merge(t, a, n / 2, n, room);
    } else if (n == 4) {
        sort_4(t, a);
    } else if (n == 3) {
        sort_3(t, a);
    } else if (n == 2) {
        sort_2(t, a);
    }
}

// How many of the first are in order.  If each is greater than the next, and they are enough for a run, they change places, and are.
static __attribute__((noinline)) size_t run(task *t, number *a, size_t n) {
    int all = 0;
    size_t i = 1;
    while (i < n && !BEHIND(a + i - 1, a + i)) i++;
    if (i == 1 && i < n) {
#ifndef ONLY_GREATER
        // A comparison that only says whether its first is greater, or less, is found out here.
        const int back = ask(t, a[1], a[0]);
        if (!back) t->contradicts = 1;
        all |= back;
#endif
        for (i = 2; i < n && BEHIND(a + i - 1, a + i); i++) {
        }
        for (size_t k = 0; (i >= RUN || i == n) && k < i / 2; k++) {
            const number x = a[k];
            a[k] = a[i - 1 - k];
            a[i - 1 - k] = x;
        }
    }
    t->said |= all;
    return i;
}

// Runs, and parts without runs that are sorted, are merged as in a tree of all n elements in which each stands where its middle is.
// `first`: how many at the beginning are a run; 0 if this is not known.
static __attribute__((noinline)) void sort_numbers(task *t, number *room, size_t first) {
    // Where runs begin that are not merged yet, and how deep in the tree each stands.
    number starts[40];
    unsigned char depths[40];
    unsigned waiting = 0;
    number *const a = t->numbers;
    const size_t n = t->n;
    const uint64_t scale = (((uint64_t)1 << 62) + n - 1) / n;
    size_t start = 0, end = 0;
    for (;;) {
        const size_t next = end;
        size_t length = 0;
        unsigned depth = 0;
        if (next < n) {
            length = !next && first ? first : run(t, a + next, n - next);
            if (length < RUN && length < n - next) {
                length = n - next < PART ? n - next : PART;
                sort_part(t, a + next, length, room);
            }
            if (next) depth = __builtin_clzll((start + next) * scale ^ (next + next + length) * scale);
        }
        // What stands deeper than the place between this one and the next is merged first.
        while (waiting && depths[waiting - 1] >= depth && !t->contradicts) {
            const size_t from = starts[--waiting];
            merge(t, a + from, start - from, end - from, room);
            start = from;
        }
        if (next == n || t->contradicts) return;
        if (next) {
            starts[waiting] = start;
            depths[waiting++] = depth;
        }
        start = next;
        end = next + length;
    }
}

#undef BEHIND

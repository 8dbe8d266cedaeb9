// Brings the places of elements into the order of the elements, equal ones as they stand: every comparison asks what an element is
// to one behind it.
#pragma once
#include "sort.h"

// Nothing foresees what a comparison says: it selects, and no branch depends on it.
#if defined __has_builtin
#if __has_builtin(__builtin_unpredictable)
#define UNPREDICTABLE(x) __builtin_unpredictable(x)
#endif
#endif
#ifndef UNPREDICTABLE
#define UNPREDICTABLE(x) __builtin_expect_with_probability(!!(x), 1, 0.5)
#endif

// Both are computed here, and not where they are needed next, with what they are made of kept until then.
#define NOW(a, b) __asm__("" : "+r"(a), "+r"(b))

// Whether the element at *a has to stand behind the one at *b, which is behind it so far.
INLINE int behind(const task *t, const place *a, const place *b) {
    return UNPREDICTABLE(t->f(*a, *b, t->context) > 0);
}
#define BEHIND(a, b) behind(t, a, b)

INLINE void sort_2(const task *t, const place *a, place *to) {
    const int wrong = BEHIND(a, a + 1);
    const place x = a[wrong], y = a[!wrong];
    to[0] = x;
    to[1] = y;
}

INLINE void sort_3(const task *t, const place *a, place *to) {
    const int wrong = BEHIND(a, a + 1);
    const place *const low = a + wrong, *const high = a + !wrong;
    // The third is the last, the first, or between.
    const int not_last = BEHIND(high, a + 2), first = not_last && BEHIND(low, a + 2);
    const place x = *(first ? a + 2 : low), y = *(first ? low : not_last ? a + 2
                                                                         : high),
                z = *(not_last ? high : a + 2);
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

// Five comparisons.  Whatever they say, the four addresses differ.
INLINE void sort_4(const task *t, const place *a, place *to) {
    const int one = BEHIND(a, a + 1), two = BEHIND(a + 2, a + 3);
    const place *const low1 = a + one, *const high1 = a + !one, *const low2 = a + 2 + two, *const high2 = a + 2 + !two;
    const int second = BEHIND(low1, low2), first = BEHIND(high1, high2);
    const place *const least = second ? low2 : low1, *const most = first ? high1 : high2;
    const place *const left = second ? low1 : (first ? low2 : high1), *const right = first ? high2 : (second ? high1 : low2);
    // If both are of one pair, they may have changed places already.
    const int turned = *left > *right;
    const int wrong = turned ^ BEHIND(turned ? right : left, turned ? left : right);
    const place x = *least, y = *(wrong ? right : left), z = *(wrong ? left : right), u = *most;
    to[0] = x;
    to[1] = y;
    to[2] = z;
    to[3] = u;
}

// Merges the first `half` of n places with those behind them, from both ends at once, so that the two ends do not wait for each
// other.  As many steps from each end as the shorter side has never leave it, so that no step asks whether one has ended.  A comparison that
// contradicts itself may take a place twice: the places then stay as they are.
static __attribute__((noinline)) void merge(task *t, place *a, size_t half, size_t n, place *room) {
    const place *left = a, *right = a + half, *left_last = right - 1, *right_last = a + n - 1;
    place *front = room, *back = room + n - 1;
    ptrdiff_t l = half, r = n - half;
    const int in_order = n >= ASK_FROM && !BEHIND(left_last, right);
    for (ptrdiff_t steps; !in_order && (steps = l < r ? l : r) > 0;) {
        // The last one that is left needs no comparison.
        const ptrdiff_t from_back = steps - (l == r);
        for (ptrdiff_t i = 0; i < from_back; i++) {
            const int take_right = BEHIND(left, right);
            front[i] = *(take_right ? right : left);
            right += take_right;
            left += 1 - take_right;
            NOW(left, right);
            const int take_left = BEHIND(left_last, right_last);
            back[-i] = *(take_left ? left_last : right_last);
            left_last -= take_left;
            right_last -= 1 - take_left;
            NOW(left_last, right_last);
        }
        front += from_back;
        back -= from_back;
        if (l == r) {
            const int take_right = BEHIND(left, right);
            *front++ = *(take_right ? right : left);
            right += take_right;
            left += !take_right;
        }
        l = left_last + 1 - left;
        r = right_last + 1 - right;
    }
    t->contradicts |= l < 0 || r < 0;
    if (in_order || t->contradicts) return;
    // What is left of one side is in the middle.
    brawn_memcpy(front, l ? left : right, (l + r) * sizeof *left);
    brawn_memcpy(a, room, n * sizeof *a);
}

// The same for halves, of which the second may have one more; the result is at `to`.
static __attribute__((noinline)) void merge_halves(task *t, const place *a, size_t n, place *to) {
    const size_t half = n / 2;
    const place *left = a, *right = a + half, *left_last = right - 1, *right_last = a + n - 1;
    place *const end = to + n - 1;
    if (n >= ASK_FROM && !BEHIND(left_last, right)) {
        brawn_memcpy(to, a, n * sizeof *a);
        return;
    }
    size_t i = 0;
    for (; i < n - 1 - half; i++) {
        const int take_right = BEHIND(left, right);
        to[i] = *(take_right ? right : left);
        right += take_right;
        left += 1 - take_right;
        NOW(left, right);
        const int take_left = BEHIND(left_last, right_last);
        *(end - i) = *(take_left ? left_last : right_last);
        left_last -= take_left;
        right_last -= 1 - take_left;
        NOW(left_last, right_last);
    }
    if (i < half) {
        const int take_right = BEHIND(left, right);
        to[i++] = *(take_right ? right : left);
        right += take_right;
        left += 1 - take_right;
    }
    // The last one needs no comparison.
    to[i] = *(left <= left_last ? left : right);
    t->contradicts |= (size_t)(left_last + 1 - left) > 1;
}

// Sorts n places at `a`, to there or to `room`.
static void sort_part(task *t, place *a, size_t n, place *room, int to_room) {
    place *const to = to_room ? room : a;
    if (n > 4) {
        sort_part(t, a, n / 2, room, !to_room);
        sort_part(t, a + n / 2, n - n / 2, room + n / 2, !to_room);
        merge_halves(t, to_room ? a : room, n, to);
    } else if (n == 4) {
        sort_4(t, a, to);
    } else if (n == 3) {
        sort_3(t, a, to);
    } else if (n == 2) {
        sort_2(t, a, to);
    } else {
        to[0] = a[0];
    }
}

// How many of the first are in order.  If each is greater than the next, and they are enough for a run, they change places, and are.
static __attribute__((noinline)) size_t run(task *t, place *a, size_t n) {
    size_t i = 1;
    while (i < n && !BEHIND(a + i - 1, a + i)) i++;
    if (i == 1 && i < n) {
        for (i = 2; i < n && BEHIND(a + i - 1, a + i); i++) {
        }
        for (size_t k = 0; (i >= RUN || i == n) && k < i / 2; k++) {
            const place x = a[k];
            a[k] = a[i - 1 - k];
            a[i - 1 - k] = x;
        }
    }
    return i;
}

// Runs, and parts without runs that are sorted, are merged as in a tree of all n elements in which each stands where its middle is.
// `first`: how many at the beginning are a run; 0 if this is not known.
static __attribute__((noinline)) void sort_places(task *t, place *room, size_t first) {
    // Where runs begin that are not merged yet, and how deep in the tree each stands.
    size_t starts[40];
    unsigned char depths[40];
    unsigned waiting = 0;
    place *const a = t->places;
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
                sort_part(t, a + next, length, room, 0);
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

// How many of the first differ from the next, where nothing has moved: fewer, if an answer is INT_MIN.  Neighbours in the order have been
// compared, and it was the one in front that was asked for; here the other one is.
static __attribute__((noinline)) size_t differing(const task *t) {
    size_t i = 1;
    for (place a = t->places[0]; i < t->n; i++) {
        const place b = t->places[i];
        const int turned = -UNPREDICTABLE(b < a);
        const int said = ask(t, turned ? a : b, turned ? b : a);
        if (UNLIKELY((said ^ turned) - turned <= 0)) break;
        a = b;
    }
    return i;
}

#undef BEHIND

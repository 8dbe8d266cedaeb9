// Sorts up to ROOM / sizeof(ELEMENT) elements.  Included once for each kind of ELEMENT, with
// AT(name), what a function is called, and
// BEHIND(a, b), whether the element at a has to stand behind the one at b.
#ifndef ELEMENT
#error "ELEMENT, AT and BEHIND say what is sorted"
#endif

INLINE void AT(sort_2)(ELEMENT *a, order *f, void *context) {
    const int wrong = BEHIND(a, a + 1);
    const ELEMENT x = a[wrong], y = a[!wrong];
    a[0] = x;
    a[1] = y;
}

INLINE void AT(sort_3)(ELEMENT *a, order *f, void *context) {
    const int wrong = BEHIND(a, a + 1);
    ELEMENT *const low = a + wrong, *const high = a + !wrong;
    // The third is the last, the first, or between.
    if (!BEHIND(high, a + 2)) {
        const ELEMENT x = *low, y = *high;
        a[0] = x;
        a[1] = y;
        return;
    }
    const int first = BEHIND(low, a + 2);
    const ELEMENT x = *(first ? a + 2 : low), y = *(first ? low : a + 2), z = *high;
    a[0] = x;
    a[1] = y;
    a[2] = z;
}

// Five comparisons.  Whatever they say, the four addresses differ.
INLINE void AT(sort_4)(ELEMENT *a, order *f, void *context) {
    const int one = BEHIND(a, a + 1), two = BEHIND(a + 2, a + 3);
    ELEMENT *const low1 = a + one, *const high1 = a + !one, *const low2 = a + 2 + two, *const high2 = a + 2 + !two;
    const int second = BEHIND(low1, low2), first = BEHIND(high1, high2);
    ELEMENT *const least = second ? low2 : low1, *const most = first ? high1 : high2;
    ELEMENT *const left = second ? low1 : (first ? low2 : high1), *const right = first ? high2 : (second ? high1 : low2);
    const int wrong = BEHIND(left, right);
    const ELEMENT x = *least, y = *(wrong ? right : left), z = *(wrong ? left : right), u = *most;
    a[0] = x;
    a[1] = y;
    a[2] = z;
    a[3] = u;
}

// Merges the sorted halves of a, of which the second may have one more, from both ends at once: as many steps from each end as
// the first has elements never leave either, so that no step asks whether one has ended, and the two ends do not wait for each
// other.  A comparison that contradicts itself may take an element twice: the array then stays as it is.
static __attribute__((noinline)) void AT(merge)(ELEMENT *a, size_t n, ELEMENT *room, order *f, void *context) {
    const size_t half = n / 2, odd = n & 1;
    ELEMENT *left = a, *right = a + half, *left_last = right - 1, *right_last = a + n - 1;
    if (n >= 2 * RUN_FROM && !BEHIND(left_last, right)) return;
    for (size_t i = 0; i < half; i++) {
        const int take_right = BEHIND(left, right);
        room[i] = *(take_right ? right : left);
        right += take_right;
        left += !take_right;
        const int take_left = BEHIND(left_last, right_last);
        room[n - 1 - i] = *(take_left ? left_last : right_last);
        left_last -= take_left;
        right_last -= !take_left;
    }
    const size_t rest = left_last + 1 - left;
    if (UNLIKELY(rest > odd)) return;
    if (odd) room[half] = *(rest ? left : right);
    brawn_memcpy(a, room, n * sizeof(ELEMENT));
}

static void AT(sort_small)(ELEMENT *a, size_t n, ELEMENT *room, order *f, void *context) {
    if (n > 4) {
        AT(sort_small)(a, n / 2, room, f, context);
        AT(sort_small)(a + n / 2, n - n / 2, room, f, context);
        AT(merge)(a, n, room, f, context);
    } else if (n == 4) {
        AT(sort_4)(a, f, context);
    } else if (n == 3) {
        AT(sort_3)(a, f, context);
    } else if (n == 2) {
        AT(sort_2)(a, f, context);
    }
}

#undef ELEMENT
#undef AT
#undef BEHIND

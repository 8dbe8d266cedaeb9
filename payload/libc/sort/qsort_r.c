// qsort_r, and what qsort is made of.  sort.h says how it sorts.
#include "again.h"
#include "quick.h"
#include "room.h"
#include "smooth.h"

INLINE int sign(int said) {
    return (said > 0) - (said < 0);
}

// Where the i-th element of the order is.
INLINE number place(const task *t, size_t i) {
    return t->moved ? i : t->numbers[i];
}

// What an element is to the next one in the order.  For equal ones, the comparison may say anything, but always the same.
enum {
    SAID_LESS = -1,
    SAID_EQUAL = 0,
    SAID_GREATER = 1,
    DIFFERS,
    CONTRADICTS,
};

INLINE int next_is(const task *t, size_t i, int both) {
    const number a = place(t, i - 1), b = place(t, i);
    const int in_array = a < b;
    const int said = sign(ask(t, in_array ? b : a, in_array ? a : b));
    const int differs = in_array ? said > 0 : said < 0;
    if (LIKELY(!both)) return differs ? DIFFERS : in_array || said ? said
                                                                   : CONTRADICTS;
    const int back = sign(ask(t, in_array ? a : b, in_array ? b : a));
    if (said == back) return said;
    return differs && back == -said ? DIFFERS : CONTRADICTS;
}

// Gives each element its rank, and notes where it is now, in the order in which the elements came, if equal ones have to stand as musl
// has them: then it is 1.  0 if there are none or all are the same bytes, and -1 if the comparison contradicts itself.
//
// One of two answers is known where nothing has moved: neighbours in the order have been compared, and it was the one in front that
// was asked for.  A comparison that never said "less" is not believed.
static __attribute__((noinline)) int rank_all(const task *t, ranked *ranks, int *kind) {
    const int both = t->moved || t->said >= 0;
    const size_t n = t->n;
    size_t i = 1;
    while (i < n && next_is(t, i, both) == DIFFERS) i++;
    if (i == n) return 0;
    for (size_t k = 0; k < i; k++) ranks[t->numbers[k]] = (ranked)k << 32 | place(t, k);
    int differ = 0;
    *kind = next_is(t, i, both);
    for (size_t first = i - 1; i < n; i++) {
        const number a = place(t, i - 1), b = place(t, i);
        const int is = next_is(t, i, both);
        if (is == DIFFERS) {
            // If two are equal to one, and not to each other, there are no ranks.
            if (i - first > 1 && ask(t, place(t, first), b) >= 0) return -1;
            if (i - first > 2 && sign(ask(t, place(t, first), a)) != *kind) return -1;
            first = i;
        } else {
            if (is == CONTRADICTS || is != *kind) return -1;
            if (!differ) differ = brawn_memcmp(AT(t, a), AT(t, b), t->size);
        }
        ranks[t->numbers[i]] = (ranked)first << 32 | b;
    }
    return differ != 0;
}

// Whether elements that are far from each other in the order contradict it, as most arrays do that were sorted by a comparison whose
// difference overflows.  All differ if there are no ranks.
static int contradicts_far(const task *t, const ranked *ranks, int kind) {
    const size_t n = t->n;
    if (ranks && n < RUN) return 0;
    for (size_t part = 0; part < 4; part += n < RUN ? 3 : 1) {
        const size_t i = part * n / 8, k = n - 1 - (3 - part) * n / 8;
        const int said = sign(ask(t, place(t, i), place(t, k)));
        const int equal = ranks && ranks[t->numbers[i]] >> 32 == ranks[t->numbers[k]] >> 32;
        if (said != (equal ? kind : -1)) return 1;
    }
    return 0;
}

// Whether all stay where they are with musl's steps, if all are in order: none is less than the one before it.
static int all_stay(const task *t) {
    for (size_t i = 1; i < t->n; i++) {
        if (ask(t, i, i - 1) < 0) return 0;
    }
    return ask(t, 0, t->n - 1) <= 0 && ask(t, t->n - 1, 0) >= 0;
}

// Brings each element back to where it came from.
static COLD void put_back(const task *t, char *room, size_t room_size) {
    number *const from = (number *)room;
    const size_t used = t->n * sizeof *from;
    for (size_t i = 0; i < t->n; i++) from[t->numbers[i]] = i;
    arrange(t, from, room + used, room_size - used);
}

// Sorts in room for the numbers, for the ranks, and some more.  `first`: how many at the beginning are in order.
static void sort_in(task *t, size_t first, char *room, size_t room_size) {
    const size_t n = t->n, used = (n * sizeof(number) + 7) & -(size_t)8;
    ranked *const ranks = (ranked *)(room + used);
    char *const rest = room + used;
    const size_t rest_size = room_size - used;
    number *const numbers = t->numbers = (number *)room;
    for (size_t i = 0; i < n; i++) numbers[i] = i;
    if (first == 1) first = run(t, numbers, n);
    if (n <= MOST_ON_STACK || t->size > MOST_MOVED || first >= RUN) {
        sort_numbers(t, (number *)rest, first);
    } else if (!t->contradicts) {
        t->moved = 1;
        quick(t, (part){t->array, n, numbers}, NULL, 64 - __builtin_clzll(n), rest, rest_size);
    }
    int kind = DIFFERS, found = 0;
    if (!t->contradicts) {
        found = rank_all(t, ranks, &kind);
        t->contradicts = found < 0 || contradicts_far(t, kind == DIFFERS ? NULL : ranks, kind);
    }
    if (t->contradicts) {
        if (t->moved) put_back(t, rest, rest_size);
        without_room(t);
        return;
    }
    if (found) {
        smooth_again(ranks, n, kind);
        for (size_t i = 0; i < n; i++) numbers[i] = ranks[i];
    }
    if (found || !t->moved) arrange(t, numbers, rest, rest_size);
}

HIDDEN void brawn_qsort_r(void *array, size_t n, size_t size, order *f, void *context) {
    task t = {array, n, size, f, context, NULL, 0, 0, 0};
    if (n < 2 || !size) return;
    if (n <= FEW) {
        without_room(&t);
        return;
    }
    const size_t first = in_order(&t);
    if (first == n && all_stay(&t)) return;
    if (n <= MOST_ON_STACK) sort_on_stack(&t, first);
    else sort_in_mapping(&t, first);
}
NAME(__qsort_r, brawn_qsort_r)
NAME(qsort_r, brawn_qsort_r)

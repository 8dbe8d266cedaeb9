// qsort_r, and what qsort is made of.  sort.h says how it sorts.
#include "again.h"
#include "few.h"
#include "quick.h"
#include "room.h"
#include "smooth.h"

INLINE int sign(int said) {
    return (said > 0) - (said < 0);
}

// Where the i-th element of the order is, and which one it was.
INLINE place where(const task *t, size_t i) {
    return t->moved ? AT(t, i) : t->places[i];
}
INLINE number which(const task *t, size_t i) {
    return t->moved ? t->numbers[i] : number_of(t, t->places[i]);
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
    const place a = where(t, i - 1), b = where(t, i);
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
static __attribute__((noinline)) int rank_all(task *t, ranked *ranks, int *kind) {
    const size_t n = t->n;
    size_t i = !t->moved ? differing(t) : t->all_differ ? n
                                                        : 1;
    if (i == n) return 0;
    will_number(t);
    const int both = t->moved || ask(t, where(t, 0), where(t, n - 1)) >= 0;
    while (i < n && next_is(t, i, both) == DIFFERS) i++;
    if (i == n) return 0;
    for (size_t k = 0; k < i; k++) ranks[which(t, k)] = (ranked)k << 32 | (t->moved ? k : which(t, k));
    int differ = 0;
    *kind = next_is(t, i, both);
    for (size_t first = i - 1; i < n; i++) {
        const place a = where(t, i - 1), b = where(t, i);
        const int is = next_is(t, i, both);
        if (is == DIFFERS) {
            // If two are equal to one, and not to each other, there are no ranks.
            if (i - first > 1 && ask(t, where(t, first), b) >= 0) return -1;
            if (i - first > 2 && sign(ask(t, where(t, first), a)) != *kind) return -1;
            first = i;
        } else {
            if (is == CONTRADICTS || is != *kind) return -1;
            if (!differ) differ = t->size == 4 ? GET32(a) != GET32(b) : brawn_memcmp(a, b, t->size);
        }
        const number number = which(t, i);
        ranks[number] = (ranked)first << 32 | (t->moved ? i : number);
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
        const int said = sign(ask(t, where(t, i), where(t, k)));
        const int equal = ranks && ranks[which(t, i)] >> 32 == ranks[which(t, k)] >> 32;
        if (said != (equal ? kind : -1)) return 1;
    }
    return 0;
}

// Whether all stay where they are with musl's steps, if all are in order: none is less than the one before it.
static int all_stay(const task *t) {
    for (size_t i = 1; i < t->n; i++) {
        if (ask(t, AT(t, i), AT(t, i - 1)) < 0) return 0;
    }
    return ask(t, t->array, AT(t, t->n - 1)) <= 0 && ask(t, AT(t, t->n - 1), t->array) >= 0;
}

// Brings each element back to where it came from.
static COLD void put_back(const task *t, char *room, size_t room_size) {
    number *const from = (number *)room;
    const size_t used = t->n * sizeof *from;
    for (size_t i = 0; i < t->n; i++) from[t->numbers[i]] = i;
    arrange(t, from, room + used, room_size - used);
}

// A few: those behind the first, which are in order, are put between those before them.
static __attribute__((noinline)) void insert_all(const task *t, size_t first) {
    place *const a = t->places;
    for (size_t i = first; i < t->n; i++) {
        const place x = a[i];
        size_t k = i;
        for (; k && ask(t, a[k - 1], x) > 0; k--) a[k] = a[k - 1];
        a[k] = x;
    }
}

// Sorts in room for the places, for the ranks, and some more.  `first`: how many at the beginning are in order.
static void sort_in(task *t, size_t first, char *room, size_t room_size) {
    const size_t n = t->n, used = n * sizeof(place);
    char *const rest = room + used;
    const size_t rest_size = room_size - used;
    t->places = (place *)room;
    place at = t->array;
    for (size_t i = 0; i < n; i++, at += t->size) t->places[i] = at;
    if (first == 1 && n >= RUN) first = run(t, t->places, n);
    if (n <= INSERTED) {
        insert_all(t, first);
    } else if (n >= FEWEST && n <= MOST_MERGED && first < RUN && many_equal(t)) {
        sort_few(t, t->places, n, (place *)rest);
    } else if (n <= PART && first < RUN) {
        sort_part(t, t->places, n, (place *)rest, 0);
    } else if (n <= MOST_MERGED || t->size > MOST_MOVED || first >= RUN) {
        sort_places(t, (place *)rest, first);
    } else if (!t->contradicts) {
        number *const numbers = t->numbers = (number *)room;
        for (size_t i = 0; i < n; i++) numbers[i] = i;
        t->moved = t->all_differ = 1;
        quick(t, (part){t->array, n, numbers}, NULL, 64 - __builtin_clzll(n), rest, rest_size);
    }
    ranked *const ranks = (ranked *)rest;
    int kind = DIFFERS, found = 0;
    if (!t->contradicts) {
        found = rank_all(t, ranks, &kind);
        t->contradicts = found < 0 || contradicts_far(t, kind == DIFFERS ? NULL : ranks, kind);
    }
    if (t->contradicts) {
        if (t->moved) put_back(t, rest, rest_size);
        without_room(t);
    } else if (found) {
        smooth_again(ranks, n, kind);
        number *const from = (number *)room;
        for (size_t i = 0; i < n; i++) from[i] = ranks[i];
        arrange(t, from, rest, rest_size);
    } else if (!t->moved) {
        arrange_places(t, rest, rest_size);
    }
}

HIDDEN void brawn_qsort_r(void *array, size_t n, size_t size, order *f, void *context) {
    if (n < 2 || !size) return;
    task t = {.array = array, .n = n, .size = size, .f = f, .context = context};
    if (n <= FEW) {
        // musl's steps for two: one comparison, and both change places or none does.
        if (n > 2) without_room(&t);
        else if (ask(&t, t.array, AT(&t, 1)) > 0) swap(t.array, AT(&t, 1), size);
        return;
    }
    size_t first = in_order(&t);
    if (first == n && all_stay(&t)) return;
    // A comparison that only says whether its first is greater, or less, is found out here.
    if (first < n && !t.f(AT(&t, first), AT(&t, first - 1), context)) {
        without_room(&t);
        return;
    }
    if (n <= MOST_ON_STACK) sort_on_stack(&t, first);
    else sort_in_mapping(&t, first);
}
NAME(__qsort_r, brawn_qsort_r)
NAME(qsort_r, brawn_qsort_r)

// Sorts elements where they are, and their numbers with them, as quicksort does it, until parts are small enough to be merged (rank.h).
// For arrays whose elements are not all near the processor: what lies far apart is never compared in turn.  (To merge elements of 4 to 16
// bytes and their numbers, runs as they lie, takes fewer comparisons, 16.8 instead of 17.3 each of 100,000, and as long.)
#pragma once
#include "move.h"
#include "rank.h"

// The first element of a part, how many there are, and where the first one's number is.
typedef struct {
    char *a;
    size_t n;
    number *numbers;
} part;

// The median of three, each of which is that of three in an eighth of its part, where there are enough.
static __attribute__((noinline)) char *median(const task *t, char *x, char *y, char *z, size_t n) {
    if (n >= 8) {
        n /= 8;
        x = median(t, x, x + n * 4 * t->size, x + n * 7 * t->size, n);
        y = median(t, y, y + n * 4 * t->size, y + n * 7 * t->size, n);
        z = median(t, z, z + n * 4 * t->size, z + n * 7 * t->size, n);
    }
    const int xy = AFTER(x, y), xz = AFTER(x, z);
    if (xy != xz) return x;
    return AFTER(y, z) == xy ? y : z;
}

INLINE void swap_numbers(number *a, number *b) {
    const number x = *a, y = *b;
    *a = y;
    *b = x;
}

// Brings to the front, behind the first element, those that are less than the first, or not greater if `equal`; how many.
// Where they stand is found for a block at once, and then they change places with others.
INLINE size_t partition_sized(const task *t, const part *p, int equal, const size_t size) {
    unsigned char found[BLOCK];
    char *to = p->a + size;
    number *to_number = p->numbers + 1;
    for (size_t block = 1; block < p->n; block += BLOCK) {
        const size_t left = p->n - block, m = left < BLOCK ? left : BLOCK;
        size_t count = 0;
        char *x = p->a + block * size;
        for (size_t k = 0; k < m; k++, x += size) {
            found[count] = k;
            count += equal ? !AFTER(x, p->a) : AFTER(p->a, x);
        }
        for (size_t k = 0; k < count; k++, to += size, to_number++) {
            const size_t from = block + found[k];
            char *const element = p->a + from * size;
            if (size == 4) swap_4(to, element);
            else if (size == 8) swap_8(to, element);
            else if (element != to) swap(to, element, size);
            swap_numbers(to_number, p->numbers + from);
        }
    }
    return to_number - p->numbers - 1;
}

static __attribute__((noinline)) size_t partition(const task *t, const part *p, int equal) {
    if (t->size == 4) return partition_sized(t, p, equal, 4);
    if (t->size == 8) return partition_sized(t, p, equal, 8);
    return partition_sized(t, p, equal, t->size);
}

// Sorts a part by its places.  `room`, of `size` bytes, is for these and for as many to merge them: that is enough for parts of MOST_ON_STACK.
// Only where the partitions were bad on purpose (McIlroy, A killer adversary for quicksort, 1999) is one longer, and may have too little.
static __attribute__((noinline)) void sort_leaf(task *t, const part *p, char *room, size_t size) {
    if (UNLIKELY(p->n > size / (2 * sizeof(place)))) {
        t->contradicts = 1;
        return;
    }
    task leaf = *t;
    leaf.array = p->a;
    leaf.n = p->n;
    will_number(&leaf);
    leaf.places = (place *)room;
    char *const rest = (char *)(leaf.places + p->n);
    for (size_t i = 0; i < p->n; i++) leaf.places[i] = AT(&leaf, i);
    sort_places(&leaf, (place *)rest, 0);
    if (leaf.contradicts) {
        t->contradicts = 1;
        return;
    }
    // What was compared is known only until the elements move.
    if (t->all_differ) t->all_differ = differing(&leaf) == p->n;
    number *const numbers = (number *)rest;
    for (size_t i = 0; i < p->n; i++) numbers[i] = p->numbers[number_of(&leaf, leaf.places[i])];
    brawn_memcpy(p->numbers, numbers, p->n * sizeof *numbers);
    arrange_places(&leaf, rest, size - (rest - room));
}

// Whether a sorted part differs from the elements beside it, which are in their places; they are each other's neighbours if it has none.
static __attribute__((noinline)) int edges_differ(const task *t, const part *p) {
    const size_t size = t->size;
    char *const end = p->a + p->n * size, *const all = AT(t, t->n);
    for (char *at = p->a;; at = end) {
        if (at > t->array && at < all && (ask(t, at - size, at) >= 0 || ask(t, at, at - size) <= 0)) return 0;
        if (at == end) return 1;
    }
}

// `before`: the element to the left of them, which is not greater than any; NULL if there is none.  `chances`: how many bad
// partitions there may be; then all of a part is merged, or musl's steps sort the array.
static void quick(task *t, part p, const char *before, unsigned chances, char *room, size_t room_size) {
    const size_t size = t->size;
    while (p.n > MOST_ON_STACK && chances && !t->contradicts) {
        const size_t eighth = p.n / 8;
        char *const pivot = median(t, p.a, p.a + eighth * 4 * size, p.a + eighth * 7 * size, eighth);
        swap(p.a, pivot, size);
        swap_numbers(p.numbers, p.numbers + (pivot - p.a) / size);
        // All that are equal to the one to the left are in their places at once.
        const int equal = before && !AFTER(p.a, before);
        const size_t less = partition(t, &p, equal);
        char *const middle = p.a + less * size;
        const part behind = {middle + size, p.n - less - 1, p.numbers + less + 1};
        if (equal) {
            t->all_differ = 0;
            // Of an order there are only a few that are so bad; a comparison that contradicts itself could have each take one away.
            if (less < eighth) chances--;
            before = middle;
            p = behind;
            continue;
        }
        swap(p.a, middle, size);
        swap_numbers(p.numbers, p.numbers + less);
        if (less < eighth || behind.n < eighth) chances--;
        // The smaller part first, and the larger one here: the stack stays small.
        p.n = less;
        if (less < behind.n) {
            quick(t, p, before, chances, room, room_size);
            before = middle;
            p = behind;
        } else {
            quick(t, behind, middle, chances, room, room_size);
        }
    }
    if (p.n > 1 && !t->contradicts) sort_leaf(t, &p, room, room_size);
    if (t->all_differ && !t->contradicts) t->all_differ = edges_differ(t, &p);
}

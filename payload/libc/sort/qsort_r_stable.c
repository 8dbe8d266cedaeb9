// qsort_r for `--sort stable`: equal elements stand as they came, as glibc's stand.  Only "greater" is ever asked, so that comparisons
// which return no negative number sort, too.
#include "move.h"
#include "rank.h"
#include "room.h"

// The `left` bytes at a and the `right` ones behind them change places (Gries and Mills, Swapping sections, 1981).
static void change_sides(char *a, size_t left, size_t right) {
    char *const middle = a + left;
    while (left != right) {
        if (left > right) {
            swap(middle - left, middle, right);
            left -= right;
        } else {
            swap(middle - left, middle + right - left, left);
            right -= left;
        }
    }
    swap(middle - left, middle, left);
}

// Merges the first `half` elements with those behind them, in place (Kim and Kutzner, Stable minimum storage merging by symmetric
// comparisons, 2004).  O(m log(n/m)) comparisons for m elements behind; the stack grows with log n.
static void merge_in_place(const task *t, char *a, size_t half, size_t n) {
    const size_t size = t->size;
    while (half && half < n) {
        const size_t middle = n / 2, sum = middle + half;
        size_t start = half > middle ? sum - n : 0, end = half > middle ? middle : half;
        while (start < end) {
            const size_t c = (start + end) / 2;
            if (AFTER(a + c * size, a + (sum - 1 - c) * size)) end = c;
            else start = c + 1;
        }
        end = sum - start;
        if (start < half && half < end) change_sides(a + start * size, (half - start) * size, (end - half) * size);
        merge_in_place(t, a, start, middle);
        a += middle * size;
        n -= middle;
        half = end - middle;
    }
}

static void sort_in_place(const task *t, char *a, size_t n) {
    if (n < 2) return;
    sort_in_place(t, a, n / 2);
    sort_in_place(t, a + n / 2 * t->size, n - n / 2);
    merge_in_place(t, a, n / 2, n);
}

static __attribute__((noinline)) void without_room(const task *t) {
    sort_in_place(t, t->array, t->n);
}

static void sort_in(task *t, size_t first, char *room, size_t room_size) {
    const size_t used = t->n * sizeof(place);
    t->places = (place *)room;
    for (size_t i = 0; i < t->n; i++) t->places[i] = AT(t, i);
    if (first == 1) first = run(t, t->places, t->n);
    sort_places(t, (place *)(room + used), first);
    if (t->contradicts) without_room(t);
    else arrange_places(t, room + used, room_size - used);
}

HIDDEN void brawn_qsort_r_stable(void *array, size_t n, size_t size, order *f, void *context) {
    if (n < 2 || !size) return;
    task t = {.array = array, .n = n, .size = size, .f = f, .context = context};
    const size_t first = in_order(&t);
    if (first == n) return;
    if (n <= MOST_ON_STACK) sort_on_stack(&t, first);
    else sort_in_mapping(&t, first);
}
NAME(__qsort_r, brawn_qsort_r_stable)
NAME(qsort_r, brawn_qsort_r_stable)

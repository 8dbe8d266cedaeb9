// What qsort and qsort_r are made of.  The elements stay where they are while they are compared: what is sorted is their places,
// by merging (rank.h), or, where many are equal, by comparing them with one of them (few.h).  Then each element moves once.
//
// The order of equal elements is musl's.  If no two are equal there is only one order, and the merging has found it.  If some are,
// musl's own steps are done again with the elements' ranks, which takes no call of the comparison (again.h).  A comparison that
// contradicts itself has no ranks: then musl's steps are done on the array (smooth.h), and so they are for a few elements, and where
// there is no memory for the places.
//
// Whether two are equal has to be asked once more, of neighbours in the order.  That the comparison never said "equal" while merging
// is not enough: one that says a < b ? -1 : 1 says it of none.  And no element is compared with itself, which would tell: programs end
// when theirs says "equal" of what cannot be equal (SQLite's lemon).
//
// Places of up to MOST_ON_STACK elements lie on the stack.  For more, a mapping is made: by the kernel, not by malloc, since musl's qsort
// can be called where malloc cannot, as in a handler of a signal.
//
// Most of the time goes to the calls of the comparison, and to branches on what it says, which the processor predicts wrongly
// every other time.  So there are few comparisons (about n log2 n), and nothing branches on one: its answer is added to an address,
// or selects one.  The ideas are published: merging from both ends (van den Hoven, quadsort), runs that are merged as a nearly
// optimal tree has them (Munro and Wild, Nearly-optimal mergesorts, 2018), smoothsort (Dijkstra, EWD796a, 1981).
//
// What callers can rely on, as with musl's:
// - Whenever the comparison is called, the array has all of its elements, and the comparison gets addresses in it: it may leave
//   by longjmp (a mapping then stays until the program ends).
// - A comparison that contradicts itself gives some order: no element is lost, and nothing outside is touched.
// - O(n log n) comparisons at worst.
#pragma once
#include "../libc.h"

typedef int order(const void *, const void *, void *);
typedef uint32_t number;
// Where an element is.
typedef const char *place;
// A rank, and below it the place of the element that has it.  Equal elements have the same rank.
typedef uint64_t ranked;

// What is sorted, and what was noticed on the way.
typedef struct {
    char *array;
    size_t n, size;
    order *f;
    void *context;
    // In the order in which the elements are to stand: where each one is, or, if they have `moved` and stand so, the number that each one
    // came with.
    place *places;
    number *numbers;
    int moved;
    // Whether all that have moved so far are known to differ from their neighbours.
    int all_differ;
    // For number_of().
    uint64_t inverse;
    // Whether two answers of the comparison cannot both be true, or there is no room for a part: musl's steps then sort the array.
    int contradicts;
} task;

enum {
    // Up to so many, musl's steps take no longer.
    FEW = 4,
    MOST_ON_STACK = 288,
    // Room for the places and ranks of so many elements, and to move an element.
    ROOM = MOST_ON_STACK * (sizeof(place) + sizeof(ranked)) + 512,
    // Of so few, the processor foresees what the comparison says if it was the same the last time, and merging takes as long if not.
    INSERTED = 10,
    // Up to so many are merged, wherever they lie.
    MOST_MERGED = 3500,
    // Larger elements are too long to change places more than once.
    MOST_MOVED = 256,
    // Fewer that are in order are no run, which would be merged as it is.
    RUN = 24,
    // Whether parts of so many are in order as they stand is asked before they are merged.
    ASK_FROM = 16,
    // Where there is no run, so many are sorted by themselves.
    PART = 128,
    BLOCK = 128,
};

#define AT(t, i) ((t)->array + (size_t)(i) * (t)->size)
#define AFTER(a, b) (t->f((a), (b), t->context) > 0)

// Before number_of() is called: 2^64 / size, rounded up; 0 for size 1.
INLINE void will_number(task *t) {
    t->inverse = UINT64_MAX / t->size + 1;
}

// Which element begins at `at`: exactly, since there are fewer than 2^32 and no array is longer than 2^63.
INLINE number number_of(const task *t, place at) {
    const uint64_t offset = at - t->array;
    return t->size == 1 ? offset : (unsigned __int128)offset * t->inverse >> 64;
}

INLINE int ask(const task *t, place a, place b) {
    return t->f(a, b, t->context);
}

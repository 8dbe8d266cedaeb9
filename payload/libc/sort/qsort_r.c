// qsort_r, and what qsort is made of.  sort.h says how it sorts.
#include "sort.h"

#define ELEMENT element4
#define AT(name) name##_4
#define BEHIND AFTER
#include "merge.h"

#define ELEMENT element8
#define AT(name) name##_8
#define BEHIND AFTER
#include "merge.h"

// Addresses of elements, in the order of what is there.
#define ELEMENT element8
#define AT(name) name##_far
#define BEHIND(a, b) AFTER((void *)*(a), (void *)*(b))
#include "merge.h"

// Brings each element to where its address stands in `from`, in pieces: an element may be larger than the stack.
static void arrange(char *a, size_t n, size_t size, element8 *from) {
    char piece[256];
    for (size_t start = 0; start < n; start++) {
        if (from[start] == (uintptr_t)(a + start * size)) continue;
        for (size_t offset = 0; offset < size; offset += sizeof piece) {
            const size_t left = size - offset, part = left < sizeof piece ? left : sizeof piece;
            char *const first = a + start * size, *to = first;
            brawn_memcpy(piece, first + offset, part);
            for (;;) {
                char *const next = (char *)from[(to - a) / size];
                if (left == part) from[(to - a) / size] = (uintptr_t)to;
                if (next == first) break;
                brawn_memcpy(to + offset, next + offset, part);
                to = next;
            }
            brawn_memcpy(to + offset, piece, part);
        }
    }
}

static void sort_far(char *a, size_t n, size_t size, char *room, order *f, void *context) {
    element8 *const from = (element8 *)room;
    for (size_t i = 0; i < n; i++) from[i] = (uintptr_t)(a + i * size);
    sort_small_far(from, n, from + n, f, context);
    arrange(a, n, size, from);
}

#define SIZE 4
#define AT(name) name##_by_4
#define SWAP swap_4
#define MOST (ROOM / SIZE)
#define SMALL(a, n, room) sort_small_4((element4 *)(a), n, (element4 *)(room), f, context)
#include "quick.h"

#define SIZE 8
#define AT(name) name##_by_8
#define SWAP swap_8
#define MOST (ROOM / SIZE)
#define SMALL(a, n, room) sort_small_8((element8 *)(a), n, (element8 *)(room), f, context)
#include "quick.h"

#define SIZE size
#define AT(name) name##_by_any
#define SWAP(a, b) swap(a, b, size)
#define MOST (ROOM / 2 / sizeof(element8))
#define SMALL(a, n, room) sort_far(a, n, size, room, f, context)
#include "quick.h"

HIDDEN void brawn_qsort_r(void *array, size_t n, size_t size, order *f, void *context) {
    // Comparisons never get addresses in it.
    char room[ROOM] __attribute__((aligned(16)));
    if (n < 2 || !size) return;
    if (size == 4) sort_by_4(array, n, 4, room, f, context);
    else if (size == 8) sort_by_8(array, n, 8, room, f, context);
    else sort_by_any(array, n, size, room, f, context);
}
NAME(__qsort_r, brawn_qsort_r)
NAME(qsort_r, brawn_qsort_r)

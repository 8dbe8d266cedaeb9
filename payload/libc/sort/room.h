// Where the places of elements lie.
#pragma once
#include "sort.h"
#include "../../common/syscall.h"

// Sorts in room for the places, for the ranks, and some more.  `first`: how many at the beginning are in order.
static void sort_in(task *t, size_t first, char *room, size_t room_size);
// Sorts where there is none.
static void without_room(const task *t);

// How many at the beginning are in order: none is greater than the next.
static size_t in_order(task *t) {
    size_t i = 1;
    for (; i < t->n; i++) {
        if (ask(t, AT(t, i - 1), AT(t, i)) > 0) break;
    }
    return i;
}

static __attribute__((noinline)) void sort_on_stack(task *t, size_t first) {
    char room[ROOM] __attribute__((aligned(16)));
    sort_in(t, first, room, sizeof room);
}

// A mapping of this size is kept for the next time: making one, touching it and giving it back takes longer than to sort some hundred
// elements.
enum { KEPT = 64 << 10 };
static char *kept;

static __attribute__((noinline)) void sort_in_mapping(task *t, size_t first) {
    enum {
    // The kernel's, as in arch/.
#ifdef __x86_64__
        MMAP = 9,
        MUNMAP = 11,
#elif defined(__aarch64__)
        MMAP = 222,
        MUNMAP = 215,
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
        READ_AND_WRITE = 3,
        PRIVATE_MEMORY = 0x22,
    };
    // Small elements have room for all of them, in which they move in turn; of larger ones, one has.
    const size_t each = sizeof(place) + (t->size > sizeof(ranked) && t->size <= 32 ? t->size : sizeof(ranked));
    const size_t more = t->size <= 32 ? 0 : t->size < 65536 ? t->size
                                                            : 65536;
    size_t size = t->n * each + more + ROOM;
    char *at = NULL;
    if (size <= KEPT) {
        size = KEPT;
        at = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQUIRE);
    }
    if (!at) {
        const long map = t->n > UINT32_MAX ? -1 : arch_syscall6(MMAP, 0, size, READ_AND_WRITE, PRIVATE_MEMORY, -1, 0);
        if (map < 0 && map > -4096) {
            without_room(t);
            return;
        }
        at = (char *)map;
    }
    sort_in(t, first, at, size);
    // What another thread, or a handler of a signal, has left there meanwhile goes.
    if (size == KEPT) at = __atomic_exchange_n(&kept, at, __ATOMIC_ACQ_REL);
    if (at) arch_syscall3(MUNMAP, (long)at, size, 0);
}

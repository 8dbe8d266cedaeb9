// How elements move.
#pragma once
#include "sort.h"

typedef uint64_t __attribute__((vector_size(16), may_alias, aligned(1))) any128;

// What lies at a and b, of any size, changes places.
static __attribute__((noinline)) void swap(char *a, char *b, size_t size) {
    size_t i = 0;
    for (; size - i >= 16; i += 16) {
        const any128 x = *(any128 *)(a + i), y = *(any128 *)(b + i);
        *(any128 *)(a + i) = y;
        *(any128 *)(b + i) = x;
    }
    for (; size - i >= 4; i += 4) {
        const uint32_t x = GET32(a + i), y = GET32(b + i);
        PUT32(a + i, y);
        PUT32(b + i, x);
    }
    for (; i < size; i++) {
        const char x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

INLINE void swap_4(char *a, char *b) {
    const uint32_t x = GET32(a), y = GET32(b);
    PUT32(a, y);
    PUT32(b, x);
}

INLINE void swap_8(char *a, char *b) {
    const uint64_t x = GET64(a), y = GET64(b);
    PUT64(a, y);
    PUT64(b, x);
}

// Moves each element once: to place i goes the one that is at place from[i].  `from` is used up.  In pieces as large as the room is: an
// element may be larger.
static __attribute__((noinline)) void arrange(const task *t, number *from, char *room, size_t room_size) {
    const size_t n = t->n, size = t->size;
    if (n * size <= room_size) {
        char *to = room;
        if (size == 4) {
            for (size_t i = 0; i < n; i++) PUT32(room + i * 4, GET32(t->array + (size_t)from[i] * 4));
        } else if (size == 8) {
            for (size_t i = 0; i < n; i++) PUT64(room + i * 8, GET64(t->array + (size_t)from[i] * 8));
        } else {
            for (size_t i = 0; i < n; i++, to += size) brawn_memcpy(to, AT(t, from[i]), size);
        }
        brawn_memcpy(t->array, room, n * size);
        return;
    }
    for (size_t start = 0; start < n; start++) {
        if (from[start] == start) continue;
        for (size_t offset = 0; offset < size; offset += room_size) {
            const size_t left = size - offset, part = left < room_size ? left : room_size;
            brawn_memcpy(room, AT(t, start) + offset, part);
            number to = start;
            for (;;) {
                const number next = from[to];
                if (left == part) from[to] = to;
                if (next == start) break;
                brawn_memcpy(AT(t, to) + offset, AT(t, next) + offset, part);
                to = next;
            }
            brawn_memcpy(AT(t, to) + offset, room, part);
        }
    }
}

// The same, where the places of the elements are known: room for as many numbers is there.
static __attribute__((noinline)) void arrange_places(task *t, char *room, size_t room_size) {
    const size_t n = t->n, size = t->size;
    const place *const from = t->places;
    if (n * size > room_size) {
        number *const numbers = (number *)t->places;
        will_number(t);
        for (size_t i = 0; i < n; i++) numbers[i] = number_of(t, from[i]);
        arrange(t, numbers, room, room_size);
        return;
    }
    char *to = room;
    if (size == 4) {
        for (size_t i = 0; i < n; i++) PUT32(room + i * 4, GET32(from[i]));
    } else if (size == 8) {
        for (size_t i = 0; i < n; i++) PUT64(room + i * 8, GET64(from[i]));
    } else {
        for (size_t i = 0; i < n; i++, to += size) brawn_memcpy(to, from[i], size);
    }
    brawn_memcpy(t->array, room, n * size);
}

// Copies of few bytes.
#pragma once
#include "memory.h"

// Up to 16 bytes.  Every load comes before every store: the two may overlap.
INLINE void copy_short(char *d, const char *s, size_t n) {
    if (n >= 8) {
        const uint64_t head = GET64(s), tail = GET64(s + n - 8);
        PUT64(d, head);
        PUT64(d + n - 8, tail);
    } else if (n >= 4) {
        const uint32_t head = GET32(s), tail = GET32(s + n - 4);
        PUT32(d, head);
        PUT32(d + n - 4, tail);
    } else if (n) {
        const char head = s[0], middle = s[n / 2], tail = s[n - 1];
        d[0] = head;
        d[n / 2] = middle;
        d[n - 1] = tail;
    }
}

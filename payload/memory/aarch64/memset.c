#include "vector.h"

enum {
    // The size that DC ZVA clears, if it is allowed: no common processor has another size.
    BLOCK = 64,
    // Less does not pay for asking.
    ZVA_FROM = 256,
};

// Whether DC ZVA clears BLOCK bytes: DCZID_EL0 has the size's logarithm, in words of 4 bytes, and a bit that forbids it.
INLINE int clears_blocks(void) {
    uint64_t id;
    __asm__("mrs %0, dczid_el0" : "=r"(id));
    return (id & 0x1f) == 4;
}

HIDDEN void *brawn_memset(void *to, int c, size_t n) {
    char *const d = to;
    const vec x = FILL(c);
    if (LIKELY(n <= 16)) {
        const uint64_t bytes = vgetq_lane_u64(vreinterpretq_u64_u8(x), 0);
        if (n >= 8) {
            PUT64(d, bytes);
            PUT64(d + n - 8, bytes);
        } else if (n >= 4) {
            PUT32(d, (uint32_t)bytes);
            PUT32(d + n - 4, (uint32_t)bytes);
        } else if (n) {
            d[0] = (char)bytes;
            d[n / 2] = (char)bytes;
            d[n - 1] = (char)bytes;
        }
        return to;
    }
    char *const last = d + n - 64;
    STORE(d, x);
    if (LIKELY(n <= 64)) {
        STORE(d + n - 16, x);
        if (n <= 32) return to;
        STORE(d + 16, x);
        STORE(d + n - 32, x);
        return to;
    }
    char *p = DOWN(d, WIDTH) + WIDTH;
    if (n >= ZVA_FROM && !(uint8_t)c && LIKELY(clears_blocks())) {
        STORE(p, x);
        STORE(p + 16, x);
        STORE(p + 32, x);
        // Only whole blocks, and none beyond the end.
        for (p = DOWN(d, BLOCK) + BLOCK; p <= last; p += BLOCK) __asm__ volatile("dc zva, %0" ::"r"(p) : "memory");
    } else {
        for (; p < last; p += 64) {
            STORE(p, x);
            STORE(p + 16, x);
            STORE(p + 32, x);
            STORE(p + 48, x);
        }
    }
    STORE(last, x);
    STORE(last + 16, x);
    STORE(last + 32, x);
    STORE(last + 48, x);
    return to;
}
NAME(memset, brawn_memset)

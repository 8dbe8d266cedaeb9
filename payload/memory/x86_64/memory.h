// What every function here is written with: generic/memory.h, and the levels.
#pragma once
#include "../generic/memory.h"
#include <immintrin.h>

// What the processor and the kernel can do.  Static programs get no IFUNC relocations processed, and a table of
// addresses would need relocations in static-pie, so the functions read a small number and branch on it, always
// the same way.  UNKNOWN, which is 0, until the first call that asks: brawn_memory_detect stores the same
// number whoever calls it, so threads that do so at once store the same.
enum { UNKNOWN, SSE2, AVX2, AVX512 };
extern HIDDEN unsigned char brawn_memory_level;
// It leaves every register alone, so that a function's first call need not keep its arguments anywhere: a third of
// the size, twenty times.
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers, target("general-regs-only")))
HIDDEN KEEPS_REGISTERS void brawn_memory_detect(void);

#define LEVEL() __atomic_load_n(&brawn_memory_level, __ATOMIC_RELAXED)

// Ends a function: calls the variant that the level asks for.  `again` is the function itself, for the first call.
#define DISPATCH(variant, again, ...)                                   \
    do {                                                                \
        unsigned level = LEVEL();                                       \
        if (LIKELY(level == AVX512)) return variant##_avx512(__VA_ARGS__); \
        if (LIKELY(level == AVX2)) return variant##_avx2(__VA_ARGS__);  \
        if (LIKELY(level == SSE2)) return variant##_sse2(__VA_ARGS__);  \
        return again(__VA_ARGS__);                                      \
    } while (0)

// Gives p without letting the compiler see that it is the argument that came in: it would call the variant and then
// put the argument into place itself, instead of jumping there.
INLINE void *opaque(void *p) {
    __asm__("" : "+r"(p));
    return p;
}

#define GET128(p) _mm_loadu_si128((const __m128i *)(p))
#define PUT128(p, x) _mm_storeu_si128((__m128i *)(p), x)

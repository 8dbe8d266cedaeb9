// What all functions here share: generic/memory.h, and the levels.
#pragma once
#include "../generic/memory.h"
#include <immintrin.h>

// What the processor and the kernel can do.  Static programs get no IFUNC relocations processed, and a table of
// addresses would need relocations in static-pie, so the functions read a small number and branch on it, always the
// same way.  It is UNKNOWN, which is 0, until the program has done enough work (level.c). Then brawn_memory_detect
// stores the number; threads that call it at once store the same number.  AVX2 includes BMI, BMI2, MOVBE and FMA here,
// but not LZCNT, which is reported only in another leaf; AVX512 means F, BW and VL.
enum { UNKNOWN,
    SSE2,
    AVX2,
    AVX512 };
extern HIDDEN unsigned char brawn_memory_level;
// These preserve every register, so a function that calls them need not save its arguments: this saves a third of the
// size of twenty functions.  (clang 14 does not preserve registers in those that return a value.)
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers, target("general-regs-only")))
// Asks the processor at once: for calls that gain more than 10 us by a better level.
HIDDEN KEEPS_REGISTERS void brawn_memory_detect(void);
// While the level is UNKNOWN: counts one more call that is done with SSE2, and asks if they were enough.
HIDDEN KEEPS_REGISTERS void brawn_memory_short(void);
// The same for a call that works on n bytes; says whether there is a better level now.
HIDDEN int brawn_memory_long(size_t n);
// At any level: counts a page of a string if the level is UNKNOWN.
HIDDEN KEEPS_REGISTERS void brawn_memory_page(void);

#define LEVEL() __atomic_load_n(&brawn_memory_level, __ATOMIC_RELAXED)

// Ends a function: calls the variant that the level asks for, or `first` while it is UNKNOWN.
#define DISPATCH(variant, first, ...)                                      \
    do {                                                                   \
        const unsigned level = LEVEL();                                    \
        if (LIKELY(level == AVX512)) return variant##_avx512(__VA_ARGS__); \
        if (LIKELY(level == AVX2)) return variant##_avx2(__VA_ARGS__);     \
        if (LIKELY(level == SSE2)) return variant##_sse2(__VA_ARGS__);     \
        return first(__VA_ARGS__);                                         \
    } while (0)
// A separate function, so that the others need no stack: counts the call, and does it with SSE2.
#define FIRST(result, first, variant, parameters, ...) \
    static COLD result first parameters {              \
        brawn_memory_short();                          \
        return variant##_sse2(__VA_ARGS__);            \
    }

// The entry of a function, for those where a call is short.  The variant for AVX-512 lies behind it, so that this level takes
// no jump, and AVX2 takes one: a jump is a cycle, and such a call takes seven.  The compiler could not be told to do so in C,
// since nothing of the variant may run before the level is known.
//
// ENTRY stands before levels.h.  The variants are ENTERED(own), and OTHERS behind levels.h defines what does the calls at other
// levels.  Compilers write assembly of a file before its functions, and the section has no other function.  The entry is in the
// first half of a cache line, and ends with it (a cycle less than at any multiple of 32 bytes):
// there the variant begins, which the compiler aligns to 16.
#define ENTRY(own, variant) ENTRY_WITH(own, variant##_avx2, 13, "", "")
// `prepare` is done first; the size of its code is what `skipped` is less than 13.  `apart` are the first of the bytes skipped.
#define ENTRY_WITH(own, avx2, skipped, apart, prepare)       \
    __asm__(".pushsection .text." #own ",\"ax\",@progbits\n" \
            ".p2align 6\n"                                   \
            "0: " apart "\n"                                 \
            ".skip " #skipped " - (. - 0b), 0xcc\n"          \
            ".globl " #own "\n"                              \
            ".hidden " #own "\n"                             \
            ".type " #own ", @function\n" #own ":\n"         \
            ".cfi_startproc\n" prepare "\n"                  \
            "cmpb $2, brawn_memory_level(%rip)\n"            \
            "je " #avx2 "\n"                                 \
            "jb others\n"                                    \
            ".cfi_endproc\n"                                 \
            ".size " #own ", . - " #own "\n"                 \
            ".popsection");
#define OTHERS(result, variant, parameters, ...)                      \
    __attribute__((noinline, used)) static result others parameters { \
        if (UNLIKELY(LEVEL() == UNKNOWN)) brawn_memory_short();       \
        return variant##_sse2(__VA_ARGS__);                           \
    }
_Static_assert(AVX2 == 2 && SSE2 < AVX2 && UNKNOWN < AVX2 && AVX512 > AVX2, "the entry's comparison");
// NAME of a function that has such an entry: no compiler sees a definition that it could be an alias of.
#ifdef BRAWN_MEMORY_UNNAMED
#define ENTRY_NAME(public, own)
#else
#define ENTRY_NAME(public, own) __asm__(".weak " #public "\n.type " #public ", @function\n.set " #public ", " #own);
#endif

// In SSE2's loop over a string: counts every page of it, and goes on by `rest` once there is a better level.
#define LOOK_UP(p, rest)                                               \
    do {                                                               \
        if (WIDTH == 16 && UNLIKELY(!((uintptr_t)(p) & (PAGE - 1)))) { \
            brawn_memory_page();                                       \
            if (UNLIKELY(LEVEL() > SSE2)) return rest;                 \
        }                                                              \
    } while (0)

// Gives p without letting the compiler see that it is the function's argument. Otherwise the compiler would call the
// variant and return the argument itself, instead of jumping to the variant.
INLINE void *opaque(void *p) {
    __asm__("" : "+r"(p));
    return p;
}

#define GET128(p) _mm_loadu_si128((const __m128i *)(p))
#define PUT128(p, x) _mm_storeu_si128((__m128i *)(p), x)

// To an integer, in the number's own type: floor, ceil, trunc, rint, nearbyint and round, exact.
//
// A number from 2^52 on (2^23 for a float) is an integer, infinite or no number, and comes back as it is.  Below that,
// adding 2^52 and taking it away again rounds in the mode that is in force and raises "inexact" if there was a
// fraction, as musl's functions do (musl 1.2.5, src/math/floor.c and its kin); one comparison then tells on which
// side the result is.  The sign is the argument's, which matters for zeros.
//
// SSE4.1 has an instruction, which every processor of the level AVX2 has.  The level is read, and asked for after as
// many calls as the memory functions wait: without, it is nearly as fast.
#pragma once
#include "math.h"

typedef enum { DOWN_TO,
    UP_TO,
    TOWARDS_ZERO,
    BY_MODE,
    QUIETLY,
    HALF_AWAY } Direction;

#define ROUNDING(Float, Bits, BITS_OF, OF_BITS, HIDE, DIGITS, BIAS, suffix)                            \
    enum { POINT_##suffix = BIAS + DIGITS };                                                           \
    INLINE int integral_##suffix(Float x) {                                                            \
        return (BITS_OF(x) << 1) >= (Bits)POINT_##suffix << (DIGITS + 1);                              \
    }                                                                                                  \
                                                                                                       \
    INLINE Float signed_like_##suffix(Float result, Float x) {                                         \
        const Bits sign = (Bits)1 << (sizeof(Bits) * 8 - 1);                                           \
        return OF_BITS((BITS_OF(result) & ~sign) | (BITS_OF(x) & sign));                               \
    }                                                                                                  \
                                                                                                       \
    INLINE Float away_##suffix(Float towards, Float x) {                                               \
        Float size = signed_like_##suffix(x - towards, 1);                                             \
        return signed_like_##suffix(towards + signed_like_##suffix(size >= (Float)0.5 ? 1 : 0, x), x); \
    }                                                                                                  \
                                                                                                       \
    INLINE Float rounded_##suffix(Float x, Direction direction) {                                      \
        if (UNLIKELY(integral_##suffix(x))) return x;                                                  \
        Float point = signed_like_##suffix(OF_BITS((Bits)POINT_##suffix << DIGITS), x);                \
        Float y = HIDE(x + point) - point;                                                             \
        if (direction == DOWN_TO) y -= y > x ? 1 : 0;                                                  \
        if (direction == UP_TO) y += y < x ? 1 : 0;                                                    \
        if (direction == TOWARDS_ZERO || direction == HALF_AWAY) {                                     \
            Float size = signed_like_##suffix(x, 1);                                                   \
            y = signed_like_##suffix(y, 1);                                                            \
            y = signed_like_##suffix(y - (y > size ? 1 : 0), x);                                       \
        }                                                                                              \
        if (direction == HALF_AWAY) return away_##suffix(y, x);                                        \
        return signed_like_##suffix(y, x);                                                             \
    }

ROUNDING(double, uint64_t, bits_of, double_of, hidden, 52, 1023, double)
ROUNDING(float, uint32_t, bits_of_float, float_of, hidden_float, 23, 127, float)
#undef ROUNDING

#ifdef __x86_64__
// How the instruction is told: 4 the mode in force, 8 no "inexact".
#define IMMEDIATE(direction) ((direction) == DOWN_TO ? 1 : ((direction) == UP_TO ? 2 : ((direction) == BY_MODE ? 4 : ((direction) == QUIETLY ? 12 : 3))))

#define ROUND_DOUBLE(x, direction) \
    _mm_cvtsd_f64(_mm_round_sd(_mm_set_sd(x), _mm_set_sd(x), IMMEDIATE(direction)))
#define ROUND_FLOAT(x, direction) \
    _mm_cvtss_f32(_mm_round_ss(_mm_set_ss(x), _mm_set_ss(x), IMMEDIATE(direction)))

// Without the instruction, "inexact" is put back as it was: MXCSR, bit 5.
#define QUIET(Float, plain, x)                                   \
    __extension__({                                              \
        unsigned before = _mm_getcsr();                          \
        Float result = plain(x, BY_MODE);                        \
        __asm__ volatile("" : "+x"(result));                     \
        if (!(before & 0x20)) _mm_setcsr(_mm_getcsr() & ~0x20u); \
        result;                                                  \
    })

#define DEFINE_ROUNDING(Float, suffix, HIDE, INSTRUCTION, name, direction)                                  \
    static Float __attribute__((noinline)) name##_sse2(Float x) {                                           \
        if (LEVEL() == UNKNOWN) brawn_memory_short();                                                       \
        return (direction) == QUIETLY ? QUIET(Float, rounded_##suffix, x) : rounded_##suffix(x, direction); \
    }                                                                                                       \
                                                                                                            \
    INLINE __attribute__((target("sse4.1"))) Float name##_any(Float x) {                                    \
        if (UNLIKELY(LEVEL() < AVX2)) return name##_sse2(x);                                                \
        /* Of a copy, in its register: into another, the instruction would wait for what is there. */       \
        Float y = (direction) == HALF_AWAY ? HIDE(x) : x;                                                   \
        y = INSTRUCTION(y, direction);                                                                      \
        /* An integer, also one without a fraction's room; what is left of the others is not zero. */       \
        if ((direction) != HALF_AWAY || y == x) return y;                                                   \
        return y + INSTRUCTION(2 * (x - y), direction);                                                     \
    }

// round() as an integer: the conversion cuts the fraction off and raises what there is to raise.
#define DEFINE_TO_LONG(Float, suffix, Result, name)                  \
    HIDDEN Result brawn_##name(Float x) {                            \
        Result cut = (Result)x;                                      \
        if (UNLIKELY(integral_##suffix(x))) return cut;              \
        Float rest = x - (Float)cut;                                 \
        return cut + (rest >= (Float)0.5) - (rest <= (Float) - 0.5); \
    }
#define SSE41 __attribute__((target("sse4.1")))
#define DEFINE_DOUBLE(name, direction, arm) DEFINE_ROUNDING(double, double, hidden, ROUND_DOUBLE, name, direction)
#define DEFINE_FLOAT(name, direction, arm) DEFINE_ROUNDING(float, float, hidden_float, ROUND_FLOAT, name, direction)

#elif defined(__aarch64__)
// One instruction for each of them, which does what its kind says with the exceptions of Arm's manual: only frintx
// raises "inexact".  musl's functions are the same instructions (musl 1.2.5, src/math/aarch64).
#define SSE41
#define DEFINE_DOUBLE(name, direction, arm)                  \
    INLINE double name##_any(double x) {                     \
        __asm__ volatile("frint" arm " %d0, %d0" : "+w"(x)); \
        return x;                                            \
    }
#define DEFINE_FLOAT(name, direction, arm)                   \
    INLINE float name##_any(float x) {                       \
        __asm__ volatile("frint" arm " %s0, %s0" : "+w"(x)); \
        return x;                                            \
    }
#define DEFINE_TO_LONG(Float, suffix, Result, name)                                \
    HIDDEN Result brawn_##name(Float x) {                                          \
        Result result;                                                             \
        __asm__ volatile("fcvtas %x0, %" ARM_##Float "1" : "=r"(result) : "w"(x)); \
        return result;                                                             \
    }
#define ARM_double "d"
#define ARM_float "s"
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

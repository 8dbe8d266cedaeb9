// What the functions of floats are written with: they compute in double, where a float's every operation is nearly
// exact, and round once.
//
// Each is written once and compiled twice: with the processor's fused multiply-add, and without.  The level decides,
// asked for at the first call, so that a program gets the same results from beginning to end.  The algorithms are
// P. T. P. Tang's of tables ("Table-driven implementation of the exponential function", 1989, and of the logarithm,
// 1990); all errors are below 0.6 of the last bit, which the test measures.
#pragma once
#include "math.h"

// a * b + c, as two operations or as one.
INLINE double times_plus_plain(double a, double b, double c) {
    return a * b + c;
}

#ifdef __x86_64__
#define FUSED __attribute__((target("fma")))
INLINE FUSED double times_plus_fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
#elif defined(__aarch64__)
#define FUSED
INLINE double times_plus_fused(double a, double b, double c) {
    __asm__("fmadd %d0, %d1, %d2, %d3" : "=w"(a) : "w"(a), "w"(b), "w"(c));
    return a;
}
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

// f(z) = c[0] + c[1] * z + ...
#define POLYNOMIAL_3(mad, c, z) mad(mad((c)[2], z, (c)[1]), z, (c)[0])
#define POLYNOMIAL_4(mad, c, z) mad(mad((c)[3], z, (c)[2]), (z) * (z), mad((c)[1], z, (c)[0]))
#define POLYNOMIAL_5(mad, c, z) mad(mad((c)[4], (z) * (z), mad((c)[3], z, (c)[2])), (z) * (z), mad((c)[1], z, (c)[0]))
#define POLYNOMIAL_6(mad, c, z) \
    mad(mad(mad((c)[5], z, (c)[4]), (z) * (z), mad((c)[3], z, (c)[2])), (z) * (z), mad((c)[1], z, (c)[0]))

// Results that raise their exceptions, as musl's (src/math/__math_oflowf.c and its kin).
INLINE float too_large(int negative) {
    return hidden_float(negative ? -0x1p97f : 0x1p97f) * 0x1p97f;
}

INLINE float too_small(int negative) {
    return hidden_float(negative ? -0x1p-95f : 0x1p-95f) * 0x1p-95f;
}

INLINE float infinite(int negative) {
    return (negative ? -1.0f : 1.0f) / hidden_float(0.0f);
}

INLINE float invalid(float x) {
    float y = (x - x) / hidden_float(x - x);
    return x != x ? x : y;
}

// Defines brawn_NAME by NAME_plain and NAME_fused, which `BODY(suffix, attributes, mad)` defines.  What is behind it is done before the level is
// asked for: an answer that takes no computing.
#ifdef __x86_64__
#define BY_LEVEL_AFTER(Result, name, parameters, arguments, BODY, ...) \
    BODY(plain, , times_plus_plain)                                    \
    BODY(fused, FUSED, times_plus_fused)                               \
    HIDDEN Result brawn_##name parameters {                            \
        __VA_ARGS__;                                                   \
        unsigned level = LEVEL();                                      \
        if (LIKELY(level >= AVX2)) return name##_fused arguments;      \
        if (level == UNKNOWN) {                                        \
            brawn_memory_detect();                                     \
            if (LEVEL() >= AVX2) return name##_fused arguments;        \
        }                                                              \
        return name##_plain arguments;                                 \
    }                                                                  \
    NAME(name, brawn_##name)
#elif defined(__aarch64__)
#define BY_LEVEL_AFTER(Result, name, parameters, arguments, BODY, ...) \
    BODY(fused, FUSED, times_plus_fused)                               \
    HIDDEN Result brawn_##name parameters {                            \
        __VA_ARGS__;                                                   \
        return name##_fused arguments;                                 \
    }                                                                  \
    NAME(name, brawn_##name)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
#define BY_LEVEL(Result, name, parameters, arguments, BODY) BY_LEVEL_AFTER(Result, name, parameters, arguments, BODY, )

// A product that is too small takes the processor much longer than these two.
// A number so small that the function gives it back: as musl, "underflow" for a subnormal one, else "inexact" but for zero.
INLINE double small_itself(double x) {
    const uint64_t size = bits_of(x) << 1;
    if (UNLIKELY(size - 1 < ((uint64_t)1 << 53) - 1)) hidden_float((float)hidden(x));
    else hidden(x + hidden(0x1p120));
    return x;
}

INLINE float small_itself_float(float x) {
    const uint32_t size = bits_of_float(x) << 1;
    if (UNLIKELY(size - 1 < ((uint32_t)1 << 24) - 1)) hidden_float(x * hidden_float(0x1p-120f));
    else hidden_float(x + hidden_float(0x1p120f));
    return x;
}

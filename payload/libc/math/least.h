// The smaller or the larger of two, where one that is a NaN counts as not there, and -0 is below 0.  The processor's
// instruction does what is left after that.  Exact: musl's result and exceptions (musl 1.2.5, src/math/fmin.c and its
// kin): none, of what is not a signaling NaN.
#pragma once
#include "math.h"

// ZEROS is what joins the bits of two zeros: | gives the negative one, if there is one, and & the other.
#define DEFINE_LEAST(name, Float, Bits, BITS_OF, OF_BITS, INSTRUCTION, ZEROS)      \
    HIDDEN Float brawn_##name(Float x, Float y) {                                  \
        if (UNLIKELY(x == y)) return OF_BITS((Bits)(BITS_OF(x) ZEROS BITS_OF(y))); \
        if (UNLIKELY(__builtin_isunordered(x, y))) return x == x ? x : y;          \
        return x INSTRUCTION y ? x : y;                                            \
    }                                                                              \
    NAME(name, brawn_##name)
#define LEAST(name, sign, zeros) DEFINE_LEAST(name, double, uint64_t, bits_of, double_of, sign, zeros)
#define LEAST_FLOAT(name, sign, zeros) DEFINE_LEAST(name, float, uint32_t, bits_of_float, float_of, sign, zeros)

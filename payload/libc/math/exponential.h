// 2^(z/32) in double, for expf, exp2f and powf.
#pragma once
#define NEEDS_EXP
#include "float.h"
#include "tables-float.h"

// z is an integer, which the table and the exponent tell, and what is left of it, by a polynomial.  Added to this
// number, z loses its fraction; the integer is then the last bits.
#define INTEGERS 0x1.8p52

#define POWER_OF_32ND(mad, z)                                       \
    __extension__({                                                 \
        double shifted_ = (z) + INTEGERS;                           \
        uint64_t k_ = bits_of(shifted_);                            \
        double r_ = (z) - (shifted_ - INTEGERS);                    \
        double power_ = double_of(EXP_TABLE[k_ % 32] + (k_ << 47)); \
        mad(power_ * r_, POLYNOMIAL_3(mad, EXP, r_), power_);       \
    })

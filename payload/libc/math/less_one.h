// e^x - 1 in two parts, for expm1 and tanh: P. T. P. Tang's ("Table-driven implementation of the expm1 function",
// 1992), with 128 steps.
//
// 2^(k/128) - 1 and the exact part of what is left of x are added without losing anything; all else is so much smaller
// that its errors do not count.
#pragma once
#include "exp_table.h"

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
// Below this, 2^-6, a few terms of the series do.
#define SHORT_BITS ((uint64_t)(0x3ff - 6) << 52)

typedef struct {
    double first, rest;
} Parted;

// power - 1, and what that lacks, for powers below 2^53, for those from 1 on, and for any.
INLINE Parted small_power_less_one(double power) {
    const double less = power - 1;
    return (Parted){less, power - (less + 1)};
}

INLINE Parted large_power_less_one(double power) {
    const double less = power - 1;
    return (Parted){less, power - less - 1};
}

INLINE Parted power_less_one(double power) {
    return power < 1 ? small_power_less_one(power) : large_power_less_one(power);
}

#define LESS_ONE(mad, parted, x)                                                                                             \
    ({                                                                                                                       \
        const double shifted_ = mad(x, PER_STEP, NEAREST), k_ = shifted_ - NEAREST;                                          \
        const uint64_t places_ = bits_of(shifted_);                                                                          \
        const ExpRow *row_ = &brawn_exp_table[places_ % STEPS];                                                              \
        const double power_ = double_of(row_->bits + (places_ << 45));                                                       \
        /* Exact, as STEP has few bits; then what it lacks, and what the power lacks. */                                     \
        const double r_ = mad(k_, -STEP, x), low_ = mad(k_, -STEP_LOW, row_->rest), all_ = r_ + low_, square_ = all_ * all_; \
        const double third_ = mad(square_, 1 / 720.0, mad(all_, 1 / 120.0, 1 / 24.0));                                       \
        const double more_ = mad(square_, third_, mad(all_, 1 / 6.0, 0.5)) * square_;                                        \
        const Parted less_ = parted(power_);                                                                                 \
        const double first_ = less_.first + r_, small_ = less_.first - first_ + r_ + (low_ + less_.rest);                    \
        (Parted){first_, mad(less_.first, all_ + more_, more_) + small_};                                                    \
    })

// A number as 128 bits and a power of two, too small by less than `error`, and times a power of ten.
#pragma once
#include "../libc.h"
#include "powers.h"

__extension__ typedef unsigned __int128 Wide;

typedef struct {
    Wide number, error;  // The number is from 2^127 on.
    int exponent;  // Of two.
} Product;

// Times a power of ten of which 128 bits are known: the error grows by what both lacked and what is cut off.
static COLD void times_power(Product *product, const uint64_t *power, int exponent) {
    const uint64_t high = (uint64_t)(product->number >> 64), low = (uint64_t)product->number;
    const Wide middle = (Wide)high * power[1], other = (Wide)low * power[0];
    const Wide rest = (uint64_t)middle + (Wide)(uint64_t)other + (uint64_t)((Wide)low * power[1] >> 64);
    product->number = (Wide)high * power[0] + (uint64_t)(middle >> 64) + (uint64_t)(other >> 64) + (uint64_t)(rest >> 64);
    const int top = __builtin_clzll((uint64_t)(product->number >> 64));
    product->number <<= top;
    product->error = (product->error + 3) << top;
    product->exponent += exponent + 128 - top;
}

// Times 10^n, n as large as a long double has it, by as many steps as the tables need.
static COLD void times_ten(Product *product, int n) {
    for (; n >= POWER_STEP * (POWER_LAST + 1); n -= POWER_STEP * POWER_LAST)
        times_power(product, COARSE[POWER_LAST - POWER_FIRST], POWER_EXPONENT(POWER_LAST * POWER_STEP));
    for (; n < POWER_STEP * POWER_FIRST; n -= POWER_STEP * POWER_FIRST)
        times_power(product, COARSE[0], POWER_EXPONENT(POWER_FIRST * POWER_STEP));
    const int k = (n - POWER_STEP * POWER_FIRST) / POWER_STEP, j = n - (k + POWER_FIRST) * POWER_STEP;
    times_power(product, (const uint64_t[2]){FINE[j], 0}, POWER_EXPONENT(j));
    times_power(product, COARSE[k], POWER_EXPONENT((k + POWER_FIRST) * POWER_STEP));
}

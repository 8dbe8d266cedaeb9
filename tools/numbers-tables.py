#!/usr/bin/env python3
"""Prints payload/libc/numbers/powers.h: powers of ten for strtod, computed exactly."""

STEP = 27
FIRST, LAST = -13, 11


def normalized(numerator, denominator, bits):
    """floor of the fraction times a power of two, in `bits` bits, and that power's negated exponent."""
    shift = bits - (numerator.bit_length() - denominator.bit_length())
    while True:
        value = (numerator << shift) // denominator if shift >= 0 else numerator // (denominator << -shift)
        if value.bit_length() == bits:
            return value, -shift
        shift += bits - value.bit_length()


def main():
    print("// Made by tools/numbers-tables.py: run it again instead of editing.")
    print("#pragma once")
    print("#include <stdint.h>")
    print()
    print("enum { POWER_STEP = %d, POWER_FIRST = %d, POWER_LAST = %d };" % (STEP, FIRST, LAST))
    print()
    print("// 10^(STEP * k), k from FIRST to LAST, as high and low half of 128 bits, cut off: high:low * 2^exponent, where")
    print("// exponent is what POWER_EXPONENT says.")
    print("static const uint64_t COARSE[][2] = {")
    for k in range(FIRST, LAST + 1):
        power = 10 ** (STEP * abs(k))
        value, exponent = normalized(*((power, 1) if k >= 0 else (1, power)), 128)
        assert exponent == ((STEP * k * 217706) >> 16) - 127, k
        print("    {0x%016x, 0x%016x}, // 10^%d" % (value >> 64, value & (1 << 64) - 1, STEP * k))
    print("};")
    print()
    print("// 10^j, j from 0 to STEP - 1, as 64 bits, exact: FINE[j] * 2^(POWER_EXPONENT(j) + 64).")
    print("static const uint64_t FINE[] = {")
    for j in range(STEP):
        value, exponent = normalized(10 ** j, 1, 64)
        assert value * 2 ** max(exponent, 0) == 10 ** j * 2 ** max(-exponent, 0)
        assert exponent == ((j * 217706) >> 16) - 63
        print("    0x%016x," % value)
    print("};")
    print()
    print("// The binary exponent of the first bit of 10^n is n * log2(10), cut off; right for all of these, as the script checks.")
    print("#define POWER_EXPONENT(n) (((n) * 217706 >> 16) - 127)")


main()

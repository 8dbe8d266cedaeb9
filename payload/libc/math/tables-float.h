// Made by tools/math-tables.py: run it again instead of editing.
#pragma once
#include <stdint.h>

#ifdef NEEDS_EXP
// 2^(i/32) as bits, less i << 47, so that adding k << 47 gives 2^(k/32).
static const uint64_t EXP_TABLE[] = {
    0x3ff0000000000000,
    0x3fefd9b0d3158574,
    0x3fefb5586cf9890f,
    0x3fef9301d0125b51,
    0x3fef72b83c7d517b,
    0x3fef54873168b9aa,
    0x3fef387a6e756238,
    0x3fef1e9df51fdee1,
    0x3fef06fe0a31b715,
    0x3feef1a7373aa9cb,
    0x3feedea64c123422,
    0x3feece086061892d,
    0x3feebfdad5362a27,
    0x3feeb42b569d4f82,
    0x3feeab07dd485429,
    0x3feea47eb03a5585,
    0x3feea09e667f3bcd,
    0x3fee9f75e8ec5f74,
    0x3feea11473eb0187,
    0x3feea589994cce13,
    0x3feeace5422aa0db,
    0x3feeb737b0cdc5e5,
    0x3feec49182a3f090,
    0x3feed503b23e255d,
    0x3feee89f995ad3ad,
    0x3feeff76f2fb5e47,
    0x3fef199bdd85529c,
    0x3fef3720dcef9069,
    0x3fef5818dcfba487,
    0x3fef7c97337b9b5f,
    0x3fefa4afa2a490da,
    0x3fefd0765b6e4540,
};

// (2^(r/32) - 1) / r for |r| <= 1/2.
static const double EXP[] = {
    0x1.62e42fefa39efp-6, 0x1.ebfcd5e516703p-13, 0x1.c6b115cefc289p-20,
};

#endif

#ifdef NEEDS_LOG
// 1/c and the logarithm of c to base e, for c in the middle of each interval.
static const double LOG_TABLE[] = {
    0x1.661ec6a5122f9p+0, -0x1.57bf753c8d1fbp-2,
    0x1.571ed3c506b3ap+0, -0x1.2bef07cdc9355p-2,
    0x1.49539e3b2d067p+0, -0x1.01eae5626c691p-2,
    0x1.3c995a47babe7p+0, -0x1.b31d8575bce3bp-3,
    0x1.30d190130d190p+0, -0x1.6574ebe8c1339p-3,
    0x1.25e22708092f1p+0, -0x1.1aa2b7e23f729p-3,
    0x1.1bb4a4046ed29p+0, -0x1.a4e7640b1bc38p-4,
    0x1.12358e75d3033p+0, -0x1.1973bd1465561p-4,
    0x1.0953f39010954p+0, -0x1.252f32f8d1840p-5,
    0x1.0000000000000p+0, 0x0.0p+0,
    0x1.e573ac901e574p-1, 0x1.b42dd711971b9p-5,
    0x1.ca4b3055ee191p-1, 0x1.c5e548f5bc743p-4,
    0x1.b2036406c80d9p-1, 0x1.526e5e3a1b438p-3,
    0x1.9c2d14ee4a102p-1, 0x1.bc286742d8cd4p-3,
    0x1.886e5f0abb04ap-1, 0x1.1058bf9ae4ad4p-2,
    0x1.767dce434a9b1p-1, 0x1.404308686a7e4p-2,
};

// (log(1 + r) - r) / r^2.
static const double LOG[] = {
    -0x1.fffffeebf629bp-2, 0x1.55555468b9236p-2, -0x1.002660f91ffbfp-2, 0x1.99db64c5491f2p-3,
};

#endif

#ifdef NEEDS_LOG2
// 1/c and the logarithm of c to base 2, for c in the middle of each interval.
static const double LOG2_TABLE[] = {
    0x1.661ec6a5122f9p+0, -0x1.efec61b011f85p-2,
    0x1.571ed3c506b3ap+0, -0x1.b0b67f4f46812p-2,
    0x1.49539e3b2d067p+0, -0x1.7418acebbf18fp-2,
    0x1.3c995a47babe7p+0, -0x1.39de8e1559f6ep-2,
    0x1.30d190130d190p+0, -0x1.01d9bbcfa61d4p-2,
    0x1.25e22708092f1p+0, -0x1.97c1cb13c7ec0p-3,
    0x1.1bb4a4046ed29p+0, -0x1.2f9e32d5bfdd1p-3,
    0x1.12358e75d3033p+0, -0x1.960caf9abb7c1p-4,
    0x1.0953f39010954p+0, -0x1.a6f9c377dd31dp-5,
    0x1.0000000000000p+0, 0x0.0p+0,
    0x1.e573ac901e574p-1, 0x1.3aa2fdd27f1bfp-4,
    0x1.ca4b3055ee191p-1, 0x1.476a9f983f74dp-3,
    0x1.b2036406c80d9p-1, 0x1.e840be74e6a4dp-3,
    0x1.9c2d14ee4a102p-1, 0x1.406463b1b0448p-2,
    0x1.886e5f0abb04ap-1, 0x1.88e9c72e0b224p-2,
    0x1.767dce434a9b1p-1, 0x1.ce0a4923a587dp-2,
};

// log2(1 + r) / r.
static const double LOG2[] = {
    0x1.71547652bcfbdp+0, -0x1.71547652c094dp-1, 0x1.ec7097c30e6cbp-2, -0x1.715471122ee34p-2,
    0x1.27bdf8d71e62dp-2, -0x1.eced39152f469p-3,
};

// The same with less care: where no exponent makes its error larger.
static const double LOG2_SHORT[] = {
    0x1.71547652b82fep+0, -0x1.71547460d6a2bp-1, 0x1.ec709a6e16ed4p-2, -0x1.7199add506d35p-2,
    0x1.27b21994621aep-2,
};

#endif

#ifdef NEEDS_TRIGONOMETRY
// (sin(r) - r) / r^3 and (cos(r) - 1) / r^2, in r^2, for |r| <= pi/4.
static const double SIN[] = {
    -0x1.555555545b845p-3, 0x1.11110de90cf7ap-7, -0x1.a0139f4f37f26p-13, 0x1.6dbb5b0003bbfp-19,
};

static const double COS[] = {
    -0x1.fffffffffe644p-2, 0x1.5555555144f38p-5, -0x1.6c16bad92b892p-10, 0x1.a0128f33aefafp-16,
    -0x1.2472a6b9cb458p-22,
};

// pi/2: its first 26 bits, and the rest.
static const double HALF_PI[] = {
    0x1.921fb50000000p+0, 0x1.110b4611a6263p-26,
};

// 2/pi, 8 bits each, the first of them in front of the point.
static const unsigned char TWO_OVER_PI[] = {
    0x00, 0xa2, 0xf9, 0x83, 0x6e, 0x4e, 0x44, 0x15, 0x29, 0xfc, 0x27, 0x57, 0xd1,
    0xf5, 0x34, 0xdd, 0xc0, 0xdb, 0x62, 0x95, 0x99, 0x3c, 0x43, 0x90, 0x41, 0xfe,
};

#endif

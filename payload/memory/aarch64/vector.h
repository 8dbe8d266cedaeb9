// A vector of 16 bytes, NEON's, and what the functions do with it.
//
// NEON has no instruction that gives one bit for each byte. SHRN gives four; `bits` has those, with the first byte's
// lowest. HITS: of a vector whose bytes are 0 or 255.  EQ, NE: which bytes are equal, are not.  SAME: a vector that
// says so. ANY: whether a vector has a byte that is not 0.  CTZ, TOP: the first, the last byte of bits that are not 0.
// UP_TO: the bits of all bytes before the first one of some, and one bit of that one's.  STOP: where two strings differ
// or the first one ends.
#pragma once
#include "../generic/memory.h"
#include <arm_neon.h>

#ifndef __AARCH64EL__
#error "the first byte has to be the lowest"
#endif

typedef uint8x16_t vec;
typedef uint64_t bits;

#define WIDTH 16
#define ALL (~(bits)0)
// One bit a byte, for loops over them.
#define EACH ((bits)0x1111111111111111)
#define LOAD(p) vld1q_u8((const uint8_t *)(p))
#define STORE(p, x) vst1q_u8((uint8_t *)(p), x)
#define FILL(c) vdupq_n_u8((uint8_t)(c))
#define ZERO vdupq_n_u8(0)
#define MIN(a, b) vminq_u8(a, b)
#define XOR(a, b) veorq_u8(a, b)
#define OR(a, b) vorrq_u8(a, b)
#define AND(a, b) vandq_u8(a, b)
#define SAME(a, b) vceqq_u8(a, b)
#define EQ(a, b) HITS(SAME(a, b))
#define NE(a, b) (~EQ(a, b))
#define CTZ(m) ((unsigned)__builtin_ctzll(m) / 4)
#define TOP(m) ((unsigned)(63 - __builtin_clzll(m)) / 4)
#define UP_TO(m) ((m) ^ ((m) - 1))
#define STOP(a, b) EQ(MIN(a, SAME(a, b)), ZERO)
// Bits without the first n bytes', and those moved down.
#define SKIP(m, n) ((m) >> (4 * (n)))
#define FITS(p) FITS_IN(p, WIDTH)

INLINE bits HITS(vec x) {
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(x), 4)), 0);
}
INLINE int ANY(vec x) {
    const uint32x4_t words = vreinterpretq_u32_u8(x);
    return vget_lane_u64(vreinterpret_u64_u32(vget_low_u32(vpmaxq_u32(words, words))), 0) != 0;
}

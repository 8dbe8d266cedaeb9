// What the functions of math are written with.
//
// What is said of a function as `exact` gives musl's result and musl's exceptions for every argument and rounding
// mode; but a signaling NaN, of which musl takes no notice anywhere, may come out quiet here.  Nothing here sets
// errno, as nothing of musl's math does.
#pragma once
#ifdef __x86_64__
#include "../../memory/x86_64/memory.h"
#endif
#include "../libc.h"

// An answer that takes no computing: short enough to stand in the function's entry, where it takes no jump.
#define EARLY INLINE

INLINE uint64_t bits_of(double x) {
    return ((union { double of; uint64_t bits; }){x}).bits;
}

INLINE double double_of(uint64_t bits) {
    return ((union { uint64_t bits; double of; }){bits}).of;
}

INLINE uint32_t bits_of_float(float x) {
    return ((union { float of; uint32_t bits; }){x}).bits;
}

INLINE float float_of(uint32_t bits) {
    return ((union { uint32_t bits; float of; }){bits}).of;
}

// The same number, which the compiler knows nothing of: what is computed from it is computed at run time, and raises
// its exceptions there.
INLINE double hidden(double x) {
#ifdef __x86_64__
    __asm__ volatile("" : "+x"(x));
#elif defined(__aarch64__)
    __asm__ volatile("" : "+w"(x));
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    return x;
}

INLINE float hidden_float(float x) {
#ifdef __x86_64__
    __asm__ volatile("" : "+x"(x));
#elif defined(__aarch64__)
    __asm__ volatile("" : "+w"(x));
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    return x;
}

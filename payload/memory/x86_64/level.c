// Which level this processor has, asked of the processor itself: libc may not have been set up yet.
#include "memory.h"
#include <cpuid.h>

HIDDEN unsigned char brawn_memory_level;

// The registers that the kernel saves for a thread (XCR0).
static unsigned saved(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

HIDDEN COLD void brawn_memory_detect(void) {
    enum { YMM = 0x06, ZMM = 0xe6 };
    unsigned a, b, c, d, level = SSE2;
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && (c & bit_AVX) && (c & bit_MOVBE)) {
        unsigned state = saved();
        unsigned extended = 0;
        if (__get_cpuid(0x80000001, &a, &b, &c, &d)) extended = c;
        const unsigned avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
        const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
        if ((state & YMM) == YMM && (extended & bit_ABM) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & avx2) == avx2) {
            level = AVX2;
            // rep movsb and stosb belong to this level, too: every processor that has it has ERMS.
            if ((state & ZMM) == ZMM && (b & avx512) == avx512) level = AVX512;
        }
    }
    __atomic_store_n(&brawn_memory_level, level, __ATOMIC_RELAXED);
}

// Which level this processor has, asked of the processor itself: libc may not have been set up yet.
#include "memory.h"
#include <cpuid.h>

HIDDEN unsigned char brawn_memory_level;

HIDDEN COLD KEEPS_REGISTERS void brawn_memory_detect(void) {
    enum { YMM = 0x06, ZMM = 0xe6, EXTENDED = 0x80000000 };
    const unsigned basic = bit_OSXSAVE | bit_AVX | bit_MOVBE, avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
    unsigned a, b, c, d, last, level = SSE2;
    __cpuid(0, last, b, c, d);
    if (last >= 7) {
        __cpuid(1, a, b, c, d);
        if ((c & basic) == basic) {
            // The registers that the kernel saves for a thread (XCR0).
            unsigned state;
            __asm__("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
            unsigned extended = 0;
            __cpuid(EXTENDED, a, b, c, d);
            if (a > EXTENDED) {
                __cpuid(EXTENDED + 1, a, b, c, d);
                extended = c;
            }
            __cpuid_count(7, 0, a, b, c, d);
            if ((state & YMM) == YMM && (extended & bit_ABM) && (b & avx2) == avx2) {
                level = AVX2;
                // rep movsb and stosb belong to this level, too: every processor that has it has ERMS.
                if ((state & ZMM) == ZMM && (b & avx512) == avx512) level = AVX512;
            }
        }
    }
    // One store of one byte, in which no thread can see anything but 0 and this; clang takes the builtin for a call.
    __asm__ volatile("movb %1, %0" : "=m"(brawn_memory_level) : "q"((unsigned char)level));
}

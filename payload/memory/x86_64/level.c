// Which level this processor has, asked of the processor itself: libc may not have been set up yet.
//
// In a virtual machine each CPUID leaves it, which takes 1 to 20 us; a short program lives 80 us.  So calls use SSE2
// until the processor is asked, and the time that they lose is counted. The processor is asked when that time may be as
// long as asking takes.  So a program loses at most about twice the time of the better choice.
#include "memory.h"
#include <cpuid.h>

// Both lie among the data, whose page every program writes as it begins; a page of zeros could be theirs alone.
#define DATA __attribute__((section(".data.brawn")))
HIDDEN DATA unsigned char brawn_memory_level = UNKNOWN;

enum {
    // A short call counts as 1, which is about 2 ns (measured); 256 bytes of a long call count as much.
    PIECE = 256,
    // 8 us, about two CPUIDs: 4096 short calls, or 1 MiB.
    ENOUGH = 4096,
};
// Threads that count at once lose some of it, which only makes them ask later.
HIDDEN DATA unsigned brawn_memory_count = 0;

HIDDEN COLD KEEPS_REGISTERS void brawn_memory_detect(void) {
    enum {
        YMM = 0x06,
        ZMM = 0xe6,
    };
    const unsigned basic = bit_OSXSAVE | bit_AVX | bit_MOVBE | bit_FMA, avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
    unsigned a, b, c, d, level = SSE2;
    __cpuid(1, a, b, c, d);
    if ((c & basic) == basic) {
        // The registers that the kernel saves for a thread (XCR0).
        unsigned state;
        __asm__("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
        // Leaf 7 exists: kernels that set OSXSAVE have read leaf 13, which has the size of the saved registers.
        __cpuid_count(7, 0, a, b, c, d);
        if ((state & YMM) == YMM && (b & avx2) == avx2) {
            level = AVX2;
            // rep movsb and stosb belong to this level, too: every processor that has it has ERMS.
            if ((state & ZMM) == ZMM && (b & avx512) == avx512) level = AVX512;
        }
    }
    // One store of one byte: other threads see either 0 or this value. (clang would compile the builtin to a call.)
    __asm__ volatile("movb %1, %0" : "=m"(brawn_memory_level) : "q"((unsigned char)level));
}

// These are macros: a function that preserves every register must not call a function that does not, not even an inline
// one.
#define NOW(x) (*(volatile __typeof(x) *)&(x))
#define ADD(pieces)                                              \
    do {                                                         \
        const unsigned sum = NOW(brawn_memory_count) + (pieces); \
        NOW(brawn_memory_count) = sum;                           \
        if (sum >= ENOUGH) brawn_memory_detect();                \
    } while (0)

HIDDEN COLD KEEPS_REGISTERS void brawn_memory_short(void) { ADD(1); }

HIDDEN COLD KEEPS_REGISTERS void brawn_memory_page(void) {
    if (NOW(brawn_memory_level) == UNKNOWN) ADD(PAGE / PIECE);
}

HIDDEN COLD int brawn_memory_long(size_t n) {
    ADD(n < (size_t)PIECE * ENOUGH ? 1 + (unsigned)(n / PIECE) : ENOUGH);
    return LEVEL() > SSE2;
}

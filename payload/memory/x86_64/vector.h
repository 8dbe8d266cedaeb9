// A vector of WIDTH bytes and what the functions do with it, by level.
//
// bits: one bit a byte, the first byte's lowest.  EQ, NE: which bytes are equal, are not.  SAME: a vector that says so,
// JOIN: where either of two says so, HITS: its bits; its other properties differ between the levels.  STOP: where two
// strings differ or the first one ends; only its lowest bit is meant.  EITHER: what is 0 or equal. LOADU_IN, FILL_IN:
// the same in a register of 16 to 31, where the processor has them.  A function that uses only these needs no
// vzeroupper at its end.
#undef TARGET
#undef ENTERED
#undef AT
#undef vec
#undef bits
#undef ALL
#undef LOAD
#undef LOADU
#undef STORE
#undef STOREU
#undef FILL
#undef ZERO
#undef EQ
#undef NE
#undef MIN
#undef XOR
#undef OR
#undef SAME
#undef JOIN
#undef HITS
#undef CTZ
#undef TOP
#undef LOW
#undef STOP
#undef EITHER
#undef STREAM
#undef LOADU_IN
#undef FILL_IN

// What an entry (ENTRY in memory.h) comes to: behind it, or by a jump.
#if WIDTH == 64
#define ENTERED(own) TARGET __attribute__((used, section(".text." #own)))
#else
#define ENTERED(own) TARGET __attribute__((used))
#endif

#if WIDTH == 16
#define TARGET __attribute__((noinline))
#define AT(name) name##_sse2
#define vec __m128i
#define bits uint32_t
#define ALL 0xffffu
#define LOAD(p) _mm_load_si128((const __m128i *)(p))
#define LOADU(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, x) _mm_store_si128((__m128i *)(p), x)
#define STOREU(p, x) _mm_storeu_si128((__m128i *)(p), x)
#define STREAM(p, x) _mm_stream_si128((__m128i *)(p), x)
#define LOADU_IN(r, p) LOADU(p)
#define FILL_IN(r, c) FILL(c)
#define FILL(c) _mm_set1_epi8((char)(c))
#define ZERO _mm_setzero_si128()
#define EQ(a, b) ((bits)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)))
#define NE(a, b) (EQ(a, b) ^ ALL)
#define MIN(a, b) _mm_min_epu8(a, b)
#define XOR(a, b) _mm_xor_si128(a, b)
#define OR(a, b) _mm_or_si128(a, b)
#define SAME(a, b) _mm_cmpeq_epi8(a, b)
#define JOIN(a, b) _mm_or_si128(a, b)
#define HITS(a) ((bits)_mm_movemask_epi8(a))
#define LOW(n) ((bits)((1u << (n)) - 1))
#define STOP(a, b) EQ(MIN(a, SAME(a, b)), ZERO)
#define EITHER(a, x) EQ(MIN(a, XOR(a, x)), ZERO)
#elif WIDTH == 32
#define TARGET __attribute__((target("avx2,bmi,bmi2,movbe"), noinline))
#define AT(name) name##_avx2
#define vec __m256i
#define bits uint32_t
#define ALL 0xffffffffu
#define LOAD(p) _mm256_load_si256((const __m256i *)(p))
#define LOADU(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x) _mm256_store_si256((__m256i *)(p), x)
#define STOREU(p, x) _mm256_storeu_si256((__m256i *)(p), x)
#define STREAM(p, x) _mm256_stream_si256((__m256i *)(p), x)
#define LOADU_IN(r, p) LOADU(p)
#define FILL_IN(r, c) FILL(c)
#define FILL(c) _mm256_set1_epi8((char)(c))
#define ZERO _mm256_setzero_si256()
#define EQ(a, b) ((bits)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)))
#define NE(a, b) (~EQ(a, b))
#define MIN(a, b) _mm256_min_epu8(a, b)
#define XOR(a, b) _mm256_xor_si256(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define SAME(a, b) _mm256_cmpeq_epi8(a, b)
#define JOIN(a, b) _mm256_or_si256(a, b)
#define HITS(a) ((bits)_mm256_movemask_epi8(a))
#define LOW(n) ((bits)_bzhi_u32(ALL, (unsigned)(n)))
#define STOP(a, b) EQ(MIN(a, SAME(a, b)), ZERO)
#define EITHER(a, x) EQ(MIN(a, XOR(a, x)), ZERO)
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,movbe" EVEX512), noinline))
#define AT(name) name##_avx512
#define vec __m512i
#define bits uint64_t
#define ALL (~(uint64_t)0)
#define LOAD(p) _mm512_load_si512((const void *)(p))
#define LOADU(p) _mm512_loadu_si512((const void *)(p))
#define STORE(p, x) _mm512_store_si512((void *)(p), x)
#define STOREU(p, x) _mm512_storeu_si512((void *)(p), x)
#define STREAM(p, x) _mm512_stream_si512((__m512i *)(p), x)
#define FILL(c) _mm512_set1_epi8((char)(c))
#define ZERO _mm512_setzero_si512()
// For a mask that is tested for 0 and then searched: this moves it to a general register once and tests it there.
INLINE uint64_t moved(uint64_t mask) {
    __asm__("" : "+r"(mask));
    return mask;
}
// HALF_: half a vector.  PUT_SOME: stores the bytes in the mask; others are not written, and so cannot fault.  But where the
// vector lies on two pages, and the second one is not there, this takes a hundred times as long, whatever the mask: whoever
// uses it looks first whether the vector FITS.  Masked loads are the same, and nothing here has any.  Tests have each use end
// the program where it does not.
#ifdef BRAWN_MEMORY_CHECK_MASKED
#define MUST_FIT(p) (FITS_IN(p, 64) ? (void)0 : __builtin_trap())
#else
#define MUST_FIT(p) ((void)0)
#endif
#define PUT_SOME(p, mask, x) (MUST_FIT(p), _mm512_mask_storeu_epi8(p, mask, x))
#define PUT_SOME32(p, mask, x) (MUST_FIT(p), _mm512_mask_storeu_epi32(p, mask, x))
#if defined __clang_major__ && __clang_major__ < 16
// This clang does not accept such operands in a file that is not compiled for this level as a whole.
#define LOADU_IN(r, p) LOADU(p)
#define FILL_IN(r, c) FILL(c)
#define HALF_IN(r, p) _mm256_loadu_si256((const __m256i *)(p))
#else
#define IN_REGISTER(type, name, instruction, ...)               \
    ({                                                          \
        register type in_register __asm__(name);                \
        __asm__(instruction : "=v"(in_register) : __VA_ARGS__); \
        in_register;                                            \
    })
#define AS(type, p) (*(const type *)(const void *)(p))
#define LOADU_IN(r, p) IN_REGISTER(vec, "zmm" #r, "vmovdqu64 %1, %0", "m"(AS(__m512i_u, p)))
#define FILL_IN(r, c) IN_REGISTER(vec, "zmm" #r, "vpbroadcastb %1, %0", "r"((int)(c)))
#define HALF_IN(r, p) IN_REGISTER(__m256i, "ymm" #r, "vmovdqu8 %1, %0", "m"(AS(__m256i_u, p)))
#endif
#define EQ(a, b) ((bits)moved(_mm512_cmpeq_epi8_mask(a, b)))
#define NE(a, b) ((bits)_mm512_cmpneq_epi8_mask(a, b))
#define MIN(a, b) _mm512_min_epu8(a, b)
#define XOR(a, b) _mm512_xor_si512(a, b)
#define OR(a, b) _mm512_or_si512(a, b)
#define SAME(a, b) _mm512_xor_si512(a, b)
#define JOIN(a, b) _mm512_min_epu8(a, b)
#define HITS(a) ((bits)_mm512_testn_epi8_mask(a, a))
#define LOW(n) ((bits)_bzhi_u64(ALL, (unsigned)(n)))
#define EITHER(a, x) ((bits)moved(_mm512_cmpeq_epi8_mask(a, x) | _mm512_testn_epi8_mask(a, a)))
// The bits of a whole vector by two halves: on Zen 5 they are there two cycles sooner than by one, where a byte of it was just written.
#define BY_HALVES(low, high) ((bits)(uint32_t)moved(low) | (bits)moved(high) << 32)
#define STOP(a, b) ((bits)_mm512_mask_cmpeq_epi8_mask(_mm512_test_epi8_mask(a, a), a, b) + 1)
#endif

#if WIDTH == 64
#define CTZ(m) ((unsigned)__builtin_ctzll(m))
#define TOP(m) ((unsigned)(63 - __builtin_clzll(m)))
#else
#define CTZ(m) ((unsigned)__builtin_ctz(m))
#define TOP(m) ((unsigned)(31 - __builtin_clz(m)))
#endif

#ifndef FITS
// clang 18 to 21 have vectors of 64 bytes as a feature of its own.
#if defined __clang_major__ && __clang_major__ >= 18 && __clang_major__ <= 21
#define EVEX512 ",evex512"
#else
#define EVEX512
#endif
#define FITS(p) FITS_IN(p, WIDTH)
#endif

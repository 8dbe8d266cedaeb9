// What vector.h lacks for strings: included by each source at each level, after it.
//
// SKIPPED(m, n): bits without the first n bytes', moved down.  STEP: how many bits a byte has, MASK1: one of each byte's.
// LOWER: with ASCII's capital letters made small.  In words of 4 bytes: EQ32, NE32: bits, of which AT32 gives the first
// word's number and TOP32 the last one's; SKIPPED32, EITHER32, FILL32_IN: as SKIPPED, EITHER and FILL_IN; and but
// for SSE2 MIN32, and SAME32, JOIN32 and HIT32: as SAME, JOIN and HITS.  SHUFFLE(table, x): for every byte of x below 16 the
// table's byte at that place, and 0 for those of 128 and more.  HIGH4: the upper half of every byte.
#undef SKIPPED
#undef STEP
#undef MASK1
#undef LOWER
#undef EQ32
#undef NE32
#undef AT32
#undef TOP32
#undef FILL32
#undef SHUFFLE
#undef TABLE
#undef HIGH4
#undef SKIPPED32
#undef LANES
#undef EITHER32
#undef ONLY_SSE2
#undef SAME32
#undef MIN32
#undef HIT32
#undef JOIN32
#undef FILL32_IN
#define LANES (WIDTH / 4)
#ifdef __x86_64__
#undef AND
#define SKIPPED(m, n) ((m) >> (n))
#define STEP 1
#define MASK1 ALL
#if WIDTH == 16
#define ONLY_SSE2 1
#define LOWER(x) _mm_or_si128(x, _mm_and_si128(_mm_cmpgt_epi8(_mm_add_epi8(x, FILL(127 - 'Z')), FILL(101)), FILL(0x20)))
#define EQ32(a, b) ((bits)_mm_movemask_epi8(_mm_cmpeq_epi32(a, b)))
#define NE32(a, b) (EQ32(a, b) ^ ALL)
#define EITHER32(a, x) ((bits)_mm_movemask_epi8(OR(_mm_cmpeq_epi32(a, x), _mm_cmpeq_epi32(a, ZERO))))
#define FILL32(c) _mm_set1_epi32((int)(c))
#elif WIDTH == 32
#define ONLY_SSE2 0
#define LOWER(x) _mm256_or_si256(x, _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_add_epi8(x, FILL(127 - 'Z')), FILL(101)), FILL(0x20)))
#define SAME32(a, b) _mm256_cmpeq_epi32(a, b)
#define MIN32(a, b) _mm256_min_epu32(a, b)
#define HIT32(a) HITS(a)
#define JOIN32(a, b) OR(a, b)
#define EQ32(a, b) ((bits)_mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)))
#define NE32(a, b) (~EQ32(a, b))
#define EITHER32(a, x) HITS(OR(SAME32(a, x), SAME32(a, ZERO)))
#define FILL32(c) _mm256_set1_epi32((int)(c))
#define SHUFFLE(table, x) _mm256_shuffle_epi8(table, x)
#define AND(a, b) _mm256_and_si256(a, b)
#define HIGH4(x) AND(_mm256_srli_epi16(x, 4), FILL(15))
#define TABLE(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#else
#define ONLY_SSE2 0
#define LOWER(x) _mm512_mask_add_epi8(x, _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, FILL('A')), FILL(26)), x, FILL(0x20))
#define SAME32(a, b) _mm512_xor_si512(a, b)
#define MIN32(a, b) _mm512_min_epu32(a, b)
#define JOIN32(a, b) MIN32(a, b)
#define HIT32(a) ((bits)_mm512_testn_epi32_mask(a, a))
#define EQ32(a, b) ((bits)_mm512_cmpeq_epi32_mask(a, b))
#define NE32(a, b) ((bits)_mm512_cmpneq_epi32_mask(a, b))
#define EITHER32(a, x) ((bits)moved(_mm512_cmpeq_epi32_mask(a, x) | _mm512_testn_epi32_mask(a, a)))
#define FILL32(c) _mm512_set1_epi32((int)(c))
#ifdef IN_REGISTER
#define FILL32_IN(r, c) IN_REGISTER(vec, "zmm" #r, "vpbroadcastd %1, %0", "r"((int)(c)))
#endif
#define SHUFFLE(table, x) _mm512_shuffle_epi8(table, x)
#define AND(a, b) _mm512_and_si512(a, b)
#define HIGH4(x) AND(_mm512_srli_epi16(x, 4), FILL(15))
#define TABLE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))
#endif
#ifndef FILL32_IN
#define FILL32_IN(r, c) FILL32(c)
#endif
#if WIDTH == 64
#define AT32(m) CTZ(m)
#define TOP32(m) TOP(m)
#define SKIPPED32(m, n) ((m) >> ((n) / 4))
#else
#define SKIPPED32(m, n) SKIPPED(m, n)
#define AT32(m) (CTZ(m) / 4)
#define TOP32(m) (TOP(m) / 4)
#endif
#elif defined(__aarch64__)
#define ONLY_SSE2 0
#define SKIPPED(m, n) SKIP(m, n)
#define STEP 4
#define MASK1 EACH
#define LOWER(x) vorrq_u8(x, vandq_u8(vcltq_u8(vsubq_u8(x, FILL('A')), FILL(26)), FILL(0x20)))
#define WORDS(x) vreinterpretq_u32_u8(x)
#define SAME32(a, b) vreinterpretq_u8_u32(vceqq_u32(WORDS(a), WORDS(b)))
#define MIN32(a, b) vreinterpretq_u8_u32(vminq_u32(WORDS(a), WORDS(b)))
#define HIT32(a) HITS(a)
#define JOIN32(a, b) OR(a, b)
#define EQ32(a, b) HITS(vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))))
#define NE32(a, b) (~EQ32(a, b))
#define EITHER32(a, x) HITS(OR(SAME32(a, x), SAME32(a, ZERO)))
#define FILL32(c) vreinterpretq_u8_u32(vdupq_n_u32((uint32_t)(c)))
#define SHUFFLE(table, x) vqtbl1q_u8(table, x)
#define HIGH4(x) vshrq_n_u8(x, 4)
#define TABLE(p) LOAD(p)
#define LOADU_IN(r, p) LOADU(p)
#define FILL32_IN(r, c) FILL32(c)
#define SKIPPED32(m, n) SKIP(m, n)
#define AT32(m) (CTZ(m) / 4)
#define TOP32(m) (TOP(m) / 4)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

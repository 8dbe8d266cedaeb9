// Holds the functions of payload/libc/math, at every level that this processor has, against the musl that this is
// linked with: those that are exact to the bit, in every rounding mode and with their exceptions; the others by how
// far they are from the true value, which on x86_64 musl's functions of long double give.
//
//     math [glance|long]
//
// The functions come under their own names, brawn_NAME (-DBRAWN_MEMORY_UNNAMED).  Prints what it did; the first wrong
// answers end it with 1, with the function, the level, the arguments and both results.
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
extern unsigned char brawn_memory_level;
extern void brawn_memory_detect(void);
enum { UNKNOWN,
    SSE2,
    AVX2 };
#elif defined(__aarch64__)
static unsigned char brawn_memory_level;
enum { UNKNOWN,
    SSE2 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

static const int MODES[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static const int FLAGS = FE_INEXACT | FE_UNDERFLOW | FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
static int wrong;
static long rounds = 4000;

static uint64_t random_bits(void) {
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static double as_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t as_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static float as_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Any float but a signaling NaN, of which musl's functions are not told what to do.
static float any_float(void) {
    float x = as_float((uint32_t)random_bits());
    return isnan(x) ? NAN : x;
}

static const double SPECIAL[] = {0, 0.5, 1, 1.5, 2, 2.5, 3, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1p52, 0x1p51,
    0x1.8p51, 0x1p53, 0x1p63, 0x1p62, 0x1p31, 0x1.fffffffffffffp-2, 0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p23, 0x1p22,
    0x1.fffffep-2, 0x1.fffffffffffffp62, 0x1p64, 0x1.000002p0, 0x1.0000000000001p0, 1e300, 1e-300, 1e10, 0x1p24};
enum { SPECIALS = 2 * (sizeof SPECIAL / sizeof *SPECIAL) + 3 };

static double special(int which) {
    if (which == 0) return INFINITY;
    if (which == 1) return -INFINITY;
    if (which == 2) return NAN;
    double x = SPECIAL[(which - 3) / 2];
    return which & 1 ? x : -x;
}

// A number as programs have them, and as they do not.
static double some(void) {
    uint64_t bits = random_bits();
    switch (random_bits() % 8) {
    case 0: {
        double x = as_double(bits);
        return isnan(x) ? 1 : x;
    }
    case 1: return special((int)(bits % SPECIALS));
    case 2: return (double)(int64_t)(bits >> 40) / 2 - 0x1p22;
    case 3: return nextafter((double)(int32_t)bits, bits & 1 ? INFINITY : -INFINITY);
    case 4: return as_double((bits & 0x800fffffffffffff) | (uint64_t)(1023 - 60 + (bits >> 52) % 130) << 52);
    case 5: return as_double(bits & 0x800fffffffffffff);
    case 6: return (float)((int64_t)bits) * 0x1p-60f;
    default: return (double)((int64_t)bits) * 0x1p-60;
    }
}

static float some_float(void) {
    uint64_t bits = random_bits();
    if (random_bits() % 2) return (float)some();
    float x = as_float((uint32_t)bits);
    return isnan(x) ? 1 : x;
}

static void report(const char *name, int mode, double x, double y, double z, double ours, int our_flags, double musls,
    int musl_flags) {
    printf("math: %s at level %d, mode %#x, of %a, %a, %a: %a with exceptions %#x, and musl's %a with %#x\n", name,
        brawn_memory_level, (unsigned)mode, x, y, z, ours, (unsigned)our_flags, musls, (unsigned)musl_flags);
    if (++wrong >= 20) exit(1);
}

// A zero's sign counts, a NaN's payload does not.
static int same(double a, double b) { return as_bits(a) == as_bits(b) || (isnan(a) && isnan(b)); }

#define EXACT(X, Y)               \
    X(double, double, floor)      \
    X(double, double, ceil)       \
    X(double, double, trunc)      \
    X(double, double, rint)       \
    X(double, double, nearbyint)  \
    X(double, double, round)      \
    X(double, double, logb)       \
    X(long, double, lround)       \
    X(long long, double, llround) \
    Y(float, float, floorf)       \
    Y(float, float, ceilf)        \
    Y(float, float, truncf)       \
    Y(float, float, rintf)        \
    Y(float, float, nearbyintf)   \
    Y(float, float, roundf)       \
    Y(long, float, lroundf)       \
    Y(long long, float, llroundf)

#define X(Result, Float, name)                                  \
    extern Result brawn_##name(Float);                          \
    static Result (*volatile our_##name)(Float) = brawn_##name; \
    static Result (*volatile musls_##name)(Float) = name;
EXACT(X, X)
#undef X
extern double brawn_fma(double, double, double);
extern float brawn_fmaf(float, float, float);
static double (*volatile our_fma)(double, double, double) = brawn_fma, (*volatile musls_fma)(double, double, double) = fma;
static float (*volatile our_fmaf)(float, float, float) = brawn_fmaf, (*volatile musls_fmaf)(float, float, float) = fmaf;

#define RUN(Result, call, flags)  \
    feclearexcept(FE_ALL_EXCEPT); \
    Result call;                  \
    int flags = fetestexcept(FLAGS);

static void exact_ones(double x, float xf, int mode) {
    volatile double argument = x;
    volatile float argument_float = xf;
    fesetround(mode);
#define CHECK(Result, argument, name)                                                                \
    {                                                                                                \
        RUN(Result, ours = our_##name(argument), our_flags)                                          \
        RUN(Result, musls = musls_##name(argument), musl_flags)                                      \
        if (!same((double)ours, (double)musls) || our_flags != musl_flags)                           \
            report(#name, mode, argument, 0, 0, (double)ours, our_flags, (double)musls, musl_flags); \
    }
#define X(Result, Float, name) CHECK(Result, argument, name)
#define Y(Result, Float, name) CHECK(Result, argument_float, name)
    EXACT(X, Y)
#undef X
#undef Y
    fesetround(FE_TONEAREST);
}

// Those of two arguments.
#ifdef __x86_64__
#define ONLY_X86_64(X) \
    X(double, fmin)    \
    X(double, fmax)    \
    X(float, fminf)    \
    X(float, fmaxf)    \
    X(float, hypotf)
#elif defined(__aarch64__)
#define ONLY_X86_64(X)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
#define EXACT_PAIRS(X) \
    ONLY_X86_64(X)     \
    X(double, fmod)    \
    X(double, remainder)
#define X(Float, name)                       \
    extern Float brawn_##name(Float, Float); \
    static Float (*volatile our_##name)(Float, Float) = brawn_##name, (*volatile musls_##name)(Float, Float) = name;
EXACT_PAIRS(X)
#undef X

static void exact_pair(double x, double y, int mode) {
    fesetround(mode);
#define X(Float, name)                                                        \
    {                                                                         \
        volatile Float a = (Float)x, b = (Float)y;                            \
        RUN(Float, ours = our_##name(a, b), our_flags)                        \
        RUN(Float, musls = musls_##name(a, b), musl_flags)                    \
        if (!same(ours, musls) || our_flags != musl_flags)                    \
            report(#name, mode, a, b, 0, ours, our_flags, musls, musl_flags); \
    }
    EXACT_PAIRS(X)
#undef X
    fesetround(FE_TONEAREST);
}

// A multiple of y, its half or near one; a number near y; of all exponents.
static double next_to(double y) {
    uint64_t bits = random_bits();
    double near = y * (double)((int64_t)(random_bits() >> (bits % 64)) | 1) * (bits & 64 ? 0.5 : 1);
    if (bits & 128) near = nextafter(near, bits & 256 ? INFINITY : 0);
    return isnan(near) ? 1 : (bits & 512 ? -near : near);
}

// What musl's fmaf leaves out or raises by mistake near the least normal number is not asked for: the instruction
// itself says what is right, where there is one.  Whether an infinity times zero, plus a NaN, is "invalid" is left
// to the processor (C23, 7.12.13.1).
static void fused(double x, double y, double z, int mode) {
    if (isnan(z) && (isnan(x * y) || isnan((float)x * (float)y))) return;
    // A product that is too small, plus zero, keeps its sign; before 1.2.6 it lost it in musl.
    if (z == 0 && x != 0 && y != 0 && fabs(x * y) <= 0x1p-1074) return;
    volatile double a = x, b = y, c = z;
    volatile float d = (float)x, e = (float)y, f = (float)z;
    fesetround(mode);
    {
        RUN(double, ours = our_fma(a, b, c), our_flags)
        RUN(double, musls = musls_fma(a, b, c), musl_flags)
        if (!same(ours, musls) || our_flags != musl_flags) report("fma", mode, x, y, z, ours, our_flags, musls, musl_flags);
    }
    {
        RUN(float, ours = our_fmaf(d, e, f), our_flags)
        RUN(float, musls = musls_fmaf(d, e, f), musl_flags)
#ifdef __x86_64__
        int level = brawn_memory_level;
        brawn_memory_level = UNKNOWN;
        brawn_memory_detect();
        if (brawn_memory_level >= AVX2) {
            feclearexcept(FE_ALL_EXCEPT);
            musls = our_fmaf(d, e, f);
            musl_flags = fetestexcept(FLAGS);
        } else {
            our_flags |= FE_UNDERFLOW, musl_flags |= FE_UNDERFLOW;
        }
        brawn_memory_level = (unsigned char)level;
#endif
        if (!same(ours, musls) || our_flags != musl_flags)
            report("fmaf", mode, d, e, f, ours, our_flags, musls, musl_flags);
    }
    fesetround(FE_TONEAREST);
}

static void all_exact(void) {
    for (int mode = 0; mode < 4; mode++) {
        for (int i = 0; i < SPECIALS; i++) {
            exact_ones(special(i), (float)special(i), MODES[mode]);
            for (int j = 0; j < SPECIALS; j++) exact_pair(special(i), special(j), MODES[mode]);
            for (int j = 0; j < SPECIALS; j++)
                for (int k = 0; k < SPECIALS; k += rounds < 100000 ? 23 : 1) fused(special(i), special(j), special(k), MODES[mode]);
        }
        for (long i = 0; i < rounds; i++) {
            exact_ones(some(), some_float(), MODES[mode]);
            double x = some(), y = some(), z = some();
            exact_pair(x, y, MODES[mode]);
            const float side = some_float();
            exact_pair(side, some_float(), MODES[mode]);
            exact_pair(side, side * ldexp((double)(int32_t)random_bits(), -(int)(random_bits() % 64)), MODES[mode]);
            exact_pair(next_to(y), y, MODES[mode]);
            exact_pair(as_double(random_bits() % 16), as_double(random_bits() % 16), MODES[mode]);
            // Half of them cancel, or nearly.
            if (i & 1) z = -x * y * (1 + (double)(int8_t)random_bits() * 0x1p-53);
            if (i & 2) x = as_double((as_bits(x) & 0x800fffffffffffff) | (random_bits() % 0x7ff) << 52);
            fused(x, y, z, MODES[mode]);
            fused(some_float(), some_float(), some_float(), MODES[mode]);
        }
    }
}

// How far a result may be from the true value, in units of its last place, and what it is tried on.  On aarch64, whose
// long double functions in musl are no better than its double ones, musl's own result stands for the true one.
typedef struct {
    const char *name;
    float (*volatile ours)(float);
    float (*volatile musls)(float);
    long double (*truth)(long double);
    float low, high;
} Near;

#define NEAR_FUNCTIONS(X)      \
    X(expf, expl, -104, 89)    \
    X(exp2f, exp2l, -151, 129) \
    X(logf, logl, 0, 3e38)     \
    X(log2f, log2l, 0, 3e38)   \
    X(log10f, log10l, 0, 3e38) \
    X(sinf, sinl, -1e6, 1e6)   \
    X(cosf, cosl, -1e6, 1e6)   \
    X(tanf, tanl, -1e6, 1e6)
#define X(name, truth, low, high) extern float brawn_##name(float);
NEAR_FUNCTIONS(X)
#undef X
static const Near NEAR[] = {
#define X(name, truth, low, high) {#name, brawn_##name, name, truth, low, high},
    NEAR_FUNCTIONS(X)
#undef X
};
extern float brawn_powf(float, float);
static float (*volatile our_powf)(float, float) = brawn_powf, (*volatile musls_powf)(float, float) = powf;

static double worst;

static void near(const char *name, double x, double y, float ours, int our_flags, float musls, int musl_flags, long double truth) {
    const int told = FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
#ifdef __aarch64__
    truth = musls;
    const double limit = 1.6;
#elif defined(__x86_64__)
    const double limit = 0.6;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    int odd = isnan(musls) || isinf(musls) || musls == 0;
    // Musl's own result may be on the other side of what is the largest float.
    double error = odd || isinf(ours) ? 0 : fabs((double)((ours - truth) / (nextafterf(fabsf(ours), INFINITY) - fabsf(ours))));
    if (error > worst) worst = error;
    if (error > limit || (odd && !same(ours, musls)) || (our_flags & told) != (musl_flags & told))
        report(name, FE_TONEAREST, x, y, error, ours, our_flags, musls, musl_flags);
}

static void near_one(const Near *f, float x) {
    volatile float argument = x;
    RUN(float, ours = f->ours(argument), our_flags)
    RUN(float, musls = f->musls(argument), musl_flags)
    near(f->name, x, 0, ours, our_flags, musls, musl_flags, f->truth(x));
}

static void near_power(float x, float y) {
    volatile float base = x, exponent = y;
    RUN(float, ours = our_powf(base, exponent), our_flags)
    RUN(float, musls = musls_powf(base, exponent), musl_flags)
    near("powf", x, y, ours, our_flags, musls, musl_flags, powl(x, y));
}

static float between(float low, float high) {
    return low + (high - low) * (float)(random_bits() >> 11) * 0x1p-53f;
}

static void all_near(void) {
    for (size_t i = 0; i < sizeof NEAR / sizeof *NEAR; i++) {
        const Near *f = &NEAR[i];
        worst = 0;
        for (int j = 0; j < SPECIALS; j++) near_one(f, (float)special(j));
        for (long j = 0; j < 10 * rounds; j++) {
            near_one(f, between(f->low, f->high));
            near_one(f, between(-10, 10));
            near_one(f, between(0.5, 2));
            near_one(f, any_float());
        }
        printf("math: %s at level %d: at most %.3f of the last place\n", f->name, brawn_memory_level, worst);
    }
    worst = 0;
    for (int i = 0; i < SPECIALS; i++)
        for (int j = 0; j < SPECIALS; j++) near_power((float)special(i), (float)special(j));
    for (long j = 0; j < 10 * rounds; j++) {
        near_power(between(0, 100), between(-20, 20));
        near_power(between(0.9f, 1.1f), between(-900, 900));
        near_power(between(-100, 0), (float)(int)between(-20, 20));
        near_power(any_float(), any_float());
    }
    printf("math: powf at level %d: at most %.3f of the last place\n", brawn_memory_level, worst);
}

#ifdef __x86_64__
#include "math-doubles.h"
#elif defined(__aarch64__)
static void all_near_doubles(void) {}
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

static void every_level(void (*check)(void)) {
#ifdef __x86_64__
    brawn_memory_level = UNKNOWN;
    brawn_memory_detect();
    unsigned char best = brawn_memory_level < AVX2 ? SSE2 : AVX2;
    for (unsigned char level = SSE2; level <= best; level++) {
        brawn_memory_level = level;
        check();
    }
#elif defined(__aarch64__)
    check();
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

int main(int count, char **arguments) {
    if (count > 1) rounds = strcmp(arguments[1], "long") == 0 ? 10000000 : 1000;
    every_level(all_near);
    every_level(all_near_doubles);
    every_level(all_exact);
    printf("math: %ld arguments a function, mode and level, %d wrong\n", rounds, wrong);
    return wrong != 0;
}

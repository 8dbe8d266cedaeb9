// Included by math.c: how far the functions of doubles are from the true values, which musl's functions of long double
// give.  They are for x86_64 alone: aarch64 has musl's own.
#pragma once
typedef struct {
    const char *name;
    double (*volatile ours)(double);
    double (*volatile musls)(double);
    long double (*truth)(long double);
    double low, high, limit;
} NearDouble;

#define NEAR_DOUBLES(X)               \
    X(log, logl, 0, 1e308, 0.53)      \
    X(log2, log2l, 0, 1e308, 0.53)    \
    X(log10, log10l, 0, 1e308, 0.53)  \
    X(sin, sinl, -5e6, 5e6, 0.55)     \
    X(cos, cosl, -5e6, 5e6, 0.55)     \
    X(tan, tanl, -5e6, 5e6, 0.53)     \
    X(asin, asinl, -1, 1, 0.75)       \
    X(acos, acosl, -1, 1, 0.68)       \
    X(expm1, expm1l, -50, 720, 0.52)  \
    X(cosh, coshl, -715, 715, 1.6)    \
    X(log1p, log1pl, -1, 1e308, 0.67) \
    X(tanh, tanhl, -25, 25, 2)        \
    X(erf, erfl, -7, 7, 0.95)         \
    X(erfc, erfcl, -7, 26.5, 2.55)
#define X(name, truth, low, high, limit) extern double brawn_##name(double);
NEAR_DOUBLES(X)
#undef X
static const NearDouble NEAR_DOUBLE[] = {
#define X(name, truth, low, high, limit) {#name, brawn_##name, name, truth, low, high, limit},
    NEAR_DOUBLES(X)
#undef X
};
extern double brawn_pow(double, double);
static double (*volatile our_pow)(double, double) = brawn_pow, (*volatile musls_pow)(double, double) = pow;

// What the long doubles' last place may be off by is 1/2048 of the doubles'.
static void near_double(const char *name, double x, double y, double ours, int our_flags, double musls, int musl_flags, long double truth, double limit) {
    const int told = FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
    const int odd = isnan(musls) || isinf(musls) || musls == 0;
    const long double place = nextafter(fabs(ours), INFINITY) - fabs(ours);
    const double error = odd || isinf(ours) ? 0 : (double)fabsl((ours - truth) / place);
    if (error > worst) worst = error;
    if (error > limit || (odd && !same(ours, musls)) || (our_flags & told) != (musl_flags & told))
        report(name, FE_TONEAREST, x, y, error, ours, our_flags, musls, musl_flags);
}

static void near_double_one(const NearDouble *f, double x) {
    volatile double argument = x;
    RUN(double, ours = f->ours(argument), our_flags)
    RUN(double, musls = f->musls(argument), musl_flags)
    // A long double's error of e^x grows with x.
    const double unsure = f->truth == expm1l && ours ? fabs((double)ilogb(ours)) / 1500 : 0;
    // A tangent below a half is a series alone.
    const double series = f->truth == tanl && fabs(x) < 0.5 ? 0.09 : 0;
    near_double(f->name, x, 0, ours, our_flags, musls, musl_flags, f->truth(x), f->limit + unsure + series);
}

static void near_power_double(double x, double y) {
    volatile double base = x, exponent = y;
    RUN(double, ours = our_pow(base, exponent), our_flags)
    RUN(double, musls = musls_pow(base, exponent), musl_flags)
    // The error of the long double's logarithm is multiplied by the exponent.
    const double unsure = ours ? fabs((double)ilogb(ours)) / 1500 : 0;
    near_double("pow", x, y, ours, our_flags, musls, musl_flags, powl(x, y), 0.53 + unsure);
}

extern void brawn_sincos(double, double *, double *);
static void both_at_once(double x) {
    double sine, cosine;
    brawn_sincos(x, &sine, &cosine);
    if (!same(sine, brawn_sin(x))) report("sincos, the sine", FE_TONEAREST, x, 0, 0, sine, 0, brawn_sin(x), 0);
    if (!same(cosine, brawn_cos(x))) report("sincos, the cosine", FE_TONEAREST, x, 0, 0, cosine, 0, brawn_cos(x), 0);
}

extern double brawn_hypot(double, double);
static double (*volatile our_hypot)(double, double) = brawn_hypot, (*volatile musls_hypot)(double, double) = hypot;

// To the bit, in the rounding mode that everyone has.
static void sides(double x, double y) {
    volatile double a = x, b = y;
    RUN(double, ours = our_hypot(a, b), our_flags)
    RUN(double, musls = musls_hypot(a, b), musl_flags)
    if (!same(ours, musls) || our_flags != musl_flags) report("hypot", FE_TONEAREST, x, y, 0, ours, our_flags, musls, musl_flags);
}

static double between_doubles(double low, double high) {
    return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

static void all_near_doubles(void) {
    for (size_t i = 0; i < sizeof NEAR_DOUBLE / sizeof *NEAR_DOUBLE; i++) {
        const NearDouble *f = &NEAR_DOUBLE[i];
        worst = 0;
        for (int j = 0; j < SPECIALS; j++) near_double_one(f, special(j));
        // Where tables go on to the next row, and end.
        for (int j = -1792; j <= 1792; j++) {
            double below = j / 64.0, above = below;
            near_double_one(f, below);
            for (int k = 0; k < 2; k++) {
                near_double_one(f, below = nextafter(below, -INFINITY));
                near_double_one(f, above = nextafter(above, INFINITY));
            }
        }
        for (long j = 0; j < 10 * rounds; j++) {
            near_double_one(f, between_doubles(f->low, f->high));
            near_double_one(f, between_doubles(-10, 10));
            near_double_one(f, between_doubles(0.5, 2));
            near_double_one(f, 1 + between_doubles(-1, 1) * ldexp(1, -(int)(random_bits() % 53)));
            near_double_one(f, between_doubles(-1, 1) * ldexp(1, -(int)(random_bits() % 60)));
            near_double_one(f, as_double(random_bits()));
            // Near the places of the circle at which sines and cosines are taken from.
            near_double_one(f, nextafter((double)(int)(random_bits() % 4096) * 0x1.921fb54442d18p-5, between_doubles(-1, 1) * 1e9));
        }
        printf("math: %s at level %d: at most %.3f of the last place\n", f->name, brawn_memory_level, worst);
    }
    for (int i = 0; i < SPECIALS; i++) both_at_once(special(i));
    for (long j = 0; j < rounds; j++) both_at_once(some());
    for (int i = 0; i < SPECIALS; i++)
        for (int j = 0; j < SPECIALS; j++) sides(special(i), special(j));
    for (long j = 0; j < 10 * rounds; j++) {
        const double x = some();
        sides(x, some());
        sides(x, x * between_doubles(-3, 3));
        sides(x, ldexp(x, (int)(random_bits() % 140) - 70));
    }
    // Powers of the base are exact.
    for (int i = -1074; i < 1024; i++)
        if (brawn_log2(ldexp(1, i)) != i) report("log2", FE_TONEAREST, i, 0, 0, brawn_log2(ldexp(1, i)), 0, i, 0);
    for (int i = 0; i <= 22; i++) {
        const double ten = strtod((char[]){'1', 'e', (char)('0' + i / 10), (char)('0' + i % 10), 0}, NULL);
        if (brawn_log10(ten) != i) report("log10", FE_TONEAREST, ten, 0, 0, brawn_log10(ten), 0, i, 0);
        if (i <= 10 && brawn_log10f((float)ten) != (float)i) report("log10f", FE_TONEAREST, ten, 0, 0, brawn_log10f((float)ten), 0, i, 0);
    }
    worst = 0;
    for (int i = 0; i < SPECIALS; i++)
        for (int j = 0; j < SPECIALS; j++) near_power_double(special(i), special(j));
    for (long j = 0; j < 10 * rounds; j++) {
        near_power_double(between_doubles(0, 100), between_doubles(-20, 20));
        near_power_double(between_doubles(0.9, 1.1), between_doubles(-7500, 7500));
        near_power_double(between_doubles(-100, 0), (double)(int)between_doubles(-160, 160));
        near_power_double(1 + between_doubles(-1, 1) * 0x1p-9, between_doubles(-1, 1) * 0x1p18);
        near_power_double(2 * between_doubles(0, 1), between_doubles(-1100, 1100));
        near_power_double(as_double(random_bits()), as_double(random_bits()));
        near_power_double(as_double(random_bits() >> 1), between_doubles(-2, 2));
    }
    printf("math: pow at level %d: at most %.3f of the last place\n", brawn_memory_level, worst);
}

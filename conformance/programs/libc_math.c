//# states: functions of libm give C's answers for zeros, infinities and NaNs, in every rounding mode and with their exceptions, and else the nearest numbers
//# case: whole values near near_doubles
//# link: static static-pie
#include "guarded.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>

static int same(double x, double y) { return isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y); }
#define IS(call, expected)                                              \
    do {                                                                \
        double is = (call), wanted = (expected);                        \
        CHECK(same(is, wanted), "%s is %a, not %a", #call, is, wanted); \
    } while (0)
#define RAISES(call, expected)                                                                         \
    do {                                                                                               \
        feclearexcept(FE_ALL_EXCEPT);                                                                  \
        (void)(call);                                                                                  \
        int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_INEXACT);               \
        CHECK(raised == (expected), "%s raises %#x, not %s (%#x)", #call, (unsigned)raised, #expected, \
            (unsigned)(expected));                                                                     \
    } while (0)

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static const struct {
    double x, down, up, zero, away;
    double by_mode[4];
} whole[] = {{0, 0, 0, 0, 0, {0, 0, 0, 0}},
    {0x1p-1074, 0, 1, 0, 0, {0, 1, 0, 0}},
    {0x1.fffffffffffffp-2, 0, 1, 0, 0, {0, 1, 0, 0}},
    {0.5, 0, 1, 0, 1, {0, 1, 0, 0}},
    {0x1.0000000000001p-1, 0, 1, 0, 1, {1, 1, 0, 0}},
    {1, 1, 1, 1, 1, {1, 1, 1, 1}},
    {1.5, 1, 2, 1, 2, {2, 2, 1, 1}},
    {2.5, 2, 3, 2, 3, {2, 3, 2, 2}},
    {8388607.5, 8388607, 8388608, 8388607, 8388608, {8388608, 8388608, 8388607, 8388607}},
    {0x1.fffffffffffffp51,
        0x1.ffffffffffffep51,
        0x1p52,
        0x1.ffffffffffffep51,
        0x1p52,
        {0x1p52, 0x1p52, 0x1.ffffffffffffep51, 0x1.ffffffffffffep51}},
    {0x1.0000000000001p52,
        0x1.0000000000001p52,
        0x1.0000000000001p52,
        0x1.0000000000001p52,
        0x1.0000000000001p52,
        {0x1.0000000000001p52, 0x1.0000000000001p52, 0x1.0000000000001p52, 0x1.0000000000001p52}},
    {0x1.fffffffffffffp1023,
        0x1.fffffffffffffp1023,
        0x1.fffffffffffffp1023,
        0x1.fffffffffffffp1023,
        0x1.fffffffffffffp1023,
        {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023}},
    {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, {INFINITY, INFINITY, INFINITY, INFINITY}},
    {NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN}}};

static void check_whole(void) {
    for (int m = 0; m < 4; m++) {
        NEED(fesetround(modes[m]) == 0);
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
            double x = whole[i].x, by_mode = whole[i].by_mode[m],
                   minus = whole[i].by_mode[m ^ (m == 1 || m == 2 ? 3 : 0)];
            IS(floor(x), whole[i].down);
            IS(floor(-x), -whole[i].up);
            IS(ceil(x), whole[i].up);
            IS(ceil(-x), -whole[i].down);
            IS(trunc(x), whole[i].zero);
            IS(trunc(-x), -whole[i].zero);
            IS(round(x), whole[i].away);
            IS(round(-x), -whole[i].away);
            IS(rint(x), by_mode);
            IS(rint(-x), -minus);
            IS(nearbyint(x), by_mode);
            IS(nearbyint(-x), -minus);
            RAISES(nearbyint(x), 0);
            RAISES(rint(x), x == rint(x) || isnan(x) ? 0 : FE_INEXACT);
            if ((float)x != x && !isnan(x)) continue;
            float f = (float)x;
            IS(floorf(f), whole[i].down);
            IS(ceilf(-f), -whole[i].down);
            IS(truncf(-f), -whole[i].zero);
            IS(roundf(f), whole[i].away);
            IS(rintf(f), by_mode);
            IS(nearbyintf(-f), -minus);
            RAISES(nearbyintf(f), 0);
        }
        CHECK_SAME(lround(-2.5), -3);
        CHECK_SAME(llround(0x1.fffffffffffffp-2), 0);
        CHECK_SAME(lroundf(8388609.0f), 8388609);
        CHECK_SAME(lround(-0x1p63), LONG_MIN);
        CHECK_SAME(lrint(0x1p62 + 1024), (1L << 62) + 1024);
        RAISES(lround(0x1p63), FE_INVALID);
        RAISES(lround(NAN), FE_INVALID);
        RAISES(llround(-INFINITY), FE_INVALID);
    }
}

static void check_fma(void) {
    double e = 0x1.0000000000001p0;
    IS(fma(e, e, -0x1.0000000000002p0), 0x1p-104);
    IS(fma(0x1p-600, 0x1p-600, 1), 1);
    IS(fma(0x1p1000, 0x1p1000, -INFINITY), -INFINITY);
    IS(fma(0x1p1023, 2, -0x1.fffffffffffffp1023), 0x1p971);
    IS(fma(0x1.8p-1, 0x1p-1074, 0), 0x1p-1074);
    IS(fma(0x1p-1, 0x1p-1074, 0), 0);
    IS(fma(0x1p-1, 0x1p-1074, 0x1p-1074), 0x1p-1073);
    IS(fma(-0x1p-1, 0x1p-1074, 0x1p-1074), 0);
    IS(fma(0x1.0000000000001p-1000, 0x1.0000000000001p-22, -0x1.0000000000002p-1022), 0);
    IS(fma(0x1.fffffffffffffp-540, 0x1.fffffffffffffp-483, 0), 0x1.ffffffffffffep-1022);
    IS(fma(1, 1, -1), 0);
    IS(fma(-0.0, 5, -0.0), -0.0);
    IS(fma(-0.0, 5, 0), 0);
    IS(fma(INFINITY, 1, -INFINITY), NAN);
    IS(fma(0, INFINITY, 1), NAN);
    IS(fma(NAN, 0, 0), NAN);
    RAISES(fma(INFINITY, 0, 0), FE_INVALID);
    RAISES(fma(INFINITY, 1, -INFINITY), FE_INVALID);
    RAISES(fma(3, 5, 7), 0);
    RAISES(fma(0x1p1000, 0x1p1000, 0), FE_OVERFLOW | FE_INEXACT);
    IS(fmaf(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f), 0x1p-46);
    /* Rounded to a double first, it would be the middle between two floats. */
    IS(fmaf(0x1.000002p0f, 0x1.fffffcp-25f, 0x1.000002p0f), 0x1.000002p0);
    IS(fmaf(0x1p-149f, 0x1.000002p-1f, 0), 0x1p-149);
    fesetround(FE_DOWNWARD);
    IS(fma(1, 1, -1), -0.0);
    IS(fma(1, 1, -0x1p-1074), 0x1.fffffffffffffp-1);
    fesetround(FE_UPWARD);
    IS(fma(1, 1, 0x1p-1074), 0x1.0000000000001p0);
    IS(fmaf(1, 1, 0x1p-149f), 0x1.000002p0);
    fesetround(FE_TONEAREST);
}

// Long because it is a table of arguments and results.
static void check_values(void) {
    check_fma();
    static const struct {
        double x, y, power;
    } powers[] = {{0, 3, 0},
        {-0.0, 3, -0.0},
        {-0.0, 2, 0},
        {-0.0, -3, -INFINITY},
        {0, -2, INFINITY},
        {-1, INFINITY, 1},
        {-1, -INFINITY, 1},
        {1, NAN, 1},
        {NAN, 0, 1},
        {NAN, -0.0, 1},
        {-8, 1.0 / 3, NAN},
        {0.5, -INFINITY, INFINITY},
        {2, -INFINITY, 0},
        {0.5, INFINITY, 0},
        {-INFINITY, -3, -0.0},
        {-INFINITY, -2, 0},
        {-INFINITY, 3, -INFINITY},
        {INFINITY, -1, 0},
        {-2, 3, -8},
        {-2, 4, 16},
        {10, 2, 100},
        {NAN, 1, NAN},
        {2, NAN, NAN},
        {-1, 3, -1}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        double x = powers[i].x, y = powers[i].y;
        CHECK(same(pow(x, y), powers[i].power), "pow(%g, %g) is %a", x, y, pow(x, y));
        if (i == 10) continue;
        CHECK(same(powf((float)x, (float)y), powers[i].power), "powf(%g, %g) is %a", x, y,
            (double)powf((float)x, (float)y));
    }
    RAISES(pow(0, -1), FE_DIVBYZERO);
    RAISES(powf(-0.0f, -3), FE_DIVBYZERO);
    RAISES(powf(-8, 0.5f), FE_INVALID);
    RAISES(powf(1e30f, 2), FE_OVERFLOW | FE_INEXACT);
    IS(powf(-0x1p-74f, 2), 0x1p-148);
    IS(powf(-0x1p-50f, 3), -0.0);
    IS(powf(-3, 16777215), -INFINITY);
    IS(exp(0), 1);
    IS(exp(-INFINITY), 0);
    IS(exp(INFINITY), INFINITY);
    IS(exp(NAN), NAN);
    IS(exp(-746), 0);
    IS(expf(0), 1);
    IS(expf(-INFINITY), 0);
    IS(expf(INFINITY), INFINITY);
    IS(expf(-104), 0);
    IS(expf(88.8f), INFINITY);
    IS(exp2f(10), 1024);
    IS(exp2f(-149), 0x1p-149);
    IS(exp2f(-150), 0);
    IS(exp2f(128), INFINITY);
    IS(exp2f(NAN), NAN);
    RAISES(expf(89), FE_OVERFLOW | FE_INEXACT);
    RAISES(expf(NAN), 0);
    IS(log(1), 0);
    IS(log(0), -INFINITY);
    IS(log(-0.0), -INFINITY);
    IS(log(INFINITY), INFINITY);
    IS(log(-1), NAN);
    IS(log2(0x1p-1074), -1074);
    IS(logf(1), 0);
    IS(logf(-0.0f), -INFINITY);
    IS(logf(INFINITY), INFINITY);
    IS(logf(-1), NAN);
    IS(log2f(8), 3);
    IS(log2f(0x1p-149f), -149);
    RAISES(logf(0), FE_DIVBYZERO);
    RAISES(logf(-1), FE_INVALID);
    RAISES(log2f(-INFINITY), FE_INVALID);
    RAISES(log(0), FE_DIVBYZERO);
    IS(sin(-0.0), -0.0);
    IS(sinf(-0.0f), -0.0);
    IS(cosf(0), 1);
    IS(tanf(-0.0f), -0.0);
    IS(tanf(0x1p-149f), 0x1p-149);
    IS(tanf(INFINITY), NAN);
    RAISES(tanf(INFINITY), FE_INVALID);
    IS(cos(-0.0), 1);
    IS(tan(-0.0), -0.0);
    IS(sinf(0x1p-149f), 0x1p-149);
    IS(sinf(INFINITY), NAN);
    IS(cosf(-INFINITY), NAN);
    IS(sin(INFINITY), NAN);
    IS(tan(NAN), NAN);
    RAISES(sinf(INFINITY), FE_INVALID);
    RAISES(cosf(-INFINITY), FE_INVALID);
    IS(expm1(-0.0), -0.0);
    IS(expm1(-INFINITY), -1);
    IS(expm1(INFINITY), INFINITY);
    IS(expm1(710), INFINITY);
    IS(log1p(-0.0), -0.0);
    IS(log1p(-1), -INFINITY);
    IS(log1p(-2), NAN);
    IS(log1p(INFINITY), INFINITY);
    IS(tanh(-0.0), -0.0);
    IS(tanh(-INFINITY), -1);
    IS(tanh(30), 1);
    IS(erf(-0.0), -0.0);
    IS(erf(-INFINITY), -1);
    IS(erfc(-INFINITY), 2);
    IS(erfc(INFINITY), 0);
    IS(erfc(0), 1);
    IS(log10f(1e10f), 10);
    IS(log10f(0), -INFINITY);
    RAISES(expm1(710), FE_OVERFLOW | FE_INEXACT);
    RAISES(log1p(-1), FE_DIVBYZERO);
    RAISES(log1p(-2), FE_INVALID);
    RAISES(tan(INFINITY), FE_INVALID);
    IS(fmin(NAN, 1), 1);
    IS(fmax(1, NAN), 1);
    IS(fmin(NAN, NAN), NAN);
    IS(fmax(-INFINITY, -1), -1);
    IS(fmod(-6, 3), -0.0);
    IS(fmod(5.5, INFINITY), 5.5);
    IS(fmod(1, 0), NAN);
    IS(fmod(0x1p1023, 3), 2);
    IS(remainder(5, 2), 1);
    IS(remainder(7, 2), -1);
    IS(hypot(NAN, INFINITY), INFINITY);
    IS(hypot(0x3p999, 0x4p999), 0x5p999);
    IS(hypot(0x1p-1074, 0), 0x1p-1074);
    IS(hypotf(-3, 4), 5);
    IS(hypotf(NAN, -INFINITY), INFINITY);
    IS(hypotf(0x3p100f, 0x4p100f), 0x5p100f);
    IS(hypotf(0, -0x1p-149f), 0x1p-149f);
    IS(cbrt(-8), -2);
    IS(sqrt(-0.0), -0.0);
    IS(atan2(-0.0, -1), -M_PI);
    IS(atan2(0, 1), 0);
    IS(ldexp(1, -1074), 0x1p-1074);
    IS(ldexp(0x1.8p0, -1075), 0x1p-1074);
    IS(ldexp(1, INT_MAX), INFINITY);
    IS(erf(INFINITY), 1);
    IS(tgamma(5), 24);
    IS(tgamma(0), INFINITY);
    IS(expm1(-0.0), -0.0);
    IS(log1p(-1), -INFINITY);
    int exponent;
    double part;
    IS(frexp(0x1p-1074, &exponent), 0.5);
    IS(exponent, -1073);
    IS(frexp(-0.0, &exponent), -0.0);
    IS(exponent, 0);
    IS(modf(-3.25, &part), -0.25);
    IS(part, -3);
    IS(modf(-INFINITY, &part), -0.0);
    IS(part, -INFINITY);
    IS(nextafter(0, -1), -0x1p-1074);
    IS(nextafter(0x1.fffffffffffffp1023, INFINITY), INFINITY);
    IS(copysign(1, -0.0), -1);
    IS(scalbn(0x1p-1074, 2097), 0x1p1023);
    IS(scalbn(0x1p-1074, 2098), INFINITY);
    IS(ilogb(0x1p-1074), -1074);
    IS(logb(0), -INFINITY);
    IS(logb(-0x1p-1074), -1074);
    IS(logb(0x1.8p1023), 1023);
    IS(logb(-INFINITY), INFINITY);
    RAISES(logb(-0.0), FE_DIVBYZERO);
    IS(ilogb(0), FP_ILOGB0);
}

/* As the number of units in the last place of `exact` as a float. */
static double units(float found, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs(found - exact) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* The double functions tell what the float ones are held to: within one unit, as musl's. */
static void check_near(void) {
    static const struct {
        const char *name;
        float (*f)(float);
        double (*exact)(double);
    } functions[] = {{"expf", expf, exp}, {"exp2f", exp2f, exp2}, {"logf", logf, log}, {"log2f", log2f, log2},
        {"sinf", sinf, sin}, {"cosf", cosf, cos}, {"tanf", tanf, tan}, {"cbrtf", cbrtf, cbrt},
        {"sqrtf", sqrtf, sqrt}, {"atanf", atanf, atan}};
    static const float worst[] = {0x1.921fb6p0f, 0x1.921fb6p1f, 0x1.2d97c8p2f, 0x1.fffffep127f, 0x1p-126f,
        0x1.fffffep-1f, 0x1.000002p0f, 0x1.62e43p6f, 1e10f, 33.0f};
    uint64_t state = 99;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (size_t i = 0; i < 1500; i++) {
            uint32_t bits = (uint32_t)next_random(&state);
            float x;
            memcpy(&x, &bits, sizeof x);
            if (i < sizeof worst / sizeof *worst) x = worst[i];
            double exact = functions[k].exact(x);
            if (!isfinite(x) || !isfinite(exact) || fabs(exact) > 0x1.fffffep127) continue;
            float found = functions[k].f(x);
            CHECK(units(found, exact) < 1, "%s(%a) is %a, not %a", functions[k].name, (double)x, (double)found, exact);
        }
    }
    for (int i = 0; i < 3000; i++) {
        float x = (float)(next_random(&state) % 100000 + 1) / 997,
              y = (float)(int)(next_random(&state) % 2000 - 1000) / 61;
        double exact = pow(x, y);
        if (fabs(exact) > 0x1.fffffep127) continue;
        CHECK(units(powf(x, y), exact) < 1, "powf(%a, %a) is %a, not %a", (double)x, (double)y, (double)powf(x, y),
            exact);
    }
}

/* The same of doubles, for which those of long double tell: within what musl's own are, 2.6 units for erfc. */
static void check_near_doubles(void) {
    static const struct {
        const char *name;
        double (*f)(double);
        long double (*exact)(long double);
        double most, units;
    } functions[] = {{"sin", sin, sinl, 1e300, 1}, {"cos", cos, cosl, 1e300, 1}, {"tan", tan, tanl, 1e300, 1},
        {"expm1", expm1, expm1l, 40, 1}, {"log1p", log1p, log1pl, 1e300, 1}, {"tanh", tanh, tanhl, 30, 2.2},
        {"erf", erf, erfl, 7, 1}, {"erfc", erfc, erfcl, 26, 2.7}};
    static const double worst[] = {0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.fffffffffffffp-2,
        0x1.62e42fefa39efp-2, 0x1.8p-27, 0x1p-53, 0x1.fffffffffffffp-1, 1.25, 5.999};
    uint64_t state = 7;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (int i = 0; i < 2000; i++) {
            const double all = (double)(int64_t)next_random(&state) * 0x1p-63;
            double x = i & 1 ? all * functions[k].most : ldexp(all, (int)(next_random(&state) % 60) - 50);
            if ((size_t)i < sizeof worst / sizeof *worst) x = worst[i];
            const long double exact = functions[k].exact(x);
            if (fabs(x) > functions[k].most || !isfinite(exact) || fabsl(exact) < 0x1p-1000L) continue;
            int exponent;
            frexpl(exact, &exponent);
            const double found = functions[k].f(x), lost = (double)fabsl((found - exact) / ldexpl(1, exponent - 53));
            CHECK(lost < functions[k].units, "%s(%a) is %a, not %La", functions[k].name, x, found, exact);
        }
    }
}

RUN_CASES({"whole", check_whole}, {"values", check_values}, {"near", check_near}, {"near_doubles", check_near_doubles})

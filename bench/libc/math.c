/* libm: 64 arguments each, as programs have them. */
#include "bench.h"
#include <math.h>
#include <fenv.h>

static double x[64], angle[64], big[64], unit[64];
static float xf[64], anglef[64];

PREPARE {
    uint64_t state = 99;
    for (int i = 0; i < 64; i++) {
        double u = (double)(draw(&state) >> 11) / 9007199254740992.0;
        unit[i] = u * 1.98 - 0.99;
        x[i] = 0.01 + u * 30;
        angle[i] = (u - 0.5) * 20;
        big[i] = (u - 0.5) * 1e6;
        xf[i] = (float)x[i];
        anglef[i] = (float)angle[i];
    }
}

/* The time is that of 64 calls; ratios are what counts. */
#define EACH(from, call)                     \
    do {                                     \
        for (int i = 0; i < 64; i++) {       \
            double v = from[i];              \
            __asm__ volatile("" : "+m"(v));  \
            double r = call;                 \
            __asm__ volatile("" : : "m"(r)); \
        }                                    \
    } while (0)
#define EACHF(from, call)                    \
    do {                                     \
        for (int i = 0; i < 64; i++) {       \
            float v = from[i];               \
            __asm__ volatile("" : "+m"(v));  \
            float r = call;                  \
            __asm__ volatile("" : : "m"(r)); \
        }                                    \
    } while (0)
#define M(ID, from, call) \
    ROW("math", ID, #call) { EACH(from, call); }
#define F(ID, from, call) \
    ROW("math", ID, #call) { EACHF(from, call); }

M(m_floor, big, floor(v))
M(m_ceil, big, ceil(v))
M(m_trunc, big, trunc(v))
M(m_round, big, round(v))
M(m_rint, big, rint(v))
M(m_nearby, big, nearbyint(v))
F(m_floorf, xf, floorf(v))
F(m_roundf, xf, roundf(v))
ROW("math", m_lrint, "lrint(v)") { EACH(big, (double)lrint(v)); }
ROW("math", m_lround, "lround(v)") { EACH(big, (double)lround(v)); }
M(m_fma, x, fma(v, 1.5, 0.25))
F(m_fmaf, xf, fmaf(v, 1.5f, 0.25f))
M(m_fabs, big, fabs(v))
M(m_sqrt, x, sqrt(v))
M(m_cbrt, x, cbrt(v))
M(m_fmod, big, fmod(v, 7.25))
M(m_remainder, big, remainder(v, 7.25))
M(m_modf, big, modf(v, &(double){0}))
M(m_frexp, big, frexp(v, &(int){0}))
M(m_ldexp, x, ldexp(v, 5))
M(m_hypot, x, hypot(v, 3.0))
M(m_fmin, big, fmin(v, 1.0))
M(m_fmax, big, fmax(v, 1.0))
M(m_exp, angle, exp(v))
M(m_exp2, angle, exp2(v))
M(m_expm1, unit, expm1(v))
M(m_log, x, log(v))
M(m_log2, x, log2(v))
M(m_log10, x, log10(v))
M(m_log1p, unit, log1p(v))
M(m_pow, x, pow(v, 2.2))
M(m_pow2, x, pow(v, 2.0))
M(m_sin, angle, sin(v))
M(m_cos, angle, cos(v))
M(m_tan, angle, tan(v))
M(m_asin, unit, asin(v))
M(m_acos, unit, acos(v))
M(m_atan, angle, atan(v))
M(m_atan2, angle, atan2(v, 1.5))
M(m_sinh, unit, sinh(v))
M(m_tanh, unit, tanh(v))
M(m_erf, unit, erf(v))
M(m_lgamma, x, lgamma(v))
M(m_tgamma, unit, tgamma(v + 2))
F(m_expf, anglef, expf(v))
F(m_exp2f, anglef, exp2f(v))
F(m_logf, xf, logf(v))
F(m_log2f, xf, log2f(v))
F(m_log10f, xf, log10f(v))
F(m_powf, xf, powf(v, 2.2f))
F(m_sinf, anglef, sinf(v))
F(m_cosf, anglef, cosf(v))
F(m_tanf, anglef, tanf(v))
F(m_atan2f, anglef, atan2f(v, 1.5f))
F(m_sqrtf, xf, sqrtf(v))
ROW("math", m_sincos, "sincos(v)") { EACH(angle, (sincos(v, &(double){0}, &(double){0}), v)); }

// Holds the functions of payload/libc/numbers against the musl that this is linked with, over generated texts, numbers
// and formats, in every rounding mode.
//
//     numbers [glance|long]
//
// The functions come under their own names, brawn_NAME (-DBRAWN_MEMORY_UNNAMED).  Prints what it did; wrong answers
// end it with 1, with the function, the arguments and both results.
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <inttypes.h>
#include <locale.h>
#include <sys/mman.h>
#include <wchar.h>

static long rounds = 100000, trials;
static int wrong;

static uint64_t random_bits(void) {
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static double as_power(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void failed(void) {
    if (++wrong >= 20) exit(1);
}

extern double brawn_strtod(const char *, char **);
extern float brawn_strtof(const char *, char **);
extern long double brawn_strtold(const char *, char **);
extern double brawn_atof(const char *);

#define READ(Float, function, spell)                                                                             \
    {                                                                                                            \
        char *our_end = 0, *musls_end = 0;                                                                       \
        errno = 0;                                                                                               \
        Float ours = brawn_##function(text, &our_end);                                                           \
        int our_error = errno;                                                                                   \
        errno = 0;                                                                                               \
        Float musls = function(text, &musls_end);                                                                \
        int musls_error = errno;                                                                                 \
        int same = ours == musls ? signbit(ours) == signbit(musls) : ours != ours && musls != musls;             \
        if (!same || our_end != musls_end || our_error != musls_error) {                                         \
            printf("numbers: " #function " of \"%s\", mode %#x: " spell ", end %td, errno %d, and musl's " spell \
                   ", %td, %d\n",                                                                                \
                text, mode, ours, our_end - text, our_error, musls, musls_end - text, musls_error);              \
            failed();                                                                                            \
        }                                                                                                        \
        trials++;                                                                                                \
    }

extern double brawn_wcstod(const wchar_t *, wchar_t **);
extern float brawn_wcstof(const wchar_t *, wchar_t **);
extern long double brawn_wcstold(const wchar_t *, wchar_t **);

// A text in wide characters, some of them blanks and others that only wide text has.
static const wchar_t *widened(const char *text) {
    static wchar_t wide[4096];
    size_t n = 0;
    uint64_t odd = random_bits();
    if (odd % 16 == 0) wide[n++] = 0x2003;
    for (; *text; text++) wide[n++] = (unsigned char)*text;
    if (odd % 8 == 1) wide[(odd >> 8) % (n + 1)] = (wchar_t)(odd >> 32 & 1 ? 0x3000 : odd >> 40);
    wide[n] = 0;
    return wide;
}

static void wide_reals(const char *narrow, int mode) {
    const wchar_t *wide = widened(narrow);
    const wchar_t *text = wide;
    wchar_t *our_end, *musls_end;
#define READ_WIDE(Float, function)                                                                                                 \
    {                                                                                                                              \
        errno = 0;                                                                                                                 \
        Float ours = brawn_##function(text, &our_end);                                                                             \
        int our_error = errno;                                                                                                     \
        errno = 0;                                                                                                                 \
        Float musls = function(text, &musls_end);                                                                                  \
        if (memcmp(&ours, &musls, sizeof(Float) == 16 && LDBL_MANT_DIG == 64 ? 10 : sizeof(Float)) != 0 || our_end != musls_end || \
            our_error != errno) {                                                                                                  \
            printf("numbers: " #function " of \"%s\", mode %#x: %La, end %td, errno %d, and musl's %La, %td, %d\n",                \
                narrow, mode, (long double)ours, our_end - text, our_error, (long double)musls, musls_end - text, errno);          \
            failed();                                                                                                              \
        }                                                                                                                          \
        trials++;                                                                                                                  \
    }
    READ_WIDE(float, wcstof)
    READ_WIDE(double, wcstod)
    READ_WIDE(long double, wcstold)
}

static void read_one(const char *text, int mode) {
    fesetround(mode);
    READ(double, strtod, "%a")
    READ(float, strtof, "%a")
    READ(long double, strtold, "%La")
    wide_reals(text, mode);
    if (brawn_atof(text) != atof(text) && atof(text) == atof(text)) printf("numbers: atof of %s\n", text), failed();
    fesetround(FE_TONEAREST);
}

static const char *const TEXTS[] = {
    "", " ", "+", "-", ".", "-.", "+.5", ".e1", "e5", "0", "-0", "+0", "00", "0.", ".0", "-.0", "0e", "0e5", "0e99999", "-0e-99999",
    "1", "1e", "1e+", "1e-", "1e+x", "1ex", "1e5", "1E5", "1e05", "1e00000000005", "1e0000", "1e9999", "1e99999", "1e-9999",
    "1e-99999", "1e99999999999999999999", "inf", "-INF", "infinity", "infin", "nan", "NaN(12)", "nan(", "-nan", "0x", "0x1", "0x1p3", "0x1.8p-3", "0x.8",
    "0x1p", "0xg", "-0x1.fffffffffffffp1023", "\t\n\v\f\r 12.5abc", "\b12", "1.2.3", "1,5", "1_000", "12e3.4", "9007199254740993",
    "9007199254740992", "9007199254740991.5", "1152921504606846976", "18446744073709551615", "18446744073709551616",
    "99999999999999999999", "100000000000000000000000", "1e22", "1e23", "8.5e22", "1.7976931348623157e308", "1.7976931348623158e308",
    "1.7976931348623159e308", "1.797693134862315708e308", "2.2250738585072014e-308", "2.2250738585072011e-308",
    "2.2250738585072012e-308", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "5e-324", "3e-324",
    "1e-323", "1.17549435e-38", "1.17549428e-38", "3.4028235e38", "3.4028236e38", "3.40282357e38", "1.4e-45", "7e-46", "0.1", "0.3",
    "123456789012345678901234567890", "1234567890123456.5", "1234567890123457.5", "0.500000000000000166533453693773481063544750213623046875",
    "3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565",
    "9007199254740993.00000000000000000000000000000000000000001", "6929495644600919.5", "3.7455744005952583e15",
    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000012345", "000000000000000000000000000000001.5",
    "12345678901234567890123456789012345678901234567890e-30", "1.00000005960464477539062499", "1.000000059604644775390625",
    "1.00000005960464477539062501", "-inf", "-Infinity", "infinitx", "i", "in", "-in", "n", "na", "nan(1_aZ)x", "nan(1-)", "-nan(1", "+NAN()", "x", "-x", "-.x", "0x0", "-0x0p9", "0x00.00p-99999",
    "0x.", "0x.p1", "-0x.1", "0x1..2", "0x1p+", "0x1p-x", "0x1p00003", "0x1p99999", "0x1p-99999", "0x1p1023", "0x1p1024", "-0x1p1022",
    "0x1.fffffffffffff7p1023", "0x1.fffffffffffff8p1022", "0x1p-1022", "0x1p-1073", "-0x1p-1074", "0x1p-1075", "0x1.8p-1074", "0x1.4p-1072",
    "0x1p127", "0x1p128", "0x1p-126", "0x1p-148", "-0x1p-149", "0x1.8p-149", "0x1p-150", "0x1p16383", "0x1p16384", "0x1p-16382", "0x1p-16445",
    "0x123456789abcdef01", "0x123456789abcdef", "0x0000000000000000123456789abcdefp4", "0x1.00000000000008", "-0x1.000000000000080000001",
    "0x1.0000000000000800000000000000000001p-3", "0x0.00000000000000000000000000000000001", "0x1.000001", "0x1.0000018p0", "0x3fffffffffffffff", "0x4000000000000001",
    "1e39", "-1e39", "1e-50", "-1e-50", "-1e-160", "1e-270", "-1e-280", "1e310", "-1e310", "1e326", "-1e540", "1e-330", "-1e-360", "-1e-1150", "1e-1190",
    "-1e-1210", "3.40282346638528859811704183484516925440e+38", "3.4028235677973366e38", "-3.4028235677973365e38", "1.7976931348623158079e308",
    "8.98846567431158e307", "-1.7976931348623157e308", "1e4000", "-1e-4000", "1e4931", "1e4932", "1.18973149535723176502e4932", "1.18973149535723176506e4932", "1.2e4932",
    "-1e4939", "1e5000", "-1e8300", "3.4e-4932", "-3.3e-4932", "3.6e-4951", "1e-4960", "-1e-4990", "-1e-5000", "1e-9000", "123456789012345678e400",
    "1.5.7", "1.00000000000000011102230246251565404236316680908203125.5", "999999999999999999999999999999999999999", "18446744073709551617.0000000000000000000000000000000000000001",
    "1.e5", ".5e1", "5.e", "1e1e1", "++1", "+-1", "1 ", "0b1", "0.0000000000000000000", "-1e-400", "1e400"};

// A number of a type or half way to the next, with all of its digits: as it is, a little more or a little less, far behind or not.
static void long_one(char *text, uint64_t bits, double x) {
    const double power = as_power((int)(bits >> 8 & 255) - 128), near = (1 + (double)(random_bits() >> 12) * 0x1p-52) * power;
    if (bits & 1) x = near;
    const float f = (float)(bits & 2 ? near : (double)(bits >> 40) * 0x1p-149);
    long double number = x;
    if (bits >> 16 & 3) number += ((long double)nextafter(x, INFINITY) - x) / 2;
    if (bits >> 18 & 1) number = f, number += bits >> 16 & 3 ? ((long double)nextafterf(f, INFINITY) - f) / 2 : 0;
    if (bits >> 19 & 1) number = near + (long double)power * 0x1p-63L * (long double)(bits >> 53);
    if (isinf(number)) number = 1;
    int n = sprintf(text, bits >> 20 & 1 ? "%.1100Lf" : "%.1100Le", number);
    char *const e = strchr(text, 'e');
    char tail[16] = "";
    if (e) strcpy(tail, e), n = (int)(e - text);
    while (text[n - 1] == '0') n--;
    // Sometimes half way between two long doubles, or a digit less or more.
    if (bits >> 21 & 1 && text[n - 1] > '0') text[n - 1]--;
    static const char *const BEHIND[] = {"", "5", "00000000000000000000000000000000000000000001", "999999999999999999999999999999999999999999", "0000"};
    strcpy(text + n, BEHIND[(bits >> 22 & 255) % 5]);
    n = (int)strlen(text);
    const int zeros = bits >> 30 & 7 ? 0 : (int)(bits >> 33 & 255);
    memset(text + n, '0', (size_t)zeros);
    sprintf(text + n + zeros, "%s%s", bits >> 33 & 1 ? "7" : "", tail);
}

static void generated(char *text) {
    uint64_t bits = random_bits();
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isnan(x) || isinf(x)) x = 0.25;
    double small = (double)(int64_t)random_bits() * 0x1p-50;
    switch (random_bits() % 16) {
    case 0: sprintf(text, "%.17g", x); break;
    case 15: long_one(text, bits, x); break;
    case 12: {
        // Below the least normal numbers of both types, and around half the least of all.
        double least = bits & 1 ? 0x1p-1074 : 0x1p-149;
        double few = (double)(random_bits() >> (bits >> 1) % 60 >> 4) / (bits >> 8 & 3 ? 1 : 4);
        if (bits & 64) sprintf(text, "%.*e", (int)(random_bits() % 22), few * least);
        else sprintf(text, "%llue%d", (unsigned long long)(random_bits() >> (bits >> 1) % 62), (bits & 1 ? -342 : -64) + (int)(random_bits() % 30));
        break;
    }
    case 13: {
        // Hexadecimal: few digits or more than a type has, of any size that one of the types has.
        static const int SIZES[] = {160, 1100, 16500};
        const int most = SIZES[bits % 3], n = sprintf(text, "%s0x%.*llx.", bits & 8 ? "-" : "", (int)(bits >> 4 & 7), (unsigned long long)(random_bits() >> bits % 63));
        sprintf(text + n, "%.*llx%sp%d", (int)(bits >> 8 & 15), (unsigned long long)(random_bits() >> (bits >> 12) % 64), bits & 1 << 20 ? "000000000000000001" : "",
            (int)(random_bits() % (unsigned)(most * 2)) - most);
        break;
    }
    // Of a long double's powers of ten, and beyond; and of those near the ends of the other types'.
    case 14:
        if (bits & 1) sprintf(text, "%s%lld.%llue%d", bits & 2 ? "-" : "", (long long)(random_bits() >> bits % 62 >> 1), (unsigned long long)random_bits(), (int)(random_bits() % 10600) - 5300);
        else sprintf(text, "%s%.*e", bits & 2 ? "-" : "", (int)(bits >> 3 & 15) + 3, (bits & 4 ? 0x1.fffffep127 : 0x1p1023) * (1 + (double)(random_bits() >> 40) * 0x1p-24));
        break;
    case 1: sprintf(text, "%.15g", x); break;
    case 2: sprintf(text, "%.*e", (int)(bits % 40), x); break;
    case 3: sprintf(text, "%.*f", (int)(bits % 20), small); break;
    case 4: sprintf(text, "%d.%02d", (int)(random_bits() % 100000), (int)(random_bits() % 100)); break;
    case 5: sprintf(text, "%.9g", (double)(float)small); break;
    case 6: sprintf(text, "%lld", (long long)random_bits() >> bits % 63); break;
    case 7: sprintf(text, "%llue%d", (unsigned long long)random_bits() >> bits % 63, (int)(random_bits() % 700) - 360); break;
    case 8: {
        // Half way between two numbers, or next to it.
        float f = (float)small;
        double half = bits & 1 ? ((double)f + (double)nextafterf(f, INFINITY)) / 2 : 0;
        if (bits & 1) sprintf(text, "%.40f", half);
        else sprintf(text, "%llu.5", (unsigned long long)(((uint64_t)1 << 52) + random_bits() % ((uint64_t)1 << 52)));
        if (bits & 2) strcat(text, bits & 4 ? "1" : "0");
        break;
    }
    case 9: {
        long double middle = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;
        sprintf(text, "%.*Le", 20 + (int)(bits % 800), middle);
        break;
    }
    case 10: {
        int n = (int)(bits % 30) + 1, i = 0;
        for (; i < n; i++) text[i] = "0123456789.eE+-x 0000"[random_bits() % 21];
        text[i] = 0;
        break;
    }
    default: sprintf(text, "%.*g", (int)(bits % 17) + 1, small * pow(10, (int)(random_bits() % 60) - 30)); break;
    }
}

static void reading(void) {
    static const int MODES[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static char text[4096];
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        for (int mode = 0; mode < 4; mode++) read_one(TEXTS[i], MODES[mode]);
    for (long i = 0; i < rounds; i++) {
        generated(text);
        read_one(text, i % 8 ? FE_TONEAREST : MODES[i / 8 % 4]);
    }
}

extern const char *brawn_inet_ntop(int, const void *, char *, socklen_t);

static void addresses(void) {
    for (long i = 0; i < rounds; i++) {
        unsigned char a[16];
        char ours[64], musls[64];
        uint64_t zeros = random_bits();
        for (int j = 0; j < 16; j++) a[j] = zeros >> j / 2 & 1 || (zeros >> (16 + j) & 3) == 3 ? 0 : (unsigned char)(random_bits() >> (zeros >> 60));
        if (i % 8 == 0) memcpy(a, "\0\0\0\0\0\0\0\0\0\0\377\377", 12);
        int family = i % 3 == 0 ? AF_INET : (i % 101 == 0 ? AF_UNIX : AF_INET6);
        socklen_t size = i % 16 ? 60 : (socklen_t)(random_bits() % 50);
        memset(ours, '#', sizeof ours);
        memset(musls, '#', sizeof musls);
        errno = 0;
        const char *our_result = brawn_inet_ntop(family, a, ours, size);
        int our_error = errno;
        errno = 0;
        const char *musls_result = inet_ntop(family, a, musls, size);
        // Of two runs of zeros as long, the first: in musl from 1.2.6 on.
        unsigned char back[16];
        if (family == AF_INET6 && our_result && strncmp(ours, "::", 2) == 0 && strncmp(musls, "0:0:", 4) == 0 &&
            inet_pton(AF_INET6, ours, back) == 1 && memcmp(a, back, 16) == 0) continue;
        // What is behind the text, and in a buffer too small, too.
        if (!our_result != !musls_result || (our_result && our_result != ours) || our_error != errno || memcmp(ours, musls, sizeof ours) != 0) {
            printf("numbers: inet_ntop, family %d, %u bytes: \"%.60s\", errno %d, and musl's \"%.60s\", %d\n", family, size, ours,
                our_error, musls, errno);
            failed();
        }
        trials++;
    }
}

#include "numbers-integers.h"
#include "numbers-scan.h"

extern long brawn_a64l(const char *);
extern char *brawn_l64a(long);

// Of 64 digits, some other bytes between them, and from none to more than count.
static void base_64(void) {
    for (long i = 0; i < rounds; i++) {
        char text[9];
        const int n = (int)(random_bits() % 9);
        for (int k = 0; k < n; k++) {
            const unsigned any = (unsigned)(random_bits() >> 40);
            text[k] = any % 16 ? "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[any / 16 % 64] : (char)(any / 16);
        }
        text[n < 9 ? n : 8] = 0;
        const long ours = brawn_a64l(text), musls = a64l(text), number = (long)(random_bits() >> random_bits() % 64);
        if (ours != musls) printf("numbers: a64l of \"%s\": %ld, and musl's %ld\n", text, ours, musls), failed();
        if (strcmp(brawn_l64a(number), l64a(number)) != 0) {
            printf("numbers: l64a of %ld: %s, and musl's %s\n", number, brawn_l64a(number), l64a(number)), failed();
        }
        trials++;
    }
}

int main(int count, char **arguments) {
    if (count > 1) rounds = strcmp(arguments[1], "long") == 0 ? 10000000 : 3000;
    reading();
    addresses();
    integers();
    scans();
    base_64();
    printf("numbers: %ld trials, %d wrong\n", trials, wrong);
    return wrong != 0;
}

// Holds brawn's printf and its kin against libc's, over generated formats and arguments.
#pragma once
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

int brawn_snprintf(char *, size_t, const char *, ...);
int brawn_vsnprintf(char *, size_t, const char *, va_list);
int brawn_sprintf(char *, const char *, ...);
int brawn_vsprintf(char *, const char *, va_list);
int brawn_asprintf(char **, const char *, ...);
int brawn_fprintf(FILE *, const char *, ...);
int brawn_printf(const char *, ...);
int brawn_vprintf(const char *, va_list);

// What both say to the same: the text, the bytes behind it, the count, errno.
enum { TEXT = 6000 };
static struct {
    char text[TEXT];
    int result, error;
} said[2];
static int round_mode;
static long printed;

#define DIFFERENT(...)                                                                                             \
    do {                                                                                                           \
        fprintf(stderr, __VA_ARGS__);                                                                              \
        for (int k = 0; k < 2; k++) {                                                                              \
            fprintf(stderr, "\n%s: %d, errno %d: \"%.300s\"", k ? "brawn" : "musl", said[k].result, said[k].error, \
                said[k].text);                                                                                     \
        }                                                                                                          \
        FAIL(" ");                                                                                                 \
    } while (0)

// The same bytes up to the one behind the end; what is behind them is nobody's, as what is behind the text of a format
// that is none.
static int same_text(size_t size) {
    if (said[0].result != said[1].result || said[0].error != said[1].error) return 0;
    if (said[0].result < 0) return !strncmp(said[0].text, said[1].text, size + 1);
    return !memcmp(said[0].text, said[1].text, size + 1 < TEXT ? size + 1 : TEXT);
}

#define BOTH(size, ...)                                                                        \
    do {                                                                                       \
        for (int k = 0; k < 2; k++) {                                                          \
            memset(said[k].text, '~', (size) + 1 < TEXT ? (size) + 1 : TEXT);                  \
            errno = 0;                                                                         \
            fesetround(round_mode);                                                            \
            said[k].result = (k ? brawn_snprintf : snprintf)(said[k].text, size, __VA_ARGS__); \
            fesetround(FE_TONEAREST);                                                          \
            said[k].error = errno;                                                             \
        }                                                                                      \
        printed++;                                                                             \
    } while (0)

static size_t any_size(void) {
    return next() % 4 ? 400 : next() % 24;
}

// A number with some length, as text.
static void number_into(char **to, unsigned most) {
    *to += sprintf(*to, "%u", (unsigned)(next() % most));
}

// "%", flags, width and precision; the places of what a * takes are in `stars`.
static char *directive(char *to, int *stars, unsigned widest, unsigned longest) {
    *stars = 0;
    *to++ = '%';
    for (unsigned n = next() % 8, i = 0; n > 4 && i < n - 4; i++) *to++ = "-0+ #'"[next() % 6];
    switch (next() % 6) {
    case 0:
    case 1: number_into(&to, widest); break;
    case 2: *to++ = '*', *stars |= 1;
    }
    switch (next() % 6) {
    case 0:
    case 1: *to++ = '.', number_into(&to, longest); break;
    case 2: *to++ = '.', *to++ = '*', *stars |= 2; break;
    case 3:
        if (next() % 4 == 0) *to++ = '.';
    }
    return to;
}

static uint64_t any_integer(void) {
    const uint64_t bits = next() >> next() % 64;
    switch (next() % 8) {
    case 0: return -bits;
    case 1: return (uint64_t)1 << next() % 64;
    case 2: return ((uint64_t)1 << next() % 64) - 1;
    case 3: {
        uint64_t ten = 1;
        for (unsigned n = next() % 20; n; n--) ten *= 10;
        return ten - next() % 2;
    }
    }
    return bits;
}

static double any_double(void) {
    union {
        uint64_t bits;
        double of;
    } any = {next()};
    switch (next() % 12) {
    case 0: return any.of;
    case 1: return (double)(int64_t)any_integer();
    case 2: return (double)(next() % 100000) / 100;
    case 3: return (double)(next() % 1000000) / 8;
    case 4: return ldexp(1, (int)(next() % 2100) - 1050);
    case 5: return ldexp((double)(next() % 1000), -(int)(next() % 20));
    case 6: {
        char text[40];
        sprintf(text, "%u.%ue%d", (unsigned)(next() % 1000), (unsigned)(next() % 1000) + 1, (int)(next() % 640) - 325);
        return strtod(text, NULL);
    }
    case 7: {
        // A tie, or one off it.
        char text[40];
        sprintf(text, "%u.%u5e%d", (unsigned)(next() % 10), (unsigned)(next() % 1000), (int)(next() % 12) - 6);
        any.of = strtod(text, NULL);
        any.bits += next() % 3 - 1;
        return any.of;
    }
    case 8: return (const double[]){0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 5e-324, 0x1.fffffffffffffp1023, 0x1p-1022, 1, 10,
        0.5, 1.5, 2.5, 9.5, 99.5, 9.9999995, 0.00009999995, 999999.5, 1e22, 1e23}[next() % 21];
    case 9: any.bits &= 0x800fffffffffffff; return any.of;
    case 10: return (double)(next() % 1000000) * 1e-3;
    }
    any.bits = (any.bits & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + next() % 100) << 52;
    return any.of;
}

static long double any_long_double(void) {
    switch (next() % 4) {
    case 0: return any_double();
    case 1: return (long double)any_double() * any_double();
    case 2: return ldexpl((long double)next(), (int)(next() % 32000) - 16000);
    }
    return (long double)next() / (long double)(next() | 1);
}

// Before 1.2.6, musl's %a does not round to one digit less than there is.
static int special_in_old_musl(const char *format, int stars, int precision) {
    const char *const point = strchr(format, '.'), *const L = strpbrk(format, "L");
    if (!L || (L[1] | 32) != 'a' || !point) return 0;
    return (stars & 2 ? precision : atoi(point + 1)) == LDBL_MANT_DIG / 4 - 1;
}

#define WITH_STARS(...)                                                                                          \
    do {                                                                                                         \
        if (special_in_old_musl(format, stars, precision)) break;                                                \
        if (stars == 0) BOTH(size, format, __VA_ARGS__);                                                         \
        else if (stars == 3) BOTH(size, format, width, precision, __VA_ARGS__);                                  \
        else BOTH(size, format, stars == 1 ? width : precision, __VA_ARGS__);                                    \
        if (!same_text(size)) {                                                                                  \
            DIFFERENT("stdio: snprintf of size %zu, \"%s\", *: %d, %d, mode %#x, argument %#llx, %a, %La", size, \
                format, width, precision, (unsigned)round_mode, (unsigned long long)integer, real, real_long);   \
        }                                                                                                        \
    } while (0)

static void one_directive(void) {
    char format[100], *to = format;
    int stars;
    const unsigned what = next() % 16;
    const size_t size = any_size();
    const int width = (int)(next() % 60) - 20, precision = (int)(next() % 50) - 5;
    const uint64_t integer = any_integer();
    const double real = any_double();
    const long double real_long = any_long_double();
    for (unsigned n = next() % 4 ? next() % 3 : next() % 30; n; n--) {
        *to++ = (char)('a' + next() % 26);
        if (next() % 30 == 0) *to++ = '%', *to++ = '%';
    }
    to = directive(to, &stars, 50, what < 9 ? 40 : (next() % 40 ? 22 : 1200));
    const char *const tail = (const char *[]){"", "|", " and a little more", "%%"}[next() % 4];
#define TAIL(conversion) sprintf(to, "%s%s", conversion, tail)
    static const char *const INTEGERS[] = {"d", "i", "u", "x", "X", "o"};
    static const char *const REALS[] = {"f", "e", "g", "F", "E", "G", "a", "A"};
    char conversion[4] = "";
    switch (what) {
    case 0:
    case 1:
    case 2:
        sprintf(conversion, "%s%s", (const char *[]){"", "hh", "h"}[next() % 3], INTEGERS[next() % 6]);
        TAIL(conversion);
        WITH_STARS((int)integer);
        break;
    case 3:
    case 4:
    case 5:
        sprintf(conversion, "%s%s", (const char *[]){"l", "ll", "j", "z", "t"}[next() % 5], INTEGERS[next() % 6]);
        TAIL(conversion);
        WITH_STARS(integer);
        break;
    case 6:
        TAIL("p");
        WITH_STARS((void *)integer);
        break;
    case 7:
        TAIL("c");
        WITH_STARS((int)integer);
        break;
    case 8: {
        static char text[2000];
        const size_t n = next() % 3 ? next() % 40 : next() % 1500;
        memset(text, 'x', n);
        text[n] = 0;
        TAIL("s");
        const char *const given = next() % 20 ? text : NULL;
        WITH_STARS(given);
        break;
    }
    case 9:
    case 10:
        sprintf(conversion, "L%s", REALS[next() % 8]);
        TAIL(conversion);
        WITH_STARS(real_long);
        break;
    default: TAIL(REALS[next() % 8]); WITH_STARS(real);
    }
}

static void directives(long turns) {
    static const int MODES[] = {FE_TONEAREST, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (long turn = 0; turn < turns; turn++) {
        round_mode = MODES[next() % 5];
        one_directive();
    }
    round_mode = FE_TONEAREST;
}

// Formats that are rare, wrong, or have numbers.
#define SAME(...)                                                                                             \
    do {                                                                                                      \
        for (size_t at = 0; at < sizeof SIZES / sizeof *SIZES; at++) {                                        \
            BOTH(SIZES[at], __VA_ARGS__);                                                                     \
            if (!same_text(SIZES[at])) DIFFERENT("stdio: snprintf of size %zu, %s", SIZES[at], #__VA_ARGS__); \
        }                                                                                                     \
    } while (0)
// Of a precision near INT_MAX musl's digits are not right.
#define COUNTED(...)                                                                 \
    do {                                                                             \
        BOTH((size_t)0, __VA_ARGS__);                                                \
        if (!same_text(0)) DIFFERENT("stdio: snprintf of size 0, %s", #__VA_ARGS__); \
    } while (0)
static const size_t SIZES[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 100, 5000};

// Long because it is a list of formats.
static void rare(void) {
    const int big = INT_MAX;
    SAME("%s", "");
    SAME("");
    SAME("%%");
    SAME("%%%d%%%s%%", 1, "two");
    SAME("%d %s %c %u %x %ld", -1, "text", 'c', 7u, 0xabcu, -5L);
    SAME("%d%d%d%d%d%d%d%d%d%d", 1, 22, 333, 4444, 55555, -6, -77, 0, INT_MAX, INT_MIN);
    SAME("%f%f%f%f%f%f%f%f%f%d", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
    SAME("%Lf %d %f %Lg %s", 1.5L, 3, 2.5, 4.25L, "end");
    SAME("%2$s %1$d", 5, "five");
    SAME("%2$*1$d|%2$-*1$d|%2$.*1$d", 7, 42);
    SAME("%3$s%1$Lf%2$f", 1.5L, 2.5, "3");
    SAME("%1$s %1$s", "twice");
    SAME("%9$d%8$d%7$d%6$d%5$d%4$d%3$d%2$d%1$d", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    SAME("%1$d %3$d", 1, 2, 3);
    SAME("words first, %1$d %q", 1);
    SAME("%1$m");
    SAME("%m|%5.3m|%-30m|");
    SAME("%m%1$d", 7);
    SAME("%1$*d", 1, 2);
    SAME("%q");
    SAME("words %q", 1);
    SAME("%d words %q", 1);
    SAME("%d %", 1);
    SAME("%");
    SAME("%5%");
    SAME("%.5%");
    SAME("%hs", "a");
    SAME("%lls", "a");
    SAME("%Ld", 1);
    SAME("%hf", 1.);
    SAME("%lp", (void *)0);
    SAME("%lm");
    SAME("%lC", 1);
    SAME("%I", 1);
    SAME("%b", 1);
    SAME("%w32d", 1);
    SAME("%hhhd", 1);
    SAME("%llld", 1L);
    SAME("%-5-5d", 1);
    SAME("%.-5d", 5);
    SAME("% +'-0#d", 1);
    SAME("%c%c%c", 0, 'a', 0);
    SAME("%*d|%-*d|%*d", 5, 1, 5, 2, -5, 3);
    SAME("%.*s|%.*s|%.*d", -1, "text", 2, "text", -1, 0);
    SAME("%.s|%.0s|%.d|%.0d|%+.0d|%#.0o|%#.0x", "a", "b", 0, 0, 0, 0, 0);
    SAME("%2147483648d", 1);
    SAME("%99999999999999999999d", 1);
    SAME("%.2147483648d", 1);
    SAME("%.99999999999999999999f", 1.);
    SAME("%.99999999999999999999s", "text");
    COUNTED("%.2147483647f", 1.);
    COUNTED("%.2147483646f", 1.);
    COUNTED("%.2147483645f", 1.);
    COUNTED("%.2147483640e", 1.);
    COUNTED("%.2147483643e", 1.);
    COUNTED("%#.2147483647g", 1.);
    COUNTED("%.2147483647g", 1.);
    COUNTED("%.2147483640a", 1.);
    COUNTED("%.2147483647a", 1.);
    SAME("%*d", INT_MIN + 1, 1);
    // musl writes two billion blanks into nothing: not for each size.
    BOTH((size_t)10, "%2147483647d%d", 1, 2);
    if (!same_text(10)) DIFFERENT("stdio: more than an int counts");
    BOTH((size_t)10, "%*d", big, 1);
    if (!same_text(10)) DIFFERENT("stdio: as much as an int counts");
    BOTH((size_t)10, "%.*d", big, -1);
    if (!same_text(10)) DIFFERENT("stdio: one more digit than an int counts");

    for (int k = 0; k < 2; k++) {
        signed char hh = 0;
        short h = 0;
        int i = 0;
        long l = 0, z = 0, j = 0;
        long long ll = 0;
        said[k].result = (k ? brawn_snprintf : snprintf)(said[k].text, 5, "%hhna%hnb%nc%lnd%lln%se%znf%jn", &hh, &h, &i, &l, &ll,
            "much text", &z, &j);
        sprintf(said[k].text + 100, "%d %d %d %ld %lld %ld %ld", hh, h, i, l, ll, z, j);
        said[k].error = 0;
    }
    if (!same_text(5) || strcmp(said[0].text + 100, said[1].text + 100)) DIFFERENT("stdio: %%n");

    // From 1.2.4 on, musl takes such sizes.
    char text[100];
    if (brawn_snprintf(text, (size_t)INT_MAX + 1, "%d", 5) != 1 || strcmp(text, "5")) FAIL("a size over INT_MAX");
    if (brawn_snprintf(text, SIZE_MAX, "%s", "abc") != 3 || strcmp(text, "abc")) FAIL("a size of all");
    // And from 1.2.5 on, a wide zero is a byte.
    if (brawn_snprintf(text, 9, "%lc|", 0) != 2 || memcmp(text, "\0|", 3)) FAIL("a wide zero");
    if (brawn_snprintf(NULL, 0, "%s", "abc") != 3) FAIL("no buffer");
}

// Ties, and what lies a little beside them, where blocks of nine digits meet.
static void ties(void) {
    static const int MODES[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 400; i++) {
        const double odd = i / 4 * 2 + 1;
        round_mode = MODES[i % 4];
        SAME("%.18f|%.18f|%.18f", odd * 0x1p-19, odd * 0x1p-19 + 0x1p-60, odd * 0x1p-19 - 0x1p-60);
        SAME("%.27f|%.27f|%.27f", odd * 0x1p-28, odd * 0x1p-28 + 0x1p-70, odd * 0x1p-28 - 0x1p-70);
        SAME("%.36Lf|%.36Lf", odd * 0x1p-37L, odd * 0x1p-37L + 0x1p-90L);
        SAME("%.0f|%.0e|%.1e|%.20f", odd / 2, odd * 50, odd / 2 + 0x1p-40, odd * 0x1p-21);
    }
    round_mode = FE_TONEAREST;
}

static void wide_text(long turns) {
    for (int locale = 0; locale < 2; locale++) {
        setlocale(LC_ALL, locale ? "C.UTF-8" : "C");
        for (long turn = 0; turn < turns; turn++) {
            static const uint32_t MOST[] = {0x80, 0x800, 0xe000, 0x110000, 0x120000};
            wchar_t text[30];
            const size_t n = next() % 29;
            const uint32_t most = MOST[next() % 8 ? next() % 3 : next() % 5];
            for (size_t i = 0; i < n; i++) text[i] = (wchar_t)(next() % most + (next() % 8 == 0 ? 0xdf80 : 1));
            text[n] = 0;
            const int precision = (int)(next() % 40) - 5, width = (int)(next() % 60) - 25;
            SAME("%ls|", text);
            SAME("%*.*ls|", width, precision, text);
            SAME("%-20S|%.7S|", text, text);
            if (n) SAME("%lc|%*lc|%C", text[0], width, text[n - 1], text[0]);
        }
    }
    setlocale(LC_ALL, "C");
}

static int by_list(int which, char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int result = which == 0 ? brawn_vsnprintf(to, 500, format, list) : brawn_vsprintf(to, format, list);
    va_end(list);
    return result;
}

static void others(void) {
    char text[600], *made;
    for (int which = 0; which < 2; which++) {
        memset(text, '~', sizeof text);
        if (by_list(which, text, "%d %s %f", 5, "six", 7.) != 14 || strcmp(text, "5 six 7.000000") || text[15] != '~') {
            FAIL("vsnprintf or vsprintf: %s", text);
        }
    }
    memset(text, '~', sizeof text);
    if (brawn_sprintf(text, "%s=%ld", "key", 123456789012) != 16 || strcmp(text, "key=123456789012") || text[17] != '~') {
        FAIL("sprintf: %s", text);
    }
    for (int n = 0; n < 1500; n += n < 500 || n > 520 ? 37 : 1) {
        if (brawn_asprintf(&made, "%*d|", n, 5) != (n ? n : 1) + 1) FAIL("asprintf of width %d", n);
        if (strlen(made) != (size_t)(n ? n : 1) + 1 || made[strlen(made) - 1] != '|') FAIL("asprintf of width %d", n);
        free(made);
    }
    made = text;
    errno = 0;
    if (brawn_asprintf(&made, "%d %q", 5) != -1 || made != text || errno != EINVAL) FAIL("asprintf of no format");
}

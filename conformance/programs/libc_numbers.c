//# states: text becomes numbers and numbers text as C and POSIX say: exact, in every rounding mode, with errno and where the number ends
//# case: read round print
//# link: static static-pie
#include "guarded.h"
#include <arpa/inet.h>
#include <fenv.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* EITHER: C leaves it open whether a number that is below all normal ones sets errno, and musl says nothing where hexadecimal
 * digits are rounded to infinity. */
enum { EITHER = -1 };
static const struct {
    const char *text;
    double value;
    int error;
} doubles[] = {{"0", 0, 0},
    {"-0", -0.0, 0},
    {"1e5", 1e5, 0},
    {"+.5", 0.5, 0},
    {"5.", 5, 0},
    {" \t\n\v\f\r7", 7, 0},
    {"0e999999999999999999999", 0, 0},
    {"9007199254740993", 0x1p53, 0},
    {"9007199254740993.000000000000000000000000000000001", 0x1.0000000000001p53, 0},
    {"9007199254740992.999999999999999999999999999999999", 0x1p53, 0},
    {"9007199254740995", 0x1.0000000000002p53, 0},
    {"6929495644600919.5", 6929495644600920, 0},
    {"3.7455744005952583e15", 0x1.a9d28ff412a75p51, 0},
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022, EITHER},
    {"2.2250738585072014e-308", 0x1p-1022, 0},
    {"2.2250738585072012e-308", 0x1p-1022, EITHER},
    {"4.9e-324", 0x1p-1074, EITHER},
    {"2.4703282292062327e-324", 0, ERANGE},
    {"2.4703282292062328e-324", 0x1p-1074, EITHER},
    {"1.7976931348623157e308", 0x1.fffffffffffffp1023, 0},
    {"1.7976931348623158e308", 0x1.fffffffffffffp1023, 0},
    {"1.7976931348623159e308", INFINITY, ERANGE},
    {"1e309", INFINITY, ERANGE},
    {"-1e99999999999", -INFINITY, ERANGE},
    {"1e-99999999999", 0, ERANGE},
    {"0x1p-1074", 0x1p-1074, 0},
    {"0x1p-1075", 0, ERANGE},
    {"0x1.fffffffffffff7p1023", 0x1.fffffffffffffp1023, 0},
    {"0x1.fffffffffffff8p1023", INFINITY, EITHER},
    {"0xA.8P+1", 21, 0},
    {"1.00000000000000011102230246251565404236316680908203125", 1, 0},
    {"1.00000000000000011102230246251565404236316680908203126", 0x1.0000000000001p0, 0},
    {"0.000000000000000000000000000000000000000000000000000000000000000000000001e72", 1, 0},
    {"123456789012345678901234567890", 0x1.8ee90ff6c373ep96, 0},
    {"inf", INFINITY, 0},
    {"-INFINITY", -INFINITY, 0},
    {"-1e-330", -0.0, ERANGE},
    {"-1e-5000", -0.0, ERANGE},
    {"1e310", INFINITY, ERANGE},
    {"0x1.00000000000008", 1, 0},
    {"0x1.00000000000008000000000000000001", 0x1.0000000000001p0, 0},
    {"-0x0p99", -0.0, 0},
    {"0x00.00p-99999", 0, 0},
    {"0x1p-1073", 0x1p-1073, 0},
    {"0x1p1023", 0x1p1023, 0}};

/* Where a number ends: how many characters of the text are one. */
static const struct {
    const char *text;
    int length;
} ends[] = {{"1e", 1}, {"1e+", 1}, {"1e-x", 1}, {"0x", 1}, {"0xg", 1}, {"0x.p1", 1},
    {"0x1p", 3}, {"0x1.8p-", 5}, {".", 0}, {"+.e5", 0}, {"-", 0}, {"", 0},
    {"  ", 0}, {"e5", 0}, {"1.2.3", 3}, {"1,5", 1}, {"infinit", 3}, {"infinity8", 8},
    {"in", 0}, {"-i", 0}, {"na", 0}, {"INFinitY.", 8}, {"0x.", 1}, {"0x1..", 4}, {"0x1p+", 3}, {"nanx", 3}, {"nan(12_a)", 9}, {"nan(1-)", 3}, {"nan(", 3}, {"1e5e5", 3},
    {"0x1.8e1", 7}, {"- 1", 0}, {"--1", 0}, {"1d5", 1}, {"1f", 1}};

static void integers(void) {
    char *end;
    const char *s;
#define INTEGER(f, text, base, expected, length, error) \
    do {                                                \
        s = text;                                       \
        CHECK_ERRNO(f(s, &end, base), expected, error); \
        CHECK_SAME(end - s, length);                    \
    } while (0)
    INTEGER(strtol, " \t+9223372036854775807 ", 10, LONG_MAX, 22, 0);
    INTEGER(strtol, "9223372036854775808", 10, LONG_MAX, 19, ERANGE);
    INTEGER(strtol, "-9223372036854775808", 10, LONG_MIN, 20, 0);
    INTEGER(strtol, "-9223372036854775809z", 10, LONG_MIN, 20, ERANGE);
    INTEGER(strtoul, "18446744073709551615", 10, ULONG_MAX, 20, 0);
    INTEGER(strtoul, "18446744073709551616", 10, ULONG_MAX, 20, ERANGE);
    INTEGER(strtoul, "-1", 10, ULONG_MAX, 2, 0);
    INTEGER(strtoul, "-18446744073709551616", 10, ULONG_MAX, 21, ERANGE);
    INTEGER(strtol, "0x", 16, 0, 1, 0);
    INTEGER(strtol, "0xg", 0, 0, 1, 0);
    INTEGER(strtol, "0x1Fg", 0, 31, 4, 0);
    INTEGER(strtol, "-0xa", 16, -10, 4, 0);
    INTEGER(strtol, "089", 0, 0, 1, 0);
    INTEGER(strtol, "0777", 0, 511, 4, 0);
    INTEGER(strtol, "zZ", 36, 35 * 37, 2, 0);
    INTEGER(strtol, "12345", 3, 5, 2, 0);
    INTEGER(strtoll, "1e5", 10, 1, 1, 0);
    /* zig 0.16.0's own tell another end of these two. */
    CHECK_SAME(strtol("-", NULL, 10), 0);
    CHECK_ERRNO(strtoull("99999999999999999999999", NULL, 10), ULLONG_MAX, ERANGE);
    CHECK_ERRNO(strtol("1", NULL, 1), 0, EINVAL);
    CHECK_ERRNO(strtol("1", NULL, 37), 0, EINVAL);
    CHECK(atoi(" -12a") == -12 && atol("99999999999") == 99999999999 && atoll("x") == 0, "atoi");
}

static void read_numbers(void) {
    char *end;
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        const char *s = text_at_end(doubles[i].text);
        errno = 0;
        double found = strtod(s, &end);
        CHECK(bits_of(found) == bits_of(doubles[i].value) && *end == 0, "%s: %a, %td characters", s, found, end - s);
        CHECK(doubles[i].error == EITHER || errno == doubles[i].error, "%s: errno is %d", s, errno);
        CHECK(bits_of(atof(s)) == bits_of(found), "%s: atof %a", s, atof(s));
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *s = text_at_end(ends[i].text);
        strtod(s, &end);
        CHECK(end - s == ends[i].length, "%s: strtod ends after %td", s, end - s);
        strtof(s, &end);
        CHECK(end - s == ends[i].length, "%s: strtof ends after %td", s, end - s);
        strtold(s, &end);
        CHECK(end - s == ends[i].length, "%s: strtold ends after %td", s, end - s);
    }
    CHECK(isnan(strtod("nan", NULL)) && isnan(strtof("-NaN(7)", NULL)), "no NaN");
    /* A float is rounded once, not as a double first. */
    CHECK(strtof("1.000000059604644775390625000000000000000001", NULL) == 0x1.000002p0f, "rounded twice");
    CHECK(strtof("1.000000178813934326171874999999999999999999", NULL) == 0x1.000002p0f, "rounded twice");
    CHECK(strtof("1.000000178813934326171875", NULL) == 0x1.000004p0f, "not to even");
    CHECK(strtof("16777217", NULL) == 0x1p24f && strtof("16777219", NULL) == 0x1.000004p24f, "not to even");
    CHECK(strtof("3.4028235e38", NULL) == 0x1.fffffep127f && strtof("7.006492321624085e-46", NULL) == 0, "edges");
    CHECK_ERRNO(strtof("3.4028236e38", NULL) == INFINITY, 1, ERANGE);
    CHECK_ERRNO(strtof("1e-46", NULL) == 0, 1, ERANGE);
    CHECK_ERRNO(strtof("-1e-50", NULL) == 0, 1, ERANGE);
    CHECK_ERRNO(strtof("1e39", NULL) == INFINITY, 1, ERANGE);
    CHECK_ERRNO(strtold("-1e5000", NULL) == -(long double)INFINITY, 1, ERANGE);
    CHECK_ERRNO(strtold("1e-5000", NULL) == 0, 1, ERANGE);
    /* What 19 digits do not tell: half of the last bit, more, and less. */
    CHECK(strtod("1.00000000000000011102230246251565404236316680908203125", NULL) == 1, "a half goes to the even one");
    CHECK(strtod("1.00000000000000011102230246251565404236316680908203125000000000000000000000000000000000000001", NULL) == 1 + 0x1p-52, "more");
    CHECK(strtod("1.00000000000000033306690738754696212708950042724609375", NULL) == 1 + 0x1p-51, "a half goes to the even one");
    CHECK(strtold("999999999999999999999999999999999999999", NULL) == 1e39L, "39 nines");
    CHECK(strtof("0x1p-149", NULL) == 0x1p-149f && strtold("1e400", NULL) > 0x1p1328L && strtold("1e400", NULL) < 0x1p1329L, "edges");
    CHECK(strtold("1.1", NULL) != (long double)1.1 && strtold("0x1.8p1", NULL) == 3, "no more than a double");
    /* 800 digits, of which the last decides. */
    static char many[900];
    memset(many, '0', sizeof many);
    memcpy(many, "9007199254740993.", 17);
    many[800] = 0;
    CHECK(strtod(many, &end) == 0x1p53 && end == many + 800, "a tie");
    many[799] = '1';
    CHECK(strtod(many, &end) == 0x1.0000000000001p53 && end == many + 800, "above a tie");
    integers();
    /* To text and back, whatever the bits. */
    uint64_t state = 12345;
    for (int i = 0; i < 3000; i++) {
        double x = double_of(next_random(&state)), y, z;
        if (!isfinite(x)) continue;
        char text[64];
        snprintf(text, sizeof text, i & 1 ? "%.17g" : "%.16e", x);
        y = strtod(text, NULL);
        CHECK(bits_of(x) == bits_of(y), "%a became %s, and that %a", x, text, y);
        snprintf(text, sizeof text, "%a", x);
        CHECK(sscanf(text, "%lf", &z) == 1 && bits_of(x) == bits_of(z), "%a became %s", x, text);
    }
    int a, n;
    char word[8];
    CHECK(sscanf("12 abc,99", "%d %3[a-c],%n", &a, word, &n) == 2 && a == 12 && n == 7, "%d %d", a, n);
    CHECK(sscanf("x", "%d", &a) == 0 && sscanf("", "%d", &a) == EOF, "matches");
}

static const struct {
    int mode;
    const char *name;
    double tenth, third, minus;
    float seventh;
    double most, least;
    const char *quarter, *minus_quarter;
} modes[] = {{FE_TONEAREST, "nearest", 0x1.999999999999ap-4, 0x1.5555555555555p-2, -0x1.999999999999ap-4,
                 0x1.24924ap-3f, INFINITY, 0, "0.2", "-0.2"},
    {FE_UPWARD, "up", 0x1.999999999999ap-4, 0x1.5555555555556p-2, -0x1.9999999999999p-4, 0x1.24924ap-3f,
        INFINITY, 0x1p-1074, "0.3", "-0.2"},
    {FE_DOWNWARD, "down", 0x1.9999999999999p-4, 0x1.5555555555555p-2, -0x1.999999999999ap-4, 0x1.249248p-3f,
        0x1.fffffffffffffp1023, 0, "0.2", "-0.3"},
    {FE_TOWARDZERO, "to zero", 0x1.9999999999999p-4, 0x1.5555555555555p-2, -0x1.9999999999999p-4,
        0x1.249248p-3f, 0x1.fffffffffffffp1023, 0, "0.2", "-0.2"}};

static void round_numbers(void) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        NEED(fesetround(modes[i].mode) == 0);
        double tenth = strtod("0.1", NULL), third = strtod("0.333333333333333333333333333333333333", NULL),
               minus = strtod("-.1", NULL);
        float seventh = strtof("0.142857142857142857142857142857", NULL);
        double most = strtod("1e400", NULL), least = strtod("1e-400", NULL), exact = strtod("0.375", NULL),
               zero = strtod("-0.0", NULL);
        char quarter[8], minus_quarter[8];
        snprintf(quarter, sizeof quarter, "%.1f", 0.25);
        snprintf(minus_quarter, sizeof minus_quarter, "%.1f", -0.25);
        fesetround(FE_TONEAREST);
        const char *name = modes[i].name;
        CHECK(tenth == modes[i].tenth, "%s: 0.1 is %a", name, tenth);
        CHECK(third == modes[i].third, "%s: a third is %a", name, third);
        CHECK(minus == modes[i].minus, "%s: -0.1 is %a", name, minus);
        CHECK(seventh == modes[i].seventh, "%s: a seventh is %a", name, seventh);
        CHECK(most == modes[i].most, "%s: 1e400 is %a", name, most);
        CHECK(least == modes[i].least, "%s: 1e-400 is %a", name, least);
        CHECK(exact == 0.375 && zero == 0 && signbit(zero), "%s: %a %a", name, exact, zero);
        CHECK_TEXT(quarter, modes[i].quarter);
        CHECK_TEXT(minus_quarter, modes[i].minus_quarter);
    }
}

static char to[512];
static void prints(const char *expected, int length, const char *found, int line) {
    CHECK(length == (int)strlen(expected) && strcmp(found, expected) == 0, "line %d: \"%s\" (%d), expected \"%s\"",
        line, found, length, expected);
}
#define PRINTS(expected, ...)                              \
    do {                                                   \
        int length = snprintf(to, sizeof to, __VA_ARGS__); \
        prints(expected, length, to, __LINE__);            \
    } while (0)

#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-truncation"
#pragma GCC diagnostic ignored "-Wformat-overflow"
static void print_numbers(void) {
    PRINTS("0 2 2 4 -0", "%.0f %.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, 3.5, -0.5);
    PRINTS("1e+100|1E-05|0.0001|1e-05|100000|1e+06", "%g|%G|%g|%g|%g|%g", 1e100, 1e-5, 1e-4, 1e-5, 1e5, 1e6);
    PRINTS("0.30000000000000004 0.3 0.3000000000", "%.17g %g %.10f", 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2);
    PRINTS("1.000000e+00 9.999e-01 1e+00 1.e+00", "%e %.3e %.0e %#.0e", 1.0, 0.9999, 0.99999, 1.0);
    PRINTS("1 1. 1.00000 100.000 0.000123000", "%.0f %#.0f %#g %#g %#g", 1.0, 1.0, 1.0, 100.0, 0.000123);
    PRINTS("inf -INF nan   inf|inf  | +inf", "%f %F %g %5f|%-5f|%+05f", INFINITY, -INFINITY, (double)NAN, INFINITY,
        INFINITY, INFINITY);
    PRINTS("4.9406564584124654e-324 1.7976931348623157e+308", "%.17g %.17g", 0x1p-1074, 0x1.fffffffffffffp1023);
    PRINTS("0x1.8p+1 -0x0p+0 0x1.0p+0", "%a %a %.1a", 3.0, -0.0, 1.0);
    PRINTS("  +42|-42  |00042|-0042| 42| +7", "%+5d|%-5d|%05d|%05d|% d|%+*d", 42, -42, 42, -42, 42, 3, 7);
    PRINTS("|0|+|  |42   |   042", "%.0d|%d|%+.0d|%2.0d|%*d|%6.3d", 0, 0, 0, 0, -5, 42, 42);
    PRINTS("2a 2A 0x2a 0X2A 0 52 052 0", "%x %X %#x %#X %#x %o %#o %#o", 42, 42, 42, 42, 0, 42, 42, 0);
    PRINTS("-1 255 -1 65535 -128", "%hhd %hhu %hd %hu %hhd", -1, -1, -1, -1, 128);
    PRINTS("-9223372036854775808 18446744073709551615 ffffffffffffffff", "%lld %llu %jx", LLONG_MIN, ULLONG_MAX,
        UINTMAX_MAX);
    PRINTS("9223372036854775807 -5 18446744073709551615", "%td %zd %zu", PTRDIFF_MAX, (ssize_t)-5, SIZE_MAX);
    PRINTS("abc  |  abc|ab|%|c", "%-5s|%5s|%.2s|%%|%c", "abc", "abc", "abc", 'c');
    PRINTS("b a b", "%2$s %1$s %2$s", "a", "b");
    PRINTS("   3.14|3.14   |0003.14", "%*.*f|%-*.2f|%0*.2f", 7, 2, 3.14159, 7, 3.14159, 7, 3.14159);
    PRINTS("3.25 1e+4000", "%.2Lf %.0Le", 3.25L, 1e4000L);
    /* Text without an end, as much as is printed. */
    CHECK(snprintf(to, sizeof to, "%.3s", (char *)at_end("xyz", 3)) == 3 && strcmp(to, "xyz") == 0, "%s", to);
    int a, b;
    CHECK(snprintf(to, sizeof to, "12%n345%n", &a, &b) == 5 && a == 2 && b == 5, "%d %d", a, b);
    /* All of a number: no digit is made up. */
    CHECK_SAME(snprintf(to, sizeof to, "%.0f", 0x1p1000), 302);
    CHECK(strncmp(to, "10715086071862673209484250490600018105614048117055", 50) == 0, "%s", to);
    CHECK_TEXT(to + 302 - 10, "5668069376");
    CHECK_SAME(snprintf(to, sizeof to, "%.1074f", 0x1p-1074), 1076);
    /* What does not fit. */
    memset(to, '#', sizeof to);
    CHECK_SAME(snprintf(to, 5, "%d", 1234567), 7);
    CHECK(strcmp(to, "1234") == 0 && to[5] == '#', "%.8s", to);
    CHECK(snprintf(NULL, hidden_size(0), "%s %f", "ten bytes", 1.0) == 18 && snprintf(to, 1, "x") == 1 && to[0] == 0,
        "lengths");
    CHECK_ERRNO(snprintf(NULL, 0, "%2147483648d", 1), -1, EOVERFLOW);
    char *text;
    CHECK(asprintf(&text, "%5d|%s", 42, "end") == 9 && strcmp(text, "   42|end") == 0, "%s", text);
    free(text);

    const unsigned char six[16] = {0x20, 1, 0xd, 0xb8, [15] = 1}, mapped[16] = {[10] = 0xff, 0xff, 192, 168, 0, 1},
                        zeros[16] = {0};
    CHECK_TEXT(inet_ntop(AF_INET6, six, to, sizeof to), "2001:db8::1");
    CHECK_TEXT(inet_ntop(AF_INET6, mapped, to, sizeof to), "::ffff:192.168.0.1");
    CHECK_TEXT(inet_ntop(AF_INET6, zeros, to, 3), "::");
    CHECK_ERRNO(inet_ntop(AF_INET6, zeros, to, 2) == NULL, 1, ENOSPC);
    CHECK_TEXT(inet_ntop(AF_INET, "\xff\x0a\0\x64", to, 13), "255.10.0.100");
    CHECK_ERRNO(inet_ntop(AF_INET, "\xff\x0a\0\x64", to, 12) == NULL, 1, ENOSPC);
    CHECK_ERRNO(inet_ntop(AF_UNIX, six, to, sizeof to) == NULL, 1, EAFNOSUPPORT);
    unsigned char back[16];
    CHECK(inet_pton(AF_INET6, "2001:db8::1", back) == 1 && !memcmp(back, six, 16), "inet_pton");
    CHECK(!inet_pton(AF_INET, "1.2.3", back) && !inet_pton(AF_INET, "1.2.3.256", back) &&
            !inet_pton(AF_INET6, "1:2:3:4:5:6:7:8:9", back) && !inet_pton(AF_INET6, ":::", back) &&
            !inet_pton(AF_INET6, "1::2::3", back),
        "an address");
}

RUN_CASES({"read", read_numbers}, {"round", round_numbers}, {"print", print_numbers})

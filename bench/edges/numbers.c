/* Numbers as text: extreme ones, long ones, and what is no number. */
#include "edges.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <wchar.h>

static char out[8192], digits[1001], zeros[1001], nines[40];

PREPARE {
    for (int i = 0; i < 1000; i++) digits[i] = (char)('1' + i * 7 % 9);
    memset(zeros, '0', 999);
    zeros[1] = '.';
    zeros[999] = '7';
    memset(nines, '9', 39);
}

#define READ_AS(call, what, words)                  \
    EDGE("numbers", #call " of " what) {            \
        const char *x = words;                      \
        HIDE(x);                                    \
        __typeof(call) r = call;                    \
        __asm__ volatile("" : : "m"(r) : "memory"); \
    }
#define READ(call)                                                                                          \
    READ_AS(call, "0", "0")                                                                                 \
    READ_AS(call, "-0.0", "-0.0")                                                                           \
    READ_AS(call, "7", "7")                                                                                 \
    READ_AS(call, "1e-5000", "1e-5000")                                                                     \
    READ_AS(call, "1e5000", "1e5000")                                                                       \
    READ_AS(call, "1e39", "1e39")                                                                           \
    READ_AS(call, "1e-50", "1e-50")                                                                         \
    READ_AS(call, "1e400", "1e400")                                                                         \
    READ_AS(call, "-1e-400", "-1e-400")                                                                     \
    READ_AS(call, "1e-310", "1e-310")                                                                       \
    READ_AS(call, "5e-324", "4.9406564584124654e-324")                                                      \
    READ_AS(call, "1e308", "1.7976931348623157e308")                                                        \
    READ_AS(call, "3.4e38", "3.40282347e38")                                                                \
    READ_AS(call, "1e-40", "1e-40")                                                                         \
    READ_AS(call, "half of the last bit", "9007199254740993")                                               \
    READ_AS(call, "half of a float's last bit", "16777217")                                                 \
    READ_AS(call, "1 plus half of the last bit", "1.00000000000000011102230246251565404236316680908203125") \
    READ_AS(call, "39 nines", nines)                                                                        \
    READ_AS(call, "1,000 digits", digits)                                                                   \
    READ_AS(call, "0.000…7", zeros)                                                                         \
    READ_AS(call, "0x1.8p3", "0x1.8p3")                                                                     \
    READ_AS(call, "0x1.921fb54442d18p+1", "0x1.921fb54442d18p+1")                                           \
    READ_AS(call, "0xff", "0xff")                                                                           \
    READ_AS(call, "0x1p-1074", "0x1p-1074")                                                                 \
    READ_AS(call, "inf", "inf")                                                                             \
    READ_AS(call, "-infinity", "-infinity")                                                                 \
    READ_AS(call, "nan", "nan")                                                                             \
    READ_AS(call, "nan(123)", "nan(123)")                                                                   \
    READ_AS(call, "no number", "word")                                                                      \
    READ_AS(call, "nothing", "")                                                                            \
    READ_AS(call, "10 blanks and 1.5", "          1.5")                                                     \
    READ_AS(call, "1e", "1e")
READ(strtod(x, 0))
READ(strtof(x, 0))
READ(strtold(x, 0))

#define INTEGER(call)                                             \
    READ_AS(call, "0", "0")                                       \
    READ_AS(call, "-9223372036854775808", "-9223372036854775808") \
    READ_AS(call, "18446744073709551615", "18446744073709551615") \
    READ_AS(call, "39 nines", nines)                              \
    READ_AS(call, "0x7fffffffffffffff", "0x7fffffffffffffff")     \
    READ_AS(call, "0777", "0777")                                 \
    READ_AS(call, "no number", "word")                            \
    READ_AS(call, "10 blanks and 7", "          7")
INTEGER(strtol(x, 0, 0))
INTEGER(strtoull(x, 0, 0))
READ_AS(strtol(x, 0, 36), "zzzzzz", "zzzzzz")
READ_AS(strtol(x, 0, 2), "40 bits", "1011011101110111011101110111011101110111")
READ_AS(atoi(x), "2147483647", "2147483647")
READ_AS(atol(x), "-9223372036854775807", "-9223372036854775807")

#define READ_WIDE(call, what, words) \
    EDGE("numbers", #call " of " what) { GIVEN_WIDE(words, (int)call); }
READ_WIDE(wcstod(x, 0), "1e-400", L"1e-400")
READ_WIDE(wcstod(x, 0), "0x1.8p3", L"0x1.8p3")
READ_WIDE(wcstod(x, 0), "17 digits", L"2.2250738585072014e-3")
READ_WIDE(wcstof(x, 0), "1e-50", L"1e-50")
READ_WIDE(wcstol(x, 0, 0), "0x7fffffff", L"0x7fffffff")
READ_WIDE(wcstoull(x, 0, 10), "20 digits", L"18446744073709551615")

#define SCANNED(what, words, ...) \
    EDGE("numbers", "sscanf " what) { GIVEN(words, sscanf(x, __VA_ARGS__)); }
static int one, two, three;
static double real;
static char word[256];
SCANNED("%i of 0x7f", "0x7f", "%i", &one)
SCANNED("%lf of 1e-400", "1e-400", "%lf", &real)
SCANNED("%lf of 0x1.8p3", "0x1.8p3", "%lf", &real)
SCANNED("%[^,],%n", "some words, and more", "%[^,],%n", word, &one)
SCANNED("%200s of 12 B", "twelve_bytes", "%200s", word)
SCANNED("%2d%2d%2d", "123456", "%2d%2d%2d", &one, &two, &three)
SCANNED("%x of no number", "zz", "%x", (unsigned *)&one)

#define PRINTED(what, type, value, ...)               \
    EDGE("numbers", "snprintf " what) {               \
        type v = value;                               \
        __asm__ volatile("" : "+m"(v));               \
        KEEP(snprintf(out, sizeof out, __VA_ARGS__)); \
    }
PRINTED("%d of 0", int, 0, "%d", v)
PRINTED("%d of the least", int, INT32_MIN, "%d", v)
PRINTED("%ld of the least", int64_t, INT64_MIN, "%" PRId64, v)
PRINTED("%llx of all bits", uint64_t, UINT64_MAX, "%" PRIx64, v)
PRINTED("%llo of all bits", uint64_t, UINT64_MAX, "%" PRIo64, v)
PRINTED("%1000d", int, 7, "%1000d", v)
PRINTED("%.1000d", int, 7, "%.1000d", v)
PRINTED("%+-20d", int, 7, "%+-20d", v)
PRINTED("%f of 0", double, 0, "%f", v)
PRINTED("%f of the least", double, 0x1p-1074, "%f", v)
PRINTED("%g of the least", double, 0x1p-1074, "%g", v)
PRINTED("%g of the largest", double, 0x1.fffffffffffffp1023, "%g", v)
PRINTED("%e of the largest", double, 0x1.fffffffffffffp1023, "%e", v)
PRINTED("%.17g of the least", double, 0x1p-1074, "%.17g", v)
PRINTED("%.1000f of 0.1", double, 0.1, "%.1000f", v)
PRINTED("%.0f of 0.5", double, 0.5, "%.0f", v)
PRINTED("%.0f of 2.5", double, 2.5, "%.0f", v)
PRINTED("%.2f of 0.125", double, 0.125, "%.2f", v)
PRINTED("%f of infinity", double, (double)__builtin_inf(), "%f", v)
PRINTED("%g of nan", double, __builtin_nan(""), "%g", v)
PRINTED("%a", double, 3.14159, "%a", v)
PRINTED("%.3a", double, 3.14159, "%.3a", v)
PRINTED("%La", long double, 3.14159L, "%La", v)
PRINTED("%Lf", long double, 3.14159L, "%Lf", v)
PRINTED("%Lg of 1e4000", long double, 1e4000L, "%Lg", v)
PRINTED("%.30Le", long double, 0.1L, "%.30Le", v)
PRINTED("%s of nothing", const char *, "", "%s", v)
PRINTED("%s of 1,000 B", const char *, digits, "%s", v)
PRINTED("%.5s of 1,000 B", const char *, digits, "%.5s", v)
PRINTED("%-100s", const char *, "word", "%-100s", v)
PRINTED("%ls", const wchar_t *, L"wide words", "%ls", v)
PRINTED("%ls of 100", const wchar_t *,
    L"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789", "%ls", v)
PRINTED("%lc", wint_t, L'x', "%lc", v)
PRINTED("%%", int, 1, "%%%d", v)
PRINTED("%*.*f", double, 1.5, "%*.*f", 12, 3, v)
EDGE("numbers", "snprintf of 5 B into 3") { KEEP(snprintf(out, 3, "words")); }
EDGE("numbers", "snprintf into nothing") { KEEP(snprintf(0, 0, "%s", "words")); }
EDGE("numbers", "inet_ntop, IPv6, all zeros") { KEEP(inet_ntop(AF_INET6, (const unsigned char[16]){0}, out, sizeof out)); }
EDGE("numbers", "inet_ntop, IPv6, no zeros") {
    KEEP(inet_ntop(AF_INET6, "\x20\x01\x20\x02\x20\x03\x20\x04\x20\x05\x20\x06\x20\x07\x20\x08", out, sizeof out));
}
EDGE("numbers", "inet_ntop, IPv4, 0.0.0.0") { KEEP(inet_ntop(AF_INET, (const unsigned char[4]){0}, out, sizeof out)); }
EDGE("numbers", "inet_ntop, no room") { KEEP(inet_ntop(AF_INET, (const unsigned char[4]){200, 200, 200, 200}, out, 8)); }

// a64l and l64a: numbers of 32 bits as digits of base 64, the lowest first.
#include "../libc.h"

static const char DIGITS[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// What a digit counts, by its place after '.'; -1 for what is none.
static const signed char VALUES['z' - '.' + 1] = {
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    38,
    39,
    40,
    41,
    42,
    43,
    44,
    45,
    46,
    47,
    48,
    49,
    50,
    51,
    52,
    53,
    54,
    55,
    56,
    57,
    58,
    59,
    60,
    61,
    62,
    63,
};

HIDDEN long brawn_a64l(const char *s) {
    uint32_t number = 0;
    for (int shift = 0; shift < 36; shift += 6, s++) {
        const unsigned place = (unsigned)(unsigned char)*s - '.';
        if (place >= sizeof VALUES || VALUES[place] < 0) break;
        number |= (uint32_t)VALUES[place] << shift;
    }
    return (int32_t)number;
}
NAME(a64l, brawn_a64l)

HIDDEN char *brawn_l64a(long given) {
    static char text[7];
    char *to = text;
    for (uint32_t number = (uint32_t)given; number; number >>= 6) *to++ = DIGITS[number & 63];
    *to = 0;
    return text;
}
NAME(l64a, brawn_l64a)

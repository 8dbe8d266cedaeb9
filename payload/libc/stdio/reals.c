// Floating-point numbers as printf's e, f, g and a: exact, in every rounding mode.
//
// A number is digits * 2^exponent, and wanted is an integer near digits * 2^exponent * 10^n.  With ten's power in 128
// bits the product's error is known, and what is rounded is right unless the product lies that near to where rounding
// changes: so for nearly all numbers (numbers/decimal.h does the same the other way round).  The rest, and more digits
// than a word has, go by arithmetic in blocks of nine digits (blocks.h).
#include "blocks.h"
#include "../numbers/product.h"

// What is behind the point, as 128 bits that lack less than `error`, against a half.
INLINE int rest_of(Wide rest, Wide error) {
    const Wide half = (Wide)1 << 127;
    if (rest == 0 || rest > ~error || (rest <= half && rest + error >= half)) return UNSURE;
    return rest < half ? BELOW : ABOVE;
}

// What scaled() does, for a power of ten that is not in the tables.
static COLD int far_scaled(uint64_t number, int exponent, int n, uint64_t *integer) {
    const int shift = 64 + __builtin_clzll(number);
    Product product = {(Wide)number << shift, 0, exponent - shift};
    times_ten(&product, n);
    const int below = -product.exponent;
    *integer = 0;
    if (below > 128) return BELOW;
    if (below < 64 || below == 128) return UNSURE;
    *integer = (uint64_t)(product.number >> below);
    return rest_of(product.number << (128 - below), product.error << (128 - below));
}

// number * 2^exponent * 10^n, cut off, and what is left.
INLINE int scaled(uint64_t number, int exponent, int n, uint64_t *integer) {
    if (UNLIKELY(n < POWER_STEP * POWER_FIRST || n >= POWER_STEP * (POWER_LAST + 1)))
        return far_scaled(number, exponent, n, integer);
    const int k = (n - POWER_STEP * POWER_FIRST) / POWER_STEP + POWER_FIRST, j = n - k * POWER_STEP;
    const uint64_t *const coarse = COARSE[k - POWER_FIRST];
    const int shift = __builtin_clzll(number);
    const uint64_t digits = number << shift;
    // Off by less than two; and exact where the coarse power has no more than 64 bits.
    Wide low = (Wide)coarse[1] * FINE[j];
    const Wide power = (Wide)coarse[0] * FINE[j] + (uint64_t)(low >> 64);
    const int exact = k == 0 || k == 1;
    low = (Wide)(uint64_t)power * digits;
    const Wide product = (Wide)(uint64_t)(power >> 64) * digits + (uint64_t)(low >> 64);
    const int below = -(exponent + POWER_EXPONENT(k * POWER_STEP) + POWER_EXPONENT(j) + 64 + 64 + 64 - shift);
    *integer = 0;
    if (below > 128) return BELOW;
    if (below < 64) return UNSURE;
    Wide rest = product;
    if (below < 128) {
        *integer = (uint64_t)(product >> below);
        rest <<= 128 - below;
    }
    if (exact) {
        const Wide half = (Wide)1 << 127;
        const int more = (uint64_t)low != 0;
        if (rest == 0) return more ? BELOW : NOTHING;
        return rest < half ? BELOW : (rest == half && !more ? HALF : ABOVE);
    }
    return rest_of(rest, (Wide)3 << (128 - below));
}

// An integer's digits, of which `keep` stay.
INLINE void kept(char *end, uint64_t number, int keep, int negative, Digits *digits) {
    const char *text = digits_before(end, number);
    int count = (int)(end - text);
    digits->exponent = count - 1;
    if (count > keep) {
        const uint64_t unit = TENS[count - keep], rest = number % unit, half = unit / 2;
        number /= unit;
        const int what = rest == 0 ? NOTHING : (rest < half ? BELOW : (rest == half ? HALF : ABOVE));
        number += (uint64_t)goes_up(what, number & 1, negative);
        if (number == TENS[keep]) digits->exponent++;
        text = digits_before(end, number);
        count = (int)(end - text);
    }
    digits->text = text;
    digits->count = count;
}

// To `keep` digits; returns 0 if it is not sure.  `end` is the end of room for 40 bytes.
INLINE int by_digits(char *end, const Real *real, int keep, Digits *digits) {
    uint64_t number = real->low;
    int exponent = real->exponent;
    const int zeros = __builtin_ctzll(number), free = __builtin_clzll(number);
    if (exponent <= free && exponent >= -zeros) {
        kept(end, exponent < 0 ? number >> -exponent : number << exponent, keep, real->negative, digits);
        return 1;
    }
    // log10(2) * 2^32; between two powers of two as if the logarithm were a line.
    const int64_t log2 = ((int64_t)(exponent + 63 - free) << 16) + (int64_t)((number << free << 1) >> 48);
    int ten = (int)(log2 * 1292913986 >> 48);
    uint64_t integer;
    for (int turn = 0; turn < 3; turn++) {
        const int rest = scaled(number, exponent, keep - 1 - ten, &integer);
        if (rest == UNSURE) return 0;
        if (UNLIKELY(integer >= TENS[keep])) {
            ten++;
        } else if (UNLIKELY(integer < TENS[keep - 1])) {
            ten--;
        } else {
            integer += (uint64_t)goes_up(rest, integer & 1, real->negative);
            if (integer == TENS[keep]) {
                integer /= 10;
                ten++;
            }
            digits->text = digits_before(end, integer);
            digits->count = keep;
            digits->exponent = ten;
            return 1;
        }
    }
    return 0;
}

// To `places` behind the point; returns 0 if it is not sure.
INLINE int by_places(char *end, const Real *real, int places, Digits *digits) {
    const uint64_t number = real->low;
    const int zeros = __builtin_ctzll(number), free = __builtin_clzll(number);
    uint64_t before = 0, behind = 0;
    int exponent = real->exponent, rest;
    if (exponent >= -zeros) {
        if (exponent > free) return 0;
        before = exponent < 0 ? number >> -exponent : number << exponent;
        rest = NOTHING;
    } else if (exponent > -64) {
        before = number >> -exponent;
        const Wide all = (Wide)(number << (64 + exponent)) * TENS[places];
        const uint64_t left = (uint64_t)all, half = (uint64_t)1 << 63;
        behind = (uint64_t)(all >> 64);
        rest = left == 0 ? NOTHING : (left < half ? BELOW : (left == half ? HALF : ABOVE));
    } else {
        rest = scaled(number, exponent, places, &behind);
        if (rest == UNSURE) return 0;
    }
    const uint64_t last = places ? behind : before;
    if (goes_up(rest, last & 1, real->negative)) {
        if (places) behind++;
        else before++;
        if (places && behind == TENS[places]) {
            behind = 0;
            if (++before == 0) return 0;
        }
    }
    char *text = digits_before(end, behind);
    if (before) {
        while (text > end - places) *--text = '0';
        text = digits_before(end - places, before);
    }
    digits->text = text;
    digits->count = (int)(end - text);
    digits->exponent = digits->count ? digits->count - 1 - places : 0;
    return 1;
}

// The text of digits `from` to `from + n - 1`.
static void put_digits(Sink *sink, const Digits *digits, int64_t from, int64_t n) {
    int64_t there = digits->count - from;
    if (there > n) there = n;
    if (there < 0) there = 0;
    if (LIKELY(digits->text != NULL)) {
        put(sink, digits->text + from, (size_t)there);
    } else {
        // Counted from the first block's beginning.
        for (int64_t at = from + IN_BLOCK - digits->lead, end = at + there; at < end;) {
            char text[IN_BLOCK];
            brawn_memset(text, '0', IN_BLOCK);
            digits_before(text + IN_BLOCK, digits->blocks[at / IN_BLOCK]);
            const int64_t skipped = at % IN_BLOCK, left = end - at;
            const int64_t here = left < IN_BLOCK - skipped ? left : IN_BLOCK - skipped;
            put(sink, text + skipped, (size_t)here);
            at += here;
        }
    }
    if (n > there) brawn_print_fill(sink, '0', (size_t)(n - there));
}

// The sign and blanks or zeros in front of `n` further characters; returns the blanks for behind them, or -1 for a
// field that is too long.
static int64_t before(Sink *sink, const Spec *spec, const Real *real, const char *prefix, int64_t n) {
    char sign[4];
    size_t signs = 0;
    if (real->negative || spec->flags & (PLUS | BLANK)) {
        sign[signs++] = real->negative ? '-' : (spec->flags & PLUS ? '+' : ' ');
    }
    while (*prefix) sign[signs++] = *prefix++;
    n += (int64_t)signs;
    int64_t missing = spec->width > n ? spec->width - n : 0;
    if (n + missing > MOST - (int64_t)printed(sink)) return -1;
    if (missing && !(spec->flags & (LEFT | ZEROS))) brawn_print_fill(sink, ' ', (size_t)missing);
    for (size_t i = 0; i < signs; i++) put_char(sink, sign[i]);
    if (missing && spec->flags & ZEROS) brawn_print_fill(sink, '0', (size_t)missing);
    return spec->flags & LEFT ? missing : 0;
}

// "e+05" or "p-3", with at least so many digits.
static int exponent_of(char *to, char letter, int exponent, int least) {
    char text[8], *const end = text + sizeof text;
    char *digits = digits_before(end, (uint64_t)(exponent < 0 ? -exponent : exponent));
    while (end - digits < least) *--digits = '0';
    to[0] = letter;
    to[1] = exponent < 0 ? '-' : '+';
    const int n = (int)(end - digits);
    for (int i = 0; i < n; i++) to[2 + i] = digits[i];
    return n + 2;
}

static int hexadecimal(Sink *sink, const Spec *spec, const Real *real) {
    const int capital = spec->conversion == 'A';
    const char *const all = capital ? "0123456789ABCDEF" : "0123456789abcdef";
    Wide number = (Wide)real->high << 64 | real->low;
    int exponent = 0, precision = spec->precision;
    unsigned first = 0;
    if (number) {
        const int zeros = real->high ? __builtin_clzll(real->high) : 64 + __builtin_clzll(real->low);
        number <<= zeros;
        exponent = real->exponent + 127 - zeros;
        first = 1;
        number <<= 1;
        if (precision >= 0 && precision < 32) {
            const int dropped = 128 - 4 * precision;
            const Wide left = precision ? number << (4 * precision) : number, half = (Wide)1 << 127;
            const int rest = left == 0 ? NOTHING : (left < half ? BELOW : (left == half ? HALF : ABOVE));
            number = precision ? number >> dropped << dropped : 0;
            const int odd = precision ? (int)(number >> dropped & 1) : 1;
            if (goes_up(rest, odd, real->negative)) {
                if (precision) number += (Wide)1 << dropped;
                if (number == 0) first++;
            }
        }
    }
    char text[40], end[8];
    int n = 0;
    for (Wide left = number; left; left <<= 4) text[n++] = all[(unsigned)(left >> 124)];
    const int tail = exponent_of(end, capital ? 'P' : 'p', exponent, 1);
    const int64_t digits = precision > n ? precision : n;
    const int point = digits || spec->flags & ALTERNATE;
    const int64_t blanks = before(sink, spec, real, capital ? "0X" : "0x", 1 + point + digits + tail);
    if (blanks < 0) return -1;
    put_char(sink, all[first]);
    if (point) put_char(sink, '.');
    put(sink, text, (size_t)n);
    brawn_print_fill(sink, '0', (size_t)(digits - n));
    put(sink, end, (size_t)tail);
    brawn_print_fill(sink, ' ', (size_t)blanks);
    return 0;
}

static int decimal(Sink *sink, const Spec *spec, const Real *real, const Digits *digits, int64_t precision) {
    int style = spec->conversion | 32;
    if (style == 'g') {
        style = 'e';
        precision--;
        if (digits->exponent >= -4 && digits->exponent <= precision) {
            style = 'f';
            precision -= digits->exponent;
        }
        if (!(spec->flags & ALTERNATE)) {
            int64_t count = digits->count;
            if (digits->text) {
                while (count && digits->text[count - 1] == '0') count--;
            } else {
                // The blocks' digits up to the last that is not zero.
                int i = (int)((count - digits->lead + IN_BLOCK - 1) / IN_BLOCK);
                while (i && !digits->blocks[i]) i--;
                count = digits->lead + (int64_t)IN_BLOCK * i;
                for (uint32_t block = digits->blocks[i]; block && block % 10 == 0; block /= 10) count--;
            }
            const int64_t behind = count - 1 - (style == 'f' ? digits->exponent : 0);
            if (precision > behind) precision = behind < 0 ? 0 : behind;
        }
    }
    const int point = precision || spec->flags & ALTERNATE;
    if (style == 'e') {
        char end[8];
        const int tail = exponent_of(end, spec->conversion & 32 ? 'e' : 'E', digits->exponent, 2);
        const int64_t blanks = before(sink, spec, real, "", 1 + point + precision + tail);
        if (blanks < 0) return -1;
        put_digits(sink, digits, 0, 1);
        if (point) put_char(sink, '.');
        if (precision) put_digits(sink, digits, 1, precision);
        put(sink, end, (size_t)tail);
        if (blanks) brawn_print_fill(sink, ' ', (size_t)blanks);
        return 0;
    }
    const int64_t front = digits->exponent < 0 ? 0 : digits->exponent + 1;
    const int64_t blanks = before(sink, spec, real, "", (front ? front : 1) + point + precision);
    if (blanks < 0) return -1;
    if (front) put_digits(sink, digits, 0, front);
    else put_char(sink, '0');
    if (point) put_char(sink, '.');
    if (precision) {
        int64_t zeros = front ? 0 : -digits->exponent - 1;
        if (zeros > precision) zeros = precision;
        if (zeros > 0) brawn_print_fill(sink, '0', (size_t)zeros);
        if (precision > zeros) put_digits(sink, digits, digits->exponent < 0 ? 0 : front, precision - zeros);
    }
    if (blanks) brawn_print_fill(sink, ' ', (size_t)blanks);
    return 0;
}

// No number has more behind the point: binary128's last bit is 2^-16494.
enum { MOST_DIGITS = 16494 };

static COLD int from_blocks(Sink *sink, const Spec *spec, const Real *real, int precision, Big *big, int room) {
    const int style = spec->conversion | 32;
    const int wanted = precision < MOST_DIGITS ? precision : MOST_DIGITS;
    const int places = style == 'f' ? wanted : -1, keep = style == 'e' ? wanted + 1 : wanted;
    Digits digits = {.text = NULL};
    blocks_of(real, keep, places, room, big);
    rounded(real, keep, places, big, &digits);
    return decimal(sink, spec, real, &digits, precision);
}

// A double's arrays, and a long double's, which are of no use to a small stack.
static COLD int with_few(Sink *sink, const Spec *spec, const Real *real, int precision) {
    uint32_t blocks[BLOCKS], words[WORDS + 5];
    Big big = {.blocks = blocks, .words = words};
    return from_blocks(sink, spec, real, precision, &big, BLOCKS);
}

static COLD int with_many(Sink *sink, const Spec *spec, const Real *real, int precision) {
    uint32_t blocks[LONG_BLOCKS], words[LONG_WORDS + 5];
    Big big = {.blocks = blocks, .words = words};
    return from_blocks(sink, spec, real, precision, &big, LONG_BLOCKS);
}

HIDDEN int brawn_print_real(Sink *sink, const Spec *spec, const Real *real) {
    const int style = spec->conversion | 32;
    if (UNLIKELY(real->infinite)) {
        Spec blank = *spec;
        blank.flags &= ~(unsigned)ZEROS;
        const int64_t blanks = before(sink, &blank, real, "", 3);
        if (blanks < 0) return -1;
        put(sink, spec->conversion & 32 ? (real->nan ? "nan" : "inf") : (real->nan ? "NAN" : "INF"), 3);
        brawn_print_fill(sink, ' ', (size_t)blanks);
        return 0;
    }
    if (style == 'a') return hexadecimal(sink, spec, real);
    int precision = spec->precision == NONE ? 6 : spec->precision;
    if (style == 'g' && !precision) precision = 1;
    char room[48], *const end = room + sizeof room;
    Digits digits = {.text = end};
    if (!(real->low | real->high)) return decimal(sink, spec, real, &digits, precision);
    if (LIKELY(!real->high && precision < FAST)) {
        const int sure = style == 'f' ? by_places(end, real, precision, &digits)
                                      : by_digits(end, real, style == 'e' ? precision + 1 : precision, &digits);
        if (LIKELY(sure)) return decimal(sink, spec, real, &digits, precision);
    }
    const int few = real->exponent >= -1074 && real->exponent <= 971 && !real->high && !(real->low >> 53);
    return few ? with_few(sink, spec, real, precision) : with_many(sink, spec, real, precision);
}

// The directives of printf: text, numbers and all else but floating-point numbers (reals.c).
//
// As musl's (1.2.6, src/stdio/vfprintf.c) in what is printed, returned and set, and in which formats it refuses; but
// there is one pass, straight into the buffer, where musl's makes a stream of a buffer and hands it every piece.
#include "directives.h"

// wctomb and strerror, by which musl's printf is bound to the locale.
int wctomb(char *s, wchar_t c);
char *strerror(int error);

#define EACH ((uint64_t)0x0101010101010101)

enum { WIDE = 16 };

#define PAIRS(tens) tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
const char brawn_print_pairs[201] =
    PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4") PAIRS("5") PAIRS("6") PAIRS("7") PAIRS("8") PAIRS("9");

HIDDEN void brawn_print_put(Sink *sink, const char *text, size_t n) {
    put_fast(sink, text, n);
}

HIDDEN void brawn_print_fill(Sink *sink, char c, size_t n) {
    if (LIKELY(n <= (size_t)(sink->end - sink->at))) {
        char *at = sink->at;
        sink->at = at + n;
        if (n > 32) brawn_memset(at, c, n);
        else {
            uint64_t all = (uint64_t)(unsigned char)c * EACH;
            for (; n >= 8; n -= 8, at += 8) PUT64(at, all);
            while (n--) *at++ = c;
        }
        return;
    }
    char text[256];
    brawn_memset(text, c, n < sizeof text ? n : sizeof text);
    for (; n >= sizeof text; n -= sizeof text) {
        // Nothing but the count is left of what does not fit.
        if (!sink->stream && sink->at == sink->end) {
            sink->before += n;
            return;
        }
        put(sink, text, sizeof text);
    }
    put(sink, text, n);
}

static const uint64_t TENS[] = {
    0,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};

// How many digits a number has; 1 for 0.
INLINE size_t digits_of(uint64_t number) {
    const unsigned estimate = (unsigned)(64 - __builtin_clzll(number | 1)) * 1233 >> 12;
    return estimate + (number >= TENS[estimate]);
}

// Text in a field, its width not more than what may still come.
static int field(Sink *sink, const Spec *spec, const char *text, size_t n) {
    if (n > MOST || printed(sink) + n > MOST || printed(sink) + (size_t)spec->width > MOST) return refused(OVERFLOW);
    const size_t missing = (size_t)spec->width > n ? (size_t)spec->width - n : 0;
    if (missing && !(spec->flags & LEFT)) brawn_print_fill(sink, ' ', missing);
    put(sink, text, n);
    if (missing && spec->flags & LEFT) brawn_print_fill(sink, ' ', missing);
    return 0;
}

static int integer(Sink *sink, const Spec *given, uint64_t number) {
    char text[24], *const end = text + sizeof text, *digits = end;
    Spec spec = *given;
    const char *prefix = "";
    size_t before = 0;
    if (spec.precision == TOO_MUCH) return refused(OVERFLOW);
    if (spec.conversion == 'p') {
        spec.flags |= ALTERNATE;
        if (spec.precision >= 0 && spec.precision < 16) spec.precision = 16;
    }
    switch (spec.conversion) {
    case 'd':
    case 'i':
        if ((int64_t)number < 0) {
            number = -number;
            prefix = "-";
            before = 1;
        } else if (spec.flags & (PLUS | BLANK)) {
            prefix = spec.flags & PLUS ? "+" : " ";
            before = 1;
        }
        // Falls through.
    case 'u': digits = digits_before(end, number); break;
    case 'o':
        for (; number; number >>= 3) *--digits = (char)('0' + (number & 7));
        if (spec.flags & ALTERNATE && spec.precision <= end - digits) spec.precision = (int)(end - digits) + 1;
        break;
    default: {
        const char *const all = spec.conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
        if (number && spec.flags & ALTERNATE) {
            prefix = spec.conversion == 'X' ? "0X" : "0x";
            before = 2;
        }
        for (; number; number >>= 4) *--digits = all[number & 15];
    }
    }
    const size_t n = (size_t)(end - digits);
    size_t least = spec.precision == NONE ? 1 : (size_t)spec.precision;
    if (given->precision >= 0) spec.flags &= ~(unsigned)ZEROS;
    if (least < n) least = n;
    size_t all = before + least, blanks = 0;
    if ((size_t)spec.width > all) {
        blanks = (size_t)spec.width - all;
        all = (size_t)spec.width;
        if (spec.flags & ZEROS) {
            least += blanks;
            blanks = 0;
        }
    }
    if (printed(sink) + all > MOST || all > MOST) return refused(OVERFLOW);
    if (blanks && !(spec.flags & LEFT)) brawn_print_fill(sink, ' ', blanks);
    if (before) put(sink, prefix, before);
    // The one digit of 0 is a piece of its own.
    const size_t zero = !n && least && given->precision < 0 && spec.conversion != 'p';
    if (least - zero > n) brawn_print_fill(sink, '0', least - zero - n);
    if (zero) put_char(sink, '0');
    put(sink, digits, n);
    if (blanks && spec.flags & LEFT) brawn_print_fill(sink, ' ', blanks);
    return 0;
}

// One wide character in bytes.  ASCII's are the same in every locale; and where another one takes more than a byte, as `is_utf8`
// remembers, all are in UTF-8, since musl has no other locale of that kind.
INLINE int narrowed(char *to, wchar_t wide, int *is_utf8) {
    const uint32_t c = (uint32_t)wide;
    if (LIKELY(c < 0x80)) {
        *to = (char)c;
        return 1;
    }
    if (!*is_utf8 || c >= 0x110000 || c - 0xd800 < 0x800) {
        const int size = wctomb(to, wide);
        *is_utf8 = size > 1;
        return size;
    }
    const int size = c < 0x800 ? 2 : c < 0x10000 ? 3
                                                 : 4;
    if (size == 4) *to++ = (char)(0xf0 | c >> 18);
    if (size >= 3) *to++ = (char)(size == 3 ? 0xe0 | c >> 12 : 0x80 | (c >> 12 & 63));
    *to++ = (char)(size == 2 ? 0xc0 | c >> 6 : 0x80 | (c >> 6 & 63));
    *to = (char)(0x80 | (c & 63));
    return size;
}

// A whole string without a width, if the sink has room for it as it is.
static int is_written(Sink *sink, const wchar_t *text) {
    char *at = sink->at;
    int is_utf8 = 0;
    for (; sink->end - at >= WIDE; text++) {
        if (!*text) {
            sink->at = at;
            return 1;
        }
        const int size = narrowed(at, *text, &is_utf8);
        if (size < 0) return 0;
        at += size;
    }
    return 0;
}

static COLD int wide(Sink *sink, const Spec *spec, const wchar_t *text) {
    char character[WIDE];
    if (LIKELY(spec->precision < 0 && spec->width <= 0 && is_written(sink, text))) return 0;
    const size_t most = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
    size_t n = 0;
    int is_utf8 = 0;
    for (const wchar_t *from = text; n < most && *from; from++) {
        const int size = narrowed(character, *from, &is_utf8);
        if (size < 0) return -1;
        if ((size_t)size > most - n) break;
        n += (size_t)size;
    }
    if (n > MOST || printed(sink) + n > MOST || printed(sink) + (size_t)spec->width > MOST) return refused(OVERFLOW);
    const size_t missing = (size_t)spec->width > n ? (size_t)spec->width - n : 0;
    if (!(spec->flags & LEFT)) brawn_print_fill(sink, ' ', missing);
    for (size_t i = 0; i < n;) {
        const int size = narrowed(character, *text++, &is_utf8);
        if (LIKELY(size == 1 && sink->at != sink->end)) *sink->at++ = *character;
        else put(sink, character, (size_t)size);
        i += (size_t)size;
    }
    if (spec->flags & LEFT) brawn_print_fill(sink, ' ', missing);
    return 0;
}

static int text(Sink *sink, const Spec *spec, const char *s) {
    if (!s) s = "(null)";
    return field(sink, spec, s, spec->precision < 0 ? brawn_strlen(s) : brawn_strnlen(s, (size_t)spec->precision));
}

static void store(void *to, int size, size_t count) {
    if (size == 1) *(signed char *)to = (signed char)count;
    else if (size == 2) *(short *)to = (short)count;
    else if (size == 4) *(int *)to = (int)count;
    else *(int64_t *)to = (int64_t)count;
}

static Real of_double(double value) {
    const union {
        double of;
        uint64_t bits;
    } from = {value};
    const uint64_t fraction = from.bits << 12 >> 12;
    const int exponent = (int)(from.bits >> 52 & 0x7ff);
    return (Real){
        .low = exponent ? fraction | (uint64_t)1 << 52 : fraction,
        .exponent = (exponent ? exponent : 1) - 1075,
        .negative = (int)(from.bits >> 63),
        .infinite = exponent == 0x7ff,
        .nan = exponent == 0x7ff && fraction,
    };
}

static Real of_long_double(long double value) {
#ifdef __x86_64__
    const union {
        long double of;
        struct {
            uint64_t bits;
            uint16_t exponent;
        };
    } from = {value};
    const int exponent = from.exponent & 0x7fff;
    // Without its first bit, a number is none.
    const int odd = exponent && !(from.bits >> 63);
    return (Real){
        .low = from.bits,
        .exponent = (exponent ? exponent : 1) - 16383 - 63,
        .negative = from.exponent >> 15,
        .infinite = exponent == 0x7fff || odd,
        .nan = odd || (exponent == 0x7fff && from.bits << 1),
    };
#elif defined(__aarch64__)
    const union {
        long double of;
        struct {
            uint64_t low, high;
        };
    } from = {value};
    const int exponent = (int)(from.high >> 48 & 0x7fff);
    uint64_t high = from.high << 16 >> 16, low = from.low;
    Real real = {
        .exponent = (exponent ? exponent : 1) - 16383 - 112,
        .negative = (int)(from.high >> 63),
        .infinite = exponent == 0x7fff,
        .nan = exponent == 0x7fff && (high | low),
    };
    if (exponent) high |= (uint64_t)1 << 48;
    // Most have no more bits than a double.
    const int zeros = low ? __builtin_ctzll(low) : 64;
    if (high && zeros >= 49) {
        low = zeros == 64 ? high : low >> 49 | high << 15;
        real.exponent += zeros == 64 ? 64 : 49;
        high = 0;
    }
    real.high = high;
    real.low = low;
    return real;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

static int real(Sink *sink, const Spec *spec, const Real *number) {
    if (spec->precision == TOO_MUCH || printed(sink) > MOST) return refused(OVERFLOW);
    return brawn_print_real(sink, spec, number) ? refused(OVERFLOW) : 0;
}

static int directed(Sink *sink, const Directive *directive, const Value *value) {
    const Spec *const spec = &directive->spec;
    switch (spec->conversion) {
    case 'n': store(value->pointer, directive->size, printed(sink)); return 0;
    case 'd':
    case 'i': {
        const int unused = 64 - 8 * directive->size;
        return integer(sink, spec, (uint64_t)((int64_t)(value->bits << unused) >> unused));
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'p': {
        const int unused = 64 - 8 * directive->size;
        return integer(sink, spec, value->bits << unused >> unused);
    }
    case 'c':
    case 'C':
        if (directive->wide && (uint32_t)value->bits) {
            const wchar_t characters[2] = {(wchar_t)value->bits};
            Spec all = *spec;
            all.precision = NONE;
            return wide(sink, &all, characters);
        } else {
            const char c = (char)value->bits;
            return field(sink, spec, &c, 1);
        }
    case 's':
    case 'S': return directive->wide ? wide(sink, spec, value->pointer) : text(sink, spec, value->pointer);
    case 'm': return text(sink, spec, strerror(ERRNO));
    }
    const Real number =
        directive->kind == DOUBLE ? of_double(value->of_double) : of_long_double(value->of_long_double);
    return real(sink, spec, &number);
}

#define ZERO_IN(word) (((word) - EACH) & ~(word) & EACH * 0x80)

// What has no room goes on as one piece, as musl hands it on: text up to a directive or the end, and one of each two % behind it, which stand
// there already.  So a stream's buffer ends where musl's does.  Returns where it goes on.
static COLD const char *whole_piece(Sink *sink, const char *f) {
    const char *end = f;
    while (*end && *end != '%') end++;
    const char *next = end;
    for (; next[0] == '%' && next[1] == '%'; next += 2) end++;
    sink->more(sink, f, (size_t)(end - f));
    return next;
}

// Text up to a % or the end; returns where that is.
INLINE const char *words(Sink *sink, const char *f) {
    for (;;) {
        size_t n;
        uint64_t found;
        if (LIKELY(FITS_IN(f, 8))) {
            const uint64_t eight = GET64(f), percent = eight ^ EACH * '%';
            found = ZERO_IN(eight) | ZERO_IN(percent);
            n = found ? (size_t)__builtin_ctzll(found) / 8 : 8;
        } else {
            found = *f == 0 || *f == '%';
            n = !found;
        }
        if (LIKELY(n <= (size_t)(sink->end - sink->at))) {
            copy_short(sink->at, f, n);
            sink->at += n;
        } else {
            f = whole_piece(sink, f);
            continue;
        }
        f += n;
        if (found) return f;
    }
}

// %d and %u with nothing else; returns 0 if there may be no room.
INLINE int bare(Sink *sink, uint64_t number, int negative) {
    const size_t n = digits_of(number) + (size_t)negative;
    if (UNLIKELY(n > (size_t)(sink->end - sink->at))) return 0;
    char *const at = sink->at;
    *at = '-';
    sink->at = at + n;
    if (number) digits_before(at + n, number);
    else *at = '0';
    return 1;
}

HIDDEN int brawn_print(Sink *sink, const char *f, va_list list) {
    Arguments arguments;
    Directive directive;
    va_copy(arguments.list, list);
    arguments.taken = arguments.numbered = arguments.collecting = arguments.collected = 0;
    for (;;) {
        f = words(sink, f);
        if (!*f) break;
        const char c = f[1];
        if (c == '%') {
            if (LIKELY(sink->at != sink->end)) *sink->at++ = '%', f += 2;
            else f = whole_piece(sink, f);
            continue;
        }
        if (LIKELY(!arguments.numbered)) {
            if (c == 's') {
                const char *s = va_arg(arguments.list, const char *);
                if (!s) s = "(null)";
                const size_t n = brawn_strlen(s);
                put_fast(sink, s, n);
                if (UNLIKELY(printed(sink) > MOST)) return refused(OVERFLOW);
                arguments.taken = 1;
                f += 2;
                continue;
            }
            if (c == 'c') {
                put_char(sink, (char)va_arg(arguments.list, int));
                arguments.taken = 1;
                f += 2;
                continue;
            }
            if (c == 'd' || c == 'u') {
                const int number = va_arg(arguments.list, int);
                const int negative = c == 'd' && number < 0;
                const uint64_t size = negative ? -(uint64_t)(int64_t)number : (uint64_t)(unsigned)number;
                arguments.taken = 1;
                f += 2;
                if (LIKELY(bare(sink, size, negative))) continue;
                directive.spec = (Spec){.precision = NONE, .conversion = c};
                if (integer(sink, &directive.spec, negative ? (uint64_t)(int64_t)number : size)) return -1;
                continue;
            }
        }
        const char *next_f = parsed(f + 1, &directive, &arguments);
        Value value;
        if (UNLIKELY(next_f && arguments.numbered && !arguments.collected)) {
            if (collected(f, &arguments)) next_f = NULL;
            else next_f = parsed(f + 1, &directive, &arguments);
        }
        if (UNLIKELY(!next_f)) {
            // A format whose first directive is none prints nothing.
            if (!arguments.taken && (!sink->before || !sink->stream)) sink->at = sink->from;
            return -1;
        }
        f = next_f;
        if (directive.number) {
            value = arguments.values[directive.number];
        } else {
            next(&arguments, directive.kind, &value);
            arguments.taken |= directive.kind != NOTHING;
        }
        if (directed(sink, &directive, &value)) return -1;
    }
    if (UNLIKELY(printed(sink) > MOST)) return refused(OVERFLOW);
    return (int)printed(sink);
}

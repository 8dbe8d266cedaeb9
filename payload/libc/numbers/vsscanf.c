// vsscanf, on the text itself: musl makes a stream of it and asks that for each character.  The same results as of musl
// 1.2.2 to 1.2.6 (src/stdio/vfscanf.c), where C leaves them open, too: a conversion that nobody knows behind a
// length is counted as one that was stored, for example.
#include "integer.h"
#include "scanned.h"

HIDDEN double brawn_strtod(const char *restrict s, char **restrict end);
HIDDEN float brawn_strtof(const char *restrict s, char **restrict end);
HIDDEN long double brawn_strtold(const char *restrict s, char **restrict end);

void *malloc(size_t n);
void free(void *p);
// musl's mbstate_t has two words since 0.9 (include/alltypes.h.in).
typedef struct {
    unsigned state, room;
} Partial;
size_t mbrtowc(wchar_t *restrict to, const char *restrict s, size_t n, Partial *restrict state);

typedef enum {
    TINY = -2,
    SHORT,
    PLAIN,
    LONG,
    LONG_DOUBLE,
    LONG_LONG,
} Size;
typedef enum { GOES_ON,
    NO_MATCH,
    NO_INPUT } Outcome;

typedef struct {
    const unsigned char *at, *format;
    void *to;
    int width;
    Size size;
    // Whether room for the text is made here.
    int allocates;
} Scan;

static void store(void *to, Size size, uint64_t x) {
    if (!to) return;
    if (size == PLAIN) *(int *)to = (int)x;
    else if (size == LONG || size == LONG_LONG) *(long *)to = (long)x;
    else if (size == SHORT) *(short *)to = (short)x;
    else if (size == TINY) *(char *)to = (char)x;
}

INLINE void skip_blanks(Scan *scan) {
    while (integer_is_space(*scan->at)) scan->at++;
}

// How many characters of a text there are, up to `most`.
#define LIMITED(at) ((at) < most ? (unsigned)s[at] : 0)
#define UNLIMITED(at) ((unsigned)s[at])

static Outcome integer(Scan *scan, int base, int is_pointer) {
    const unsigned char *s = scan->at;
    const size_t most = (size_t)scan->width;
    Integer read;
    if (LIKELY(!most)) INTEGER(read, base, 0, UINT64_MAX, UNLIMITED);
    else INTEGER(read, base, 0, UINT64_MAX, LIMITED);
    if (!read.length) return NO_MATCH;
    scan->at += read.length;
    store(scan->to, is_pointer ? LONG : scan->size, read.value);
    return GOES_ON;
}

// The next piece of a text, where it stands.  A text may be long, and is read number by number: so none of them looks far
// beyond its end (musl looks 256 characters ahead).
enum { PIECE = 32 };
static size_t more(void *of, unsigned char *to, size_t n) {
    Text *text = of;
    unsigned char *const s = text->cookie;
    (void)n;
    if (!*s) return 0;
    text->rpos = s + 1;
    text->rend = s + brawn_strnlen((const char *)s, PIECE);
    text->cookie = text->rend;
    *to = *s;
    return 1;
}

// Infinities, NaNs, hexadecimal numbers, half numbers, and long ones that a width cuts off, by musl's own.
static COLD Outcome unusual_real(Scan *scan) {
    unsigned char *s = (unsigned char *)(uintptr_t)scan->at;
    Text text;
    begin_text(&text, s, 0, more);
    text.cookie = s;
    __shlim(&text, scan->width);
    long double x = __floatscan(&text, scan->size, 0);
    int64_t taken = text.shcnt + (text.rpos - text.buffer);
    if (!taken) return NO_MATCH;
    scan->at += taken;
    if (!scan->to) return GOES_ON;
    if (scan->size == PLAIN) *(float *)scan->to = (float)narrowed(x, 127);
    else if (scan->size == LONG) *(double *)scan->to = (double)narrowed(x, 1023);
    else *(long double *)scan->to = x;
    return GOES_ON;
}

// Of any width.
static Outcome whole_real(Scan *scan) {
    const unsigned char *s = scan->at, *digits;
    s += *s == '-' || *s == '+';
    digits = s;
    while (digit_of((char)*s) < 10) s++;
    size_t count = (size_t)(s - digits);
    if (*s == '.') {
        digits = ++s;
        while (digit_of((char)*s) < 10) s++;
        count += (size_t)(s - digits);
    }
    // strtod takes "1" of "1e" and "0" of "0x"; scanf nothing.
    if (!count || ((*s | 32) == 'x' && count == 1 && s[-1] == '0')) return unusual_real(scan);
    if ((*s | 32) == 'e') {
        s++;
        s += *s == '-' || *s == '+';
        if (digit_of((char)*s) >= 10) return unusual_real(scan);
        while (digit_of((char)*s) < 10) s++;
    }
    const char *text = (const char *)scan->at;
    if (scan->size == LONG) {
        double x = brawn_strtod(text, 0);
        if (scan->to) *(double *)scan->to = x;
    } else if (scan->size == PLAIN) {
        float x = brawn_strtof(text, 0);
        if (scan->to) *(float *)scan->to = x;
    } else if (scan->size == LONG_DOUBLE) {
        long double x = brawn_strtold(text, 0);
        if (scan->to) *(long double *)scan->to = x;
    } else {
        return NO_MATCH;
    }
    scan->at = s;
    return GOES_ON;
}

// Whether it may be a number's, in a NaN's parentheses, too.
INLINE int may_belong(unsigned c) {
    return (c - '(' <= '9' - '(' && c != ',') || (c | 32) - 'a' < 26 || c == '_';
}

// With a width: a text of its own, of what may belong to the number.  A longer one is left to musl.
static Outcome real(Scan *scan) {
    enum { ROOM = 128 };
    if (LIKELY(!scan->width)) return whole_real(scan);
    const unsigned char *const s = scan->at;
    const size_t most = (size_t)scan->width;
    unsigned char text[ROOM];
    size_t n = 0;
    for (; n < most && may_belong(s[n]); n++) {
        if (n == ROOM - 1) return unusual_real(scan);
        text[n] = s[n];
    }
    text[n] = 0;
    Scan cut = *scan;
    cut.at = text;
    cut.width = 0;
    const Outcome outcome = whole_real(&cut);
    scan->at += cut.at - text;
    return outcome;
}

typedef struct {
    uint64_t bits[4];
} Set;

INLINE int in_set(const Set *set, unsigned c) {
    return set->bits[c >> 6] >> (c & 63) & 1;
}

INLINE void add_to_set(Set *set, unsigned c) {
    set->bits[c >> 6] |= (uint64_t)1 << (c & 63);
}

// Reads a set from behind its bracket on, and leaves the format at its end; 0 if it has none.  Each '-' between two
// characters is a range from the one to the other, with its last in any case.
static int read_set(Scan *scan, Set *set) {
    const unsigned char *p = scan->format + 1;
    int inverted = *p == '^';
    p += inverted;
    *set = (Set){{0}};
    if (*p == '-' || *p == ']') add_to_set(set, *p++);
    for (; *p != ']'; p++) {
        if (!*p) return 0;
        if (*p == '-' && p[1] && p[1] != ']') {
            p++;
            for (unsigned c = p[-2]; c < *p; c++) add_to_set(set, c);
        }
        add_to_set(set, *p);
    }
    if (inverted) {
        for (int i = 0; i < 4; i++) set->bits[i] = ~set->bits[i];
    }
    // The text's end is in none.
    set->bits[0] &= ~(uint64_t)1;
    scan->format = p;
    return 1;
}

// n bytes as wide characters; those that are begun at the end are none.
static COLD Outcome store_wide(Scan *scan, size_t n, int ends) {
    wchar_t *to = scan->to, c;
    if (scan->allocates) {
        to = n < PTRDIFF_MAX / sizeof *to ? malloc((n + 1) * sizeof *to) : 0;
        if (!to) return NO_INPUT;
    }
    Partial partial = {0, 0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t result = mbrtowc(&c, (const char *)scan->at + i, 1, &partial);
        if (result == (size_t)-2) continue;
        if (result == (size_t)-1) {
            if (scan->allocates) free(to);
            return NO_INPUT;
        }
        if (to) to[count++] = c;
    }
    if (partial.state) {
        if (scan->allocates) free(to);
        return NO_INPUT;
    }
    if (scan->allocates) *(wchar_t **)scan->to = to;
    if (to && ends) to[count] = 0;
    return GOES_ON;
}

static COLD Outcome store_allocated(Scan *scan, size_t n) {
    char *to = malloc(n + 1);
    if (!to) return NO_INPUT;
    brawn_memcpy(to, scan->at, n);
    to[n] = 0;
    *(char **)scan->to = to;
    return GOES_ON;
}

// %c, %s and sets: as many as there are.
static Outcome text(Scan *scan, int kind) {
    const unsigned char *s = scan->at;
    const size_t most = scan->width ? (size_t)scan->width : SIZE_MAX;
    char *to = scan->size == LONG || scan->allocates ? 0 : scan->to;
    size_t n = 0;
    // What is stored may lie in the text itself, and is then read.
#define TAKE(condition)                                                           \
    if (to)                                                                       \
        for (unsigned c; n < most && (c = s[n], condition); n++) to[n] = (char)c; \
    else                                                                          \
        for (unsigned c; n < most && (c = s[n], condition); n++) {}
    if (kind == 's') {
        TAKE(c && !integer_is_space(c))
    } else if (kind == 'c') {
        TAKE(c != 0)
    } else {
        Set set;
        if (!read_set(scan, &set)) return NO_INPUT;
        TAKE(in_set(&set, c))
    }
    if (n == 0 || (kind == 'c' && n != most)) {
        // What is no character is found before that there is too little.
        if (n == 0 || scan->size != LONG) return NO_MATCH;
        Scan nowhere = *scan;
        if (scan->allocates) nowhere.allocates = 0, nowhere.to = 0;
        return store_wide(&nowhere, n, 0) == GOES_ON ? NO_MATCH : NO_INPUT;
    }
    Outcome outcome = GOES_ON;
    if (scan->size == LONG) outcome = store_wide(scan, n, kind != 'c');
    else if (scan->allocates) outcome = store_allocated(scan, n);
    else if (to && kind != 'c') to[n] = 0;
    scan->at += n;
    return outcome;
}

// The length in front of a conversion; 0 if what stands there is neither.
static int read_size(Scan *scan) {
    const unsigned char *p = scan->format;
    scan->size = PLAIN;
    switch (*p) {
    case 'h': scan->size = p[1] == 'h' ? TINY : SHORT; break;
    case 'l': scan->size = p[1] == 'l' ? LONG_LONG : LONG; break;
    case 'j': scan->size = LONG_LONG; break;
    case 'z':
    case 't': scan->size = LONG; break;
    case 'L': scan->size = LONG_DOUBLE; break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'p':
    case 'n':
    case 'a':
    case 'e':
    case 'f':
    case 'g':
    case 'A':
    case 'E':
    case 'F':
    case 'G':
    case 's':
    case 'c':
    case '[':
    case 'S':
    case 'C': return 1;
    default: return 0;
    }
    scan->format += scan->size == TINY || (scan->size == LONG_LONG && *p == 'l') ? 2 : 1;
    return 1;
}

// A conversion from behind its size on.
static Outcome convert(Scan *scan, const unsigned char *begin) {
    int kind = *scan->format;
    if (kind == 'C' || kind == 'S') {
        kind |= 32;
        scan->size = LONG;
    }
    if (kind == 'n') {
        store(scan->to, scan->size, (uint64_t)(scan->at - begin));
        scan->to = 0;
        return GOES_ON;
    }
    if (kind == 'c') {
        if (!scan->width) scan->width = 1;
    } else if (kind != '[') {
        skip_blanks(scan);
    }
    if (!*scan->at) return NO_INPUT;
    switch (kind) {
    case 's':
    case 'c':
    case '[': return text(scan, kind);
    case 'd':
    case 'u': return integer(scan, 10, 0);
    case 'x':
    case 'X':
    case 'p': return integer(scan, 16, kind == 'p');
    case 'o': return integer(scan, 8, 0);
    case 'i': return integer(scan, 0, 0);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return real(scan);
    default: return GOES_ON;
    }
}

// What is no conversion: blanks, and characters that have to be there.
INLINE Outcome literal(Scan *scan) {
    const unsigned char *p = scan->format;
    if (integer_is_space(*p)) {
        while (integer_is_space(p[1])) p++;
        skip_blanks(scan);
    } else {
        if (*p == '%') {
            p++;
            skip_blanks(scan);
        }
        if (*scan->at != *p) return *scan->at ? NO_MATCH : NO_INPUT;
        scan->at++;
    }
    scan->format = p + 1;
    return GOES_ON;
}

HIDDEN int brawn_vsscanf(const char *restrict s, const char *restrict format, __builtin_va_list arguments) {
    Scan scan = {.at = (const unsigned char *)s, .format = (const unsigned char *)format};
    Outcome outcome = s ? GOES_ON : NO_INPUT;
    int count = 0;
    while (outcome == GOES_ON && *scan.format) {
        if (*scan.format != '%' || scan.format[1] == '%') {
            outcome = literal(&scan);
            continue;
        }
        const unsigned char *p = ++scan.format;
        if (*p == '*') {
            scan.to = 0, p++;
        } else if (digit_of((char)*p) < 10 && p[1] == '$') {
            // Counted from the next argument on, as musl counts.
            __builtin_va_list others;
            __builtin_va_copy(others, arguments);
            for (int i = *p - '0'; i > 1; i--) (void)__builtin_va_arg(others, void *);
            scan.to = __builtin_va_arg(others, void *);
            __builtin_va_end(others);
            p += 2;
        } else {
            scan.to = __builtin_va_arg(arguments, void *);
        }
        unsigned width = 0;
        for (; digit_of((char)*p) < 10; p++) width = width * 10 + digit_of((char)*p);
        scan.width = (int)width > 0 ? (int)width : 0;
        scan.allocates = *p == 'm' && scan.to;
        scan.format = p + (*p == 'm');
        outcome = LIKELY(read_size(&scan)) ? convert(&scan, (const unsigned char *)s) : NO_INPUT;
        if (outcome == GOES_ON) {
            if (*scan.format) scan.format++;
            count += scan.to != 0;
        }
    }
    return outcome == NO_INPUT && count == 0 ? -1 : count;
}
NAME(vsscanf, brawn_vsscanf)
NAME(__isoc99_vsscanf, brawn_vsscanf)

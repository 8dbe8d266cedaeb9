// wcstof, wcstod and wcstold: what may be a number, as narrow text.  musl asks a stream for each character.
#include "scanned.h"
#include "wide.h"

HIDDEN double brawn_strtod(const char *restrict s, char **restrict end);
HIDDEN float brawn_strtof(const char *restrict s, char **restrict end);
HIDDEN long double brawn_strtold(const char *restrict s, char **restrict end);

// Room for a number as programs have it.
enum { ROOM = 64 };

// What may belong to a number, NaNs' parentheses, too: a bit for each of the first 64 characters, and of the others.
#define BIT(c) ((uint64_t)1 << ((c) & 63))
static const uint64_t MAY_BELONG[2] = {
    (BIT(10) - 1) << '0' | BIT('.') | BIT('+') | BIT('-') | BIT('(') | BIT(')') | BIT(' ') | (BIT(5) - 1) << '\t',
    (BIT(26) - 1) << ('a' & 63) | (BIT(26) - 1) << ('A' & 63) | BIT('_'),
};

// Whether the narrow text has all that may belong to a number.
INLINE int narrow_text(char *to, const wchar_t *s) {
    for (int i = 0; i < ROOM; i++) {
        const unsigned c = (unsigned)s[i];
        to[i] = (char)c;
        if (c >= 128 || !(MAY_BELONG[c >> 6] >> (c & 63) & 1)) {
            to[i] = 0;
            return 1;
        }
    }
    return 0;
}

// A longer one: a stream, of which musl reads pieces.  The text's end is no part of a number, and is given again
// and again.
static size_t more(void *of, unsigned char *to, size_t n) {
    Text *text = of;
    const wchar_t *s = text->cookie;
    size_t i = 0;
    do {
        text->buffer[i] = *s ? (unsigned char)narrow(*s++) : '@';
        i++;
    } while (i < text->buffer_size && *s);
    text->rpos = text->buffer;
    text->rend = text->buffer + i;
    text->cookie = (void *)(uintptr_t)s;
    if (!n) return 0;
    *to = *text->rpos++;
    return 1;
}

static COLD long double read_long(const wchar_t *t, size_t *length, int precision) {
    // What is put back goes in front.
    unsigned char room[ROOM];
    Text text;
    begin_text(&text, room + 4, sizeof room - 4, more);
    text.cookie = (void *)(uintptr_t)t;
    __shlim(&text, 0);
    long double result = __floatscan(&text, precision, 1);
    *length = (size_t)(text.shcnt + (text.rpos - text.buffer));
    return result;
}

#define DEFINE(Float, name, narrow_name, kind, Narrowed)                           \
    HIDDEN Float brawn_##name(const wchar_t *restrict s, wchar_t **restrict end) { \
        const wchar_t *t = behind_blanks(s);                                       \
        char text[ROOM], *behind = text;                                           \
        size_t length;                                                             \
        Float result;                                                              \
        if (LIKELY(narrow_text(text, t))) {                                        \
            result = brawn_##narrow_name(text, &behind);                           \
            length = (size_t)(behind - text);                                      \
        } else {                                                                   \
            result = (Float)Narrowed(read_long(t, &length, kind));                 \
        }                                                                          \
        if (end) *end = (wchar_t *)(uintptr_t)(length ? t + length : s);           \
        return result;                                                             \
    }                                                                              \
    NAME(name, brawn_##name)

#define AS_IT_IS(x) (x)
#define TO_FLOAT(x) narrowed(x, 127)
#define TO_DOUBLE(x) narrowed(x, 1023)
DEFINE(float, wcstof, strtof, AS_FLOAT, TO_FLOAT)
DEFINE(double, wcstod, strtod, AS_DOUBLE, TO_DOUBLE)
DEFINE(long double, wcstold, strtold, AS_LONG_DOUBLE, AS_IT_IS)

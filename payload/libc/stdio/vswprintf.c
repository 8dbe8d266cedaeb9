// vswprintf: what is plain is printed as bytes by what all of printf's kin print by, and widened.  All else is done as in musl (1.2.6, src/stdio/vswprintf.c): by a stream whose bytes become
// characters again.  Sizes over INT_MAX are no error, as in musl from 1.2.4 on.
#include "sink.h"
#include "stream.h"

enum {
    FORMAT = 128,
    TEXT = 256,
};

int mbtowc(wchar_t *restrict to, const char *restrict from, size_t n);
int vfwprintf(stream *restrict f, const wchar_t *restrict format, va_list arguments);

// Bits of 64 characters from 0x20 and from 0x40 on.
#define SIGN_BIT(c) ((uint64_t)1 << ((c) - 0x20))
#define LETTER_BIT(c) ((uint64_t)1 << ((c) - 0x40))
#define IS_IN(set, from, c) ((uint32_t)(c) - (from) < 64 && (set) >> ((uint32_t)(c) - (from)) & 1)
static const uint64_t PLAIN_ONES = LETTER_BIT('d') | LETTER_BIT('i') | LETTER_BIT('u') | LETTER_BIT('x') | LETTER_BIT('X') | LETTER_BIT('o') |
    LETTER_BIT('F') | LETTER_BIT('f') | LETTER_BIT('e') | LETTER_BIT('E') | LETTER_BIT('g') | LETTER_BIT('G');
static const uint64_t LENGTHS = LETTER_BIT('h') | LETTER_BIT('l') | LETTER_BIT('j') | LETTER_BIT('z') | LETTER_BIT('t') | LETTER_BIT('L');
static const uint64_t SIZES = SIGN_BIT('-') | SIGN_BIT('+') | SIGN_BIT(' ') | SIGN_BIT('#') | SIGN_BIT('.') | SIGN_BIT('*') |
    (uint64_t)0x3ff << ('0' - 0x20);

int wctomb(char *s, wchar_t c);
size_t __ctype_get_mb_cur_max(void);

enum { NOT_PLAIN,
    // If all of the text is ASCII: else bytes are no characters, which widths count.
    PLAIN_IN_ASCII,
    PLAIN,
    // What comes of wide characters alone is right in bytes, too.
    PLAIN_AND_RIGHT,
    // One of them alone, to be taken as it is.
    ALL_WIDE };

// The format as bytes, if every directive prints in bytes what it prints in characters.  %a does not: musl prints a long
// double there; and %p is an error in some versions.
static int plain(const wchar_t *format, char *to) {
    char *const end = to + FORMAT - 4;
    int kind = PLAIN_AND_RIGHT;
    if (format[0] == '%' && format[1] == 'l' && format[2] == 's' && !format[3]) return ALL_WIDE;
    for (; to < end; format++) {
        const wchar_t c = *format;
        if ((uint32_t)c >= 0x80) {
            const int size = wctomb(to, c);
            if (size < 0) return NOT_PLAIN;
            to += size;
            continue;
        }
        *to++ = (char)c;
        if (!c) return kind;
        if (c != '%') continue;
        if (format[1] == '%') {
            *to++ = (char)*++format;
            continue;
        }
        int lengths = 0, is_long = 0, sized = 0, cut = 0;
        for (;;) {
            if (to >= end) return NOT_PLAIN;
            const wchar_t d = *++format;
            *to++ = (char)d;
            if (IS_IN(PLAIN_ONES, 0x40, d)) break;
            if (d == 's' && lengths == is_long) {
                // A precision counts the characters of wide text, and here its bytes, which may not show.
                if (is_long && cut) return NOT_PLAIN;
                if (sized) kind = PLAIN_IN_ASCII;
                else if (!is_long && kind == PLAIN_AND_RIGHT) kind = PLAIN;
                break;
            }
            if (IS_IN(LENGTHS, 0x40, d)) lengths++, is_long = d == 'l';
            else if (IS_IN(SIZES, 0x20, d)) sized = 1, cut |= d == '.';
            else return NOT_PLAIN;
        }
    }
    return NOT_PLAIN;
}

static int is_ascii(const char *text, size_t n) {
    uint64_t all = 0;
    for (; n >= 8; n -= 8, text += 8) all |= GET64(text);
    while (n--) all |= (unsigned char)*text++;
    return !(all & 0x8080808080808080);
}

// Where characters go: `room` more fit, and a zero.
typedef struct {
    wchar_t *at;
    size_t room;
    // Of what had no room in the sink: whether some of it is not ASCII.
    int has_other_scripts;
} Wide;

static void widen(Wide *to, const char *text, size_t n) {
    if (n > to->room) n = to->room;
    for (size_t i = 0; i < n; i++) to->at[i] = (wchar_t)text[i];
    to->at += n;
    to->room -= n;
}

// What the sink has, and what has no room there.
static void make_room(Sink *sink, const char *text, size_t n) {
    Wide *const to = sink->stream;
    const size_t here = (size_t)(sink->at - sink->from);
    to->has_other_scripts |= !is_ascii(sink->from, here) || !is_ascii(text, n);
    // What is written stays, should the text be printed the other way: it has the same beginning.
    if (!to->has_other_scripts) {
        widen(to, sink->from, here);
        widen(to, text, n);
    }
    sink->before += here + n;
    sink->at = sink->from;
}

// The character that two to four bytes are in UTF-8; 0 if they are none.
INLINE wchar_t short_character(const unsigned char *text, size_t n) {
    if (n < 2 || (text[1] & 0xc0) != 0x80) return 0;
    const unsigned two = (unsigned)(text[0] & 31) << 6 | (text[1] & 63);
    if (text[0] >= 0xc2 && text[0] < 0xe0) return (wchar_t)two;
    if (n < 3 || text[0] < 0xe0 || (text[2] & 0xc0) != 0x80) return 0;
    const unsigned three = ((unsigned)(text[0] & 15) << 6 | (text[1] & 63)) << 6 | (text[2] & 63);
    if (text[0] >= 0xf0) {
        const unsigned four = three << 6 | (text[n < 4 ? 0 : 3] & 63);
        return n < 4 || text[0] > 0xf4 || (text[3] & 0xc0) != 0x80 || four - 0x10000 >= 0x100000 ? 0 : (wchar_t)four;
    }
    return three < 0x800 || three - 0xd800 < 0x800 ? 0 : (wchar_t)three;
}

// A text of any characters; how many there are, or -1 if some are none.
static int decode(Wide *to, const char *text, size_t n) {
    size_t count = 0;
    // musl has two kinds of locale: in the one a byte is a character, the other has UTF-8.
    int is_utf8 = 0;
    for (; n; count++) {
        wchar_t c = (unsigned char)*text;
        int size = 1;
        if (c >= 0x80) {
            c = is_utf8 ? short_character((const unsigned char *)text, n) : 0;
            size = c < 0x800 ? 2 : c < 0x10000 ? 3
                                               : 4;
            if (!c) size = mbtowc(&c, text, n);
            if (size < 0) return -1;
            is_utf8 = size > 1;
        }
        if (to->room) *to->at++ = c, to->room--;
        text += size;
        n -= (size_t)size;
    }
    return (int)count;
}

static size_t widened(stream *f, const unsigned char *text, size_t n) {
    Wide *const to = f->rest[0];
    const size_t all = n;
    int size = 0;
    if (text != (unsigned char *)f->unwritten &&
        widened(f, (unsigned char *)f->unwritten, (size_t)(f->write_at - f->unwritten)) == SIZE_MAX)
        return SIZE_MAX;
    while (to->room && n) {
        size = mbtowc(to->at, (const char *)text, n);
        if (size < 0) break;
        // A zero is a character, too.
        if (!size) size = 1;
        text += size;
        n -= (size_t)size;
        to->room--;
        to->at++;
    }
    *to->at = 0;
    if (size < 0) {
        f->write_at = f->unwritten = f->write_end = NULL;
        f->flags |= HAS_ERROR;
        return SIZE_MAX;
    }
    f->write_at = f->unwritten = (char *)f->buffer;
    f->write_end = (char *)f->buffer + f->size;
    return all;
}

// The characters of a text as they are, if the locale has all of them: how many there are, or -1 if this does not know.  What is
// written by then is written the other way, too.
static int as_it_is(wchar_t *s, size_t n, const wchar_t *text) {
    size_t i = 0;
    int is_utf8 = 0;
    if (!text) return -1;
    for (; i < n && text[i]; i++) {
        const uint32_t c = (uint32_t)text[i];
        if (c >= 0x80) {
            is_utf8 = is_utf8 || __ctype_get_mb_cur_max() > 1;
            if (UNLIKELY(!is_utf8 || c - 0xd800 < 0x800 || c >= 0x110000)) return -1;
        }
        s[i] = (wchar_t)c;
    }
    if (UNLIKELY(i == n)) return -1;
    s[i] = 0;
    return (int)i;
}

static COLD int by_stream(wchar_t *s, size_t n, const wchar_t *format, va_list arguments) {
    unsigned char buffer[TEXT];
    Wide to = {s, n - 1, 0};
    stream f;
    brawn_memset(&f, 0, sizeof f);
    f.write = widened;
    f.buffer = buffer;
    f.size = sizeof buffer;
    f.rest[0] = &to;
    f.lock = NO_LOCK;
    f.line_end = NO_LINES;
    const int result = vfwprintf(&f, format, arguments);
    widened(&f, NULL, 0);
    return result < 0 || (size_t)result >= n ? -1 : result;
}

HIDDEN int brawn_vswprintf(wchar_t *restrict s, size_t n, const wchar_t *restrict format, va_list arguments) {
    char narrow[FORMAT], text[TEXT];
    if (!n) return -1;
    const int kind = plain(format, narrow), error = ERRNO;
    if (kind == ALL_WIDE) {
        va_list again;
        va_copy(again, arguments);
        const int count = as_it_is(s, n, va_arg(again, const wchar_t *));
        va_end(again);
        if (LIKELY(count >= 0)) return count;
    } else if (LIKELY(kind)) {
        Wide to = {s, n - 1, 0}, nowhere = {s, 0, 0};
        Sink sink = {.at = text, .end = text + sizeof text, .from = text, .more = make_room, .stream = &to};
        int result = brawn_print(&sink, narrow, arguments);
        if (LIKELY(result >= 0 && !to.has_other_scripts)) {
            const size_t here = (size_t)(sink.at - text);
            if (LIKELY(is_ascii(text, here))) widen(&to, text, here);
            else result = kind >= PLAIN && !sink.before && (kind == PLAIN_AND_RIGHT || decode(&nowhere, text, here) >= 0) ? decode(&to, text, here) : -1;
            if (LIKELY(result >= 0)) {
                *to.at = 0;
                return (size_t)result < n ? result : -1;
            }
        }
        ERRNO = error;
    }
    return by_stream(s, n, format, arguments);
}
NAME(vswprintf, brawn_vswprintf)

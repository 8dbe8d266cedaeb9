// vswprintf: what is plain (ASCII, no wide text among the arguments) is printed as bytes by what all of printf's kin
// print by, and widened.  All else is done as in musl (1.2.6, src/stdio/vswprintf.c): by a stream whose bytes become
// characters again.  Sizes over INT_MAX are no error, as in musl from 1.2.4 on.
#include "sink.h"
#include "stream.h"

enum {
    FORMAT = 128,
    TEXT = 256,
};

int mbtowc(wchar_t *restrict to, const char *restrict from, size_t n);
int vfwprintf(stream *restrict f, const wchar_t *restrict format, va_list arguments);

static int is_one_of(wchar_t c, const char *all) {
    for (; *all; all++)
        if (c == (wchar_t)*all) return 1;
    return 0;
}

// The format as bytes, if every directive prints in bytes what it prints in characters.  %a does not: musl prints a long
// double there; and %p is an error in some versions.
static int is_plain(const wchar_t *format, char *to) {
    for (size_t i = 0; i < FORMAT; i++) {
        const wchar_t c = format[i];
        to[i] = (char)c;
        if (!c) return 1;
        if ((uint32_t)c >= 0x80) return 0;
        if (c != '%') continue;
        if (format[i + 1] == '%') {
            if (++i == FORMAT) return 0;
            to[i] = '%';
            continue;
        }
        int has_length = 0;
        for (;;) {
            if (++i == FORMAT) return 0;
            const wchar_t d = format[i];
            to[i] = (char)d;
            if (is_one_of(d, "diuxXofFeEgG")) break;
            if (d == 's' && !has_length) break;
            if (is_one_of(d, "hljztL")) has_length = 1;
            else if (!is_one_of(d, "-+ #0123456789.*")) return 0;
        }
    }
    return 0;
}

// Counts what has no room: then all of it is printed the other way.
static void count(Sink *sink, const char *text, size_t n) {
    (void)text;
    sink->before += n;
}

static int is_ascii(const char *text, size_t n) {
    uint64_t all = 0;
    for (; n >= 8; n -= 8, text += 8) all |= GET64(text);
    while (n--) all |= (unsigned char)*text++;
    return !(all & 0x8080808080808080);
}

// Where a stream's characters go: `room` more fit, and a zero.
typedef struct {
    wchar_t *at;
    size_t room;
} Wide;

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

static COLD int by_stream(wchar_t *s, size_t n, const wchar_t *format, va_list arguments) {
    unsigned char buffer[TEXT];
    Wide to = {s, n - 1};
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
    if (LIKELY(is_plain(format, narrow))) {
        const int error = ERRNO;
        Sink sink = {.at = text, .end = text + sizeof text, .from = text, .more = count};
        const int result = brawn_print(&sink, narrow, arguments);
        if (LIKELY(result >= 0 && !sink.before && is_ascii(text, (size_t)result))) {
            const size_t length = (size_t)result, fits = length < n ? length : n - 1;
            for (size_t i = 0; i < fits; i++) s[i] = (wchar_t)text[i];
            s[fits] = 0;
            return length < n ? result : -1;
        }
        ERRNO = error;
    }
    return by_stream(s, n, format, arguments);
}
NAME(vswprintf, brawn_vswprintf)

// vswscanf: numbers in short ASCII text, as vsscanf reads them.  The rest as musl does it, of which each conversion writes a narrow format,
// and asks fscanf for it (1.2.2 to 1.2.6, src/stdio/vswscanf.c).
#include "scanned.h"

HIDDEN int brawn_vsscanf(const char *restrict s, const char *restrict format, __builtin_va_list arguments);

int vfwscanf(Text *restrict text, const wchar_t *restrict format, __builtin_va_list arguments);
size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t n, void *restrict state);

enum {
    FORMAT_ROOM = 64,
    TEXT_ROOM = 192,
};

// Whether all of a text is ASCII, and has room.
INLINE int narrowed_text(char *to, const wchar_t *s, size_t room) {
    for (size_t i = 0; i < room; i++) {
        const unsigned c = (unsigned)s[i];
        if (c >= 128) return 0;
        to[i] = (char)c;
        if (!c) return 1;
    }
    return 0;
}

// Whether there are no conversions in a format but those of numbers: of text, wide and narrow ones differ, and of what nobody knows.
static int only_numbers(const char *p) {
    while (*p) {
        if (*p++ != '%') continue;
        if (*p == '%') {
            p++;
            continue;
        }
        p += *p == '*';
        while (digit_of(*p) < 10) p++;
        if (*p == 'L') p++;
        else if (*p == 'h' || *p == 'l') p += p[1] == p[0] ? 2 : 1;
        switch (*p) {
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
        case 'p':
        case 'e':
        case 'f':
        case 'g':
        case 'n': p++; break;
        default: return 0;
        }
    }
    return 1;
}

static size_t more(void *of, unsigned char *to, size_t n) {
    Text *text = of;
    const wchar_t *s = text->cookie;
    if (!s) return 0;
    const size_t k = wcsrtombs((char *)text->buffer, &s, text->buffer_size, NULL);
    text->rpos = text->rend = NULL;
    if (k == (size_t)-1) return 0;
    text->rpos = text->buffer;
    text->rend = text->buffer + k;
    text->cookie = (void *)(uintptr_t)s;
    if (!n || !k) return 0;
    *to = *text->rpos++;
    return 1;
}

static COLD int scan_text(const wchar_t *s, const wchar_t *format, __builtin_va_list arguments) {
    unsigned char room[256];
    Text text;
    begin_text(&text, room, sizeof room, more);
    text.rpos = text.rend = NULL;
    text.cookie = (void *)(uintptr_t)s;
    return vfwscanf(&text, format, arguments);
}

HIDDEN int brawn_vswscanf(const wchar_t *restrict s, const wchar_t *restrict format, __builtin_va_list arguments) {
    char narrow_format[FORMAT_ROOM], narrow[TEXT_ROOM];
    if (s && narrowed_text(narrow_format, format, sizeof narrow_format) && only_numbers(narrow_format) &&
        narrowed_text(narrow, s, sizeof narrow)) {
        return brawn_vsscanf(narrow, narrow_format, arguments);
    }
    return scan_text(s, format, arguments);
}
NAME(vswscanf, brawn_vswscanf)
NAME(__isoc99_vswscanf, brawn_vswscanf)

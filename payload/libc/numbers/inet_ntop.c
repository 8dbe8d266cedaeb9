// An address of the internet as text; the text that musl's is from 1.2.6 on, to the byte.
#include "../libc.h"

// Linux's numbers.
enum {
    INTERNET = 2,
    INTERNET_6 = 10,
    NO_SPACE = 28,
    NO_SUPPORT = 97,
};

static char *byte(char *to, unsigned number) {
    if (number >= 100) *to++ = (char)('0' + number / 100);
    if (number >= 10) *to++ = (char)('0' + number / 10 % 10);
    *to++ = (char)('0' + number % 10);
    return to;
}

static char *four_bytes(char *to, const unsigned char *a) {
    for (int i = 0; i < 4; i++) {
        to = byte(to, a[i]);
        *to++ = '.';
    }
    return to - 1;
}

static char *word(char *to, unsigned number) {
    for (int shift = number >= 0x1000 ? 12 : (number >= 0x100 ? 8 : (number >= 0x10 ? 4 : 0)); shift >= 0; shift -= 4) {
        unsigned digit = number >> shift & 15;
        *to++ = (char)(digit < 10 ? '0' + digit : 'a' - 10 + digit);
    }
    return to;
}

// The first of the longest runs of two zeros or more becomes "::".  A run at the beginning, which has no colon in
// front, counts as one that has: so RFC 5952, 4.2.3, and musl 1.2.6; before, a later run as long went.  Returns the
// new end.
static char *shortened(char *text, char *end) {
    char *best = text, *behind = text;
    long most = 3;
    for (char *from = text; from < end; from++) {
        if (from != text && *from != ':') continue;
        char *to = from;
        while (*to == ':' || *to == '0') to++;
        long size = to - from + (from == text);
        if (size > most) best = from, behind = to, most = size;
    }
    if (behind == text) return end;
    best[0] = best[1] = ':';
    char *to = best + 2;
    for (const char *from = behind; from < end; from++) *to++ = *from;
    return to;
}

HIDDEN const char *brawn_inet_ntop(int family, const void *restrict address, char *restrict s, unsigned size) {
    const unsigned char *a = address;
    char text[48], *end = text;
    if (family == INTERNET) {
        end = four_bytes(text, a);
    } else if (family == INTERNET_6) {
        int mapped = GET64(a) == 0 && GET32(a + 8) == 0xffff0000;
        for (int i = 0; i < (mapped ? 12 : 16); i += 2) {
            end = word(end, (unsigned)a[i] << 8 | a[i + 1]);
            *end++ = ':';
        }
        end = mapped ? four_bytes(end, a + 12) : end - 1;
        *end = 0;
        end = shortened(text, end);
    } else {
        ERRNO = NO_SUPPORT;
        return 0;
    }
    *end = 0;
    size_t length = (size_t)(end - text);
    if (LIKELY(length < size)) {
        for (size_t i = 0; i <= length; i++) s[i] = text[i];
        return s;
    }
    // snprintf wrote there what fits.
    if (family == INTERNET && size) {
        for (size_t i = 0; i + 1 < size; i++) s[i] = text[i];
        s[size - 1] = 0;
    }
    ERRNO = NO_SPACE;
    return 0;
}
NAME(inet_ntop, brawn_inet_ntop)

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

// So many words of an address.  The first of the longest runs of two zeros or more becomes "::": so RFC 5952, 4.2.3, and musl
// 1.2.6; before, a run at the beginning counted as shorter by a colon.
static char *some_words(char *to, const unsigned char *a, int count) {
    int from = -1, most = 1;
    for (int i = 0; i < count; i++) {
        int n = 0;
        while (i + n < count && GET16(a + 2 * (i + n)) == 0) n++;
        if (n > most) from = i, most = n;
        i += n;
    }
    for (int i = 0; i < count; i++) {
        if (i == from) {
            if (i == 0) *to++ = ':';
            i += most - 1;
        } else {
            to = word(to, (unsigned)a[2 * i] << 8 | a[2 * i + 1]);
        }
        *to++ = ':';
    }
    // A colon behind the last word, but not that of a run.
    return count == 8 && from + most != count ? to - 1 : to;
}

HIDDEN const char *brawn_inet_ntop(int family, const void *restrict address, char *restrict s, unsigned size) {
    const unsigned char *a = address;
    char text[48], *end = text;
    if (family == INTERNET) {
        end = four_bytes(text, a);
    } else if (family == INTERNET_6) {
        int mapped = GET64(a) == 0 && GET32(a + 8) == 0xffff0000;
        end = some_words(text, a, mapped ? 6 : 8);
        if (mapped) end = four_bytes(end, a + 12);
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

// Included by strings.c: wcsrtombs against libc's, of every character and of some that are none, with room for less than all of a text,
// in both locales.
#pragma once
#include <errno.h>
#include <locale.h>

extern size_t brawn_wcsrtombs(char *, const wchar_t **, size_t, void *);
static size_t (*volatile our_wcsrtombs)(char *, const wchar_t **, size_t, void *) = brawn_wcsrtombs;

static void bytes_of(const wchar_t *text, size_t n) {
    char ours[80], libcs[80];
    memset(ours, 0x55, sizeof ours), memset(libcs, 0x55, sizeof libcs);
    const wchar_t *from[] = {text, text};
    now_at("wcsrtombs", (size_t)text[0], (size_t)text[1], n);
    errno = 0;
    const size_t size = our_wcsrtombs(ours, &from[0], n, NULL);
    const int error = errno;
    errno = 0;
    MUST(size == wcsrtombs(libcs, &from[1], n, NULL) && error == errno && from[0] == from[1]);
    MUST(!memcmp(ours, libcs, sizeof ours));
    from[0] = from[1] = text;
    errno = 0;
    const size_t all = our_wcsrtombs(NULL, &from[0], n, NULL);
    MUST(all == wcsrtombs(NULL, &from[1], n, NULL) && errno == (all == (size_t)-1 ? EILSEQ : 0) && from[0] == text);
}

static void bytes_in(const char *locale) {
    setlocale(LC_CTYPE, locale);
    static const wchar_t some[] = {L'a', 0x7f, 0x80, 0xe4, 0x7ff, 0x800, 0x4e00, 0xd7ff, 0xd800, 0xdf7f, 0xdf80, 0xdfff, 0xe000, 0xffff, 0x10000, 0x1f600,
        0x10ffff, 0x110000, -1, 0};
    enum { SOME = sizeof some / sizeof *some };
    for (wchar_t c = 0; c < 0x111000; c++) bytes_of((wchar_t[]){c, L'z', 0}, 60);
    for (int shift = 0; shift < 32; shift++) {
        for (unsigned by = 0; by < 8; by++) bytes_of((wchar_t[]){(wchar_t)((~0u >> shift) + by), 0}, 60);
    }
    for (int k = 0; k < 20000; k++) {
        wchar_t text[12] = {0};
        for (size_t i = next() % 11; i > 0; i--) text[i - 1] = some[next() % (next() % 4 ? SOME - 4 : SOME)];
        for (size_t n = 0; n < 14; n++) bytes_of(text, n);
        bytes_of(text, 60);
    }
    // As many as a program likes to say.
    char to[8];
    const wchar_t *from = L"\u00e4z";
    const size_t size = our_wcsrtombs(to, &from, SIZE_MAX, NULL);
    MUST(size == (MB_CUR_MAX == 1 ? (size_t)-1 : 3));
}

static void narrow_bytes(void) {
    bytes_in("C.UTF-8");
    bytes_in("C");
}

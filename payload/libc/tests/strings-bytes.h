// Included by strings.c: wcsrtombs and mbsrtowcs against libc's, of every character and of some that are none, with room for less than
// all of a text, in both locales.
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

extern size_t brawn_mbsrtowcs(wchar_t *, const char **, size_t, void *);
static size_t (*volatile our_mbsrtowcs)(wchar_t *, const char **, size_t, void *) = brawn_mbsrtowcs;

// `text` from where `state` has its first bytes.
static void characters_of(const char *text, size_t n, unsigned state) {
    enum { MOST = 96 };
    wchar_t ours[MOST], libcs[MOST];
    const char *from[] = {text, text};
    unsigned states[] = {state, state};
    now_at("mbsrtowcs", n ? (unsigned char)text[0] : 0, state, n);
    memset(ours, 0x55, sizeof ours), memset(libcs, 0x55, sizeof libcs);
    errno = 0;
    const size_t size = our_mbsrtowcs(ours, &from[0], n, state ? &states[0] : NULL);
    const int error = errno;
    errno = 0;
    MUST(size == mbsrtowcs(libcs, &from[1], n, state ? (void *)&states[1] : NULL) && error == errno);
    MUST(from[0] == from[1] && states[0] == states[1] && !memcmp(ours, libcs, sizeof ours));
}

// The same, with as many as there are, and counted only.
static void characters(const char *text, unsigned state) {
    characters_of(text, 47, state);
    const char *from[] = {text, text};
    unsigned states[] = {state, state};
    errno = 0;
    const size_t all = our_mbsrtowcs(NULL, &from[0], 3, &states[0]);
    const int error = errno;
    errno = 0;
    MUST(all == mbsrtowcs(NULL, &from[1], 3, (void *)&states[1]) && error == errno && from[0] == text && states[0] == state);
}

static void characters_in(const char *locale) {
    setlocale(LC_CTYPE, locale);
    static const char parts[][9] = {"a", "\x7f", "\xc3\xa4", "\xdf\xbf", "\xe0\xa0\x80", "\xe4\xb8\xad", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x9f\x98\x80",
        "\xf4\x8f\xbf\xbf", "abcdefgh", "1234", "\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe4", "\xe4\xb8",
        "\xf0\x9f", "\xf0\x9f\x98", "\xff"};
    enum { PARTS = sizeof parts / sizeof *parts,
        WHOLE = 12 };
    // What four bytes are, for all but the last two of them some that tell.
    for (unsigned first = 1; first < 256; first++)
        for (unsigned second = 0; second < 256; second++)
            for (unsigned third = 0x7f; third < 0xc2; third += 0x41)
                for (unsigned fourth = 0x7f; fourth < 0xc2; fourth += 0x41) {
                    const char text[] = {(char)first, (char)second, (char)(third ^ 0x3f), (char)(fourth ^ 0x3f), 'z', 0};
                    characters(text, 0);
                }
    for (int k = 0; k < 60000; k++) {
        char text[128] = "";
        for (size_t i = next() % 11; i > 0; i--) strcat(text, parts[next() % (next() % 4 ? WHOLE : PARTS)]);
        // The last byte is the page's, or the text is the page's only without its end; it is on two pages, too.
        const size_t length = strlen(text), off = k % 3 == 2 ? 4095 - next() % 80 : ROOM - length - (k % 3 == 0);
        char *const at = A + (off % ROOM);
        memcpy(at, text, length + (k % 3 != 1));
        static const char *const begun[] = {"", "", "\xc3", "\xe4", "\xe4\xb8", "\xe0", "\xed", "\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xf4"};
        unsigned state = 0;
        wchar_t c;
        const char *some = begun[next() % (sizeof begun / sizeof *begun)];
        setlocale(LC_CTYPE, "C.UTF-8");
        if (*some) mbrtowc(&c, some, strlen(some), (void *)&state);
        setlocale(LC_CTYPE, locale);
        if (k % 3 == 1) {
            // As many as are whole, as mbsnrtowcs asks for them.
            const char *from = text;
            const size_t whole = mbsrtowcs(NULL, &from, 0, NULL);
            if (whole + 1 > 1) characters_of(at, whole, 0);
            continue;
        }
        for (size_t n = 0; n < 20; n += next() % 5) {
            // Without room, musl's goes on from a state without end.
            if (n || !state) characters_of(at, n, state);
            n++;
        }
        characters(at, state);
    }
}

// Where a page ends with what cannot be a character, musl does not look at the next page.
static void page_ends_in_no_character(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    static const char *const before[] = {"", "a", "\xc3\xa9", "\xe2\x82\xac", "abcdefgh", "abcdefgh\xf0\x9f\x98\x80"};
    static const char *const tails[] = {"\x80", "\xbf", "\xc0", "\xc1", "\xf5", "\xff", "\xc2\x7f", "\xc2\xc0", "\xe0\x80", "\xe0\x9f", "\xe1\x7f",
        "\xe4\xff", "\xed\xa0", "\xed\xbf", "\xf0\x80", "\xf0\x8f", "\xf1\x7f", "\xf4\x90", "\xf4\xbf", "\xf4\xff", "\xe4\xb8\x7f", "\xf0\x9f\x98\xff"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
            const size_t first = strlen(before[i]), second = strlen(tails[k]);
            char *const at = A + ROOM - first - second;
            memcpy(at, before[i], first);
            memcpy(at + first, tails[k], second);
            characters(at, 0);
        }
    }
}

static void narrow_bytes(void) {
    bytes_in("C.UTF-8"), characters_in("C.UTF-8");
    page_ends_in_no_character();
    bytes_in("C"), characters_in("C");
}

/* Wide and multibyte characters. */
#include "bench.h"
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

static wchar_t wide[4096], other[4096], to[4096];
static char mixed[1024], ascii[1024], bytes[8192];
static iconv_t utf16, latin;

PREPARE {
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int i = 0; i < 4095; i++) wide[i] = other[i] = L'a' + i % 26;
    memset(ascii, 'x', 1000);
    for (int i = 0; i < 1000; i += 10) memcpy(mixed + i, "words\xc3\xa4 \xc3\xb6", 10);
    utf16 = iconv_open("UTF-16LE", "UTF-8");
    latin = iconv_open("UTF-8", "ISO-8859-1");
}
#define WIDE(call, n)        \
    do {                     \
        wchar_t a = wide[n]; \
        wide[n] = 0;         \
        wchar_t *x = wide;   \
        HIDE(x);             \
        KEEP(call);          \
        wide[n] = a;         \
    } while (0)

ROW("wide", wcslen12, "wcslen, 12") { WIDE(wcslen(x), 12); }
ROW("wide", wcslen1k, "wcslen, 1,000") { WIDE(wcslen(x), 1000); }
ROW("wide", wcschr12, "wcschr, 12") { WIDE(wcschr(x, L'0'), 12); }
ROW("wide", wcschr1k, "wcschr, 1,000") { WIDE(wcschr(x, L'0'), 1000); }
ROW("wide", wcsrchr100, "wcsrchr, 100") { WIDE(wcsrchr(x, L'0'), 100); }
ROW("wide", wcscmp12, "wcscmp, 12") {
    wide[12] = other[12] = 0;
    wchar_t *x = wide, *y = other;
    HIDE(x);
    HIDE(y);
    KEEP(wcscmp(x, y));
    wide[12] = other[12] = 'm';
}
ROW("wide", wcscpy100, "wcscpy, 100") { WIDE(wcscpy(to, x), 100); }
ROW("wide", wmemcmp100, "wmemcmp, 100") {
    wchar_t *x = wide;
    HIDE(x);
    KEEP(wmemcmp(x, other, 100));
}
ROW("wide", wmemcmp1k, "wmemcmp, 1,000") {
    wchar_t *x = wide;
    HIDE(x);
    KEEP(wmemcmp(x, other, 1000));
}
ROW("wide", wmemchr1k, "wmemchr, 1,000") {
    wchar_t *x = wide;
    HIDE(x);
    KEEP(wmemchr(x, L'0', 1000));
}
ROW("wide", wmemset1k, "wmemset, 1,000") {
    wchar_t *x = to;
    HIDE(x);
    KEEP(wmemset(x, L'0', 1000));
}
ROW("wide", wcsstr1k, "wcsstr, 1,000") { WIDE(wcsstr(x, L"zyx"), 1000); }
ROW("wide", towupper16, "towupper, 16") {
    for (int i = 0; i < 16; i++) {
        wint_t c = (wint_t)wide[i];
        HIDE(c);
        KEEP(towupper(c));
    }
}
ROW("wide", mbs_ascii, "mbstowcs, 1,000 of ASCII") {
    char *x = ascii;
    HIDE(x);
    KEEP(mbstowcs(to, x, 4096));
}
ROW("wide", mbs_mixed, "mbstowcs, 1,000 mixed") {
    char *x = mixed;
    HIDE(x);
    KEEP(mbstowcs(to, x, 4096));
}
ROW("wide", wcstombs1k, "wcstombs, 1,000") { WIDE(wcstombs(bytes, x, sizeof bytes), 1000); }
ROW("wide", mbrtowc1, "mbrtowc, 2 B") {
    mbstate_t state = {0};
    wchar_t c;
    char *x = mixed + 6;
    HIDE(x);
    KEEP(mbrtowc(&c, x, 3, &state));
}
ROW("wide", mblen1, "mblen, 1 B") {
    char *x = ascii;
    HIDE(x);
    KEEP(mblen(x, 4));
}
ROW("wide", btowc1, "btowc") {
    int c = 'x';
    HIDE(c);
    KEEP(btowc(c));
}
ROW("wide", to_utf16, "iconv UTF-8 to UTF-16, 1,000 B") {
    char *in = mixed, *out = bytes;
    size_t left = 1000, room = sizeof bytes;
    KEEP(iconv(utf16, &in, &left, &out, &room));
}
ROW("wide", from_latin, "iconv ISO-8859-1 to UTF-8, 1,000 B") {
    char *in = mixed, *out = bytes;
    size_t left = 1000, room = sizeof bytes;
    KEEP(iconv(latin, &in, &left, &out, &room));
}
ROW("wide", info, "nl_langinfo") { KEEP(nl_langinfo(CODESET)); }
ROW("wide", loc, "setlocale, asked") { KEEP(setlocale(LC_ALL, 0)); }

//# states: functions of wide and multibyte characters answer at the edges as C and POSIX say, and read nothing behind the end
//# link: static static-pie
#include "guarded.h"
#include <iconv.h>
#include <limits.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

enum { MOST = 300 };
static wchar_t text[MOST + 1], other[MOST + 1];

static wchar_t *wide_at_end(const wchar_t *s, size_t n) { return at_end(s, n * sizeof *s); }

static void lengths(void) {
    for (size_t n = 0; n < MOST; n = n < 40 ? n + 1 : n + 13) {
        for (size_t i = 0; i < n; i++) text[i] = other[i] = (wchar_t)(0x10000 + i % 200);
        text[n] = other[n] = 0;
        wchar_t *s = wide_at_end(text, n + 1);
        CHECK_SAME(wcslen(s), n);
        CHECK_SAME(wcsnlen(s, n + 5), n);
        CHECK_SAME(wcsnlen(s + 1 - 1, n / 2), n / 2);
        CHECK(wcschr(s, 0) == s + n && wcsrchr(s, 0) == s + n, "the end of %zu", n);
        CHECK(wcschr(s, 0x100ff) == NULL && wcsrchr(s, 'x') == NULL, "found in %zu", n);
        CHECK_SAME(wcscmp(s, other), 0);
        CHECK_SAME(wcsncmp(other, s, n + 1), 0);
        /* Half of a character's bytes are the same: a comparison of bytes finds it. */
        CHECK(wcschr(s, 0x01000000) == NULL, "found half of one");
        wchar_t to[MOST + 2];
        to[n + 1] = 77;
        CHECK(wcscpy(to, s) == to && wmemcmp(to, text, n + 1) == 0 && to[n + 1] == 77, "copied %zu", n);
        if (!n) continue;
        CHECK(wcschr(s, 0x10000) == s, "the first of %zu", n);
        CHECK(wcsrchr(s, text[n - 1]) == s + n - 1, "the last of %zu", n);
        CHECK(wcsstr(s, other + n - 1) == wcschr(s, text[n - 1]) && wcsstr(s, other) == s, "in %zu", n);
        other[n - 1] = 0x10ffff;
        CHECK(wcscmp(s, other) < 0 && wcscmp(other, s) > 0 && wcsstr(s, other) == NULL, "%zu", n);
        CHECK_SAME(wcsncmp(s, other, n - 1), 0);
        /* As many as said, with no end behind them. */
        s = wide_at_end(text, n);
        CHECK(wmemchr(s, 0x100ff, n) == NULL && wmemchr(s, text[n - 1], n) != NULL, "%zu", n);
        CHECK_SAME(sign(wmemcmp(s, other, n)), -1);
        CHECK_SAME(wmemcmp(s, other, n - 1), 0);
        CHECK_SAME(wcsnlen(s, n), n);
        CHECK_SAME(wcsncmp(s, text, n), 0);
        s[0] = 5;
        CHECK(wmemset(s, 9, n) == s && s[0] == 9 && s[n - 1] == 9, "set %zu", n);
    }
}

static void none(void) {
    guard();
    wchar_t *nothing = (wchar_t *)(void *)guarded_end;
    size_t n = hidden_size(0);
    CHECK(wmemchr(nothing, 0, n) == NULL && wmemcmp(nothing, text, n) == 0 && wmemset(nothing, 1, n) == nothing,
        "read");
    CHECK(wmemcpy(nothing, text, n) == nothing && wmemmove(nothing, text, n) == nothing, "copied");
    CHECK(wcsnlen(nothing, n) == 0 && wcsncmp(nothing, text, n) == 0, "read");
    CHECK(wcsstr(L"abc", L"") != NULL && wcsstr(L"", L"a") == NULL && wcsstr(L"ab", L"abc") == NULL, "wcsstr");
    CHECK(wcscmp(L"", L"a") < 0 && wcscmp(L"a", L"") > 0, "the end comes first");
    wchar_t over[] = L"0123456789";
    wmemmove(over + 2, over, 8);
    CHECK(wcscmp(over, L"0101234567") == 0, "moved");
    wmemmove(over, over + 2, 8);
    CHECK(wcscmp(over, L"0123456767") == 0, "moved");
    wchar_t room[16] = L"ab";
    CHECK(wcscat(room, L"cd") == room && wcscmp(room, L"abcd") == 0, "joined");
}

static void numbers(void) {
    wchar_t *end;
    const wchar_t *s = L" \t-42x";
    CHECK(wcstol(s, &end, 10) == -42 && end == s + 5, "%td", end - s);
    s = L"99999999999999999999";
    CHECK_ERRNO(wcstol(s, &end, 10), LONG_MAX, ERANGE);
    CHECK(*end == 0, "not all read");
    CHECK_ERRNO(wcstoul(L"-1", NULL, 0), ULONG_MAX, 0);
    s = L"0xg";
    CHECK(wcstol(s, &end, 0) == 0 && end == s + 1, "%td", end - s);
    s = L"-";
    CHECK(wcstol(s, &end, 10) == 0 && end == s, "%td", end - s);
    s = L"1.5e3,";
    CHECK(wcstod(s, &end) == 1500 && end == s + 5, "%td", end - s);
    s = L"infinitY.";
    CHECK(wcstod(s, &end) == __builtin_inf() && end == s + 8, "%td", end - s);
    wchar_t to[32];
    CHECK_SAME(swprintf(to, 32, L"%d|%ls|%s|%c|%5.2f", -7, L"w\xe4", "narrow", 'c', 3.14159), 20);
    CHECK(wcscmp(to, L"-7|w\xe4|narrow|c| 3.14") == 0, "%ls", to);
    CHECK(swprintf(to, 4, L"%s", "too long") < 0, "no room");
    CHECK_SAME(swprintf(to, 32, L"\xf6\x4e2d%ls|%s|%d%%", L"\x4e2d\xdf\x1f600x", "z\xc3\xa4\xe4\xb8\xad", 5), 13);
    CHECK(wcscmp(to, L"\xf6\x4e2d\x4e2d\xdf\x1f600x|z\xe4\x4e2d|5%") == 0, "%ls", to);
    CHECK_SAME(swprintf(to, 32, L"%.2ls|%4ls|%.2s|%-3s|", L"\xe4\xf6\xfc", L"\xe4", "\xc3\xa4\xc3\xb6x", "\xc3\xa4"), 15);
    CHECK(wcscmp(to, L"\xe4\xf6|   \xe4|\xe4\xf6|\xe4  |") == 0, "%ls", to);
    CHECK(swprintf(to, 32, L"%s", "\xe4\xb8") < 0, "half a character");
    static wchar_t large[1000], *more = large + 400;
    for (int i = 0; i < 380; i++) more[i] = i % 50 == 49 && i > 300 ? 0xe4 : L'x';
    CHECK_SAME(swprintf(large, 400, L"%ls", more), 380);
    CHECK(wcscmp(large, more) == 0, "380 characters");
    more[349] = L'y';
    CHECK_SAME(swprintf(large, 400, L"%ls", more), 380);
    CHECK(wcscmp(large, more) == 0, "380 letters");
}

static void bytes(void) {
    NEED(setlocale(LC_CTYPE, "C.UTF-8"));
    static const struct {
        const char *bytes;
        size_t result;
        wchar_t character;
    } one[] = {{"a", 1, 'a'},
        {"", 0, 0},
        {"\xc3\xa4", 2, 0xe4},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf0\x9f\x98\x80", 4, 0x1f600},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"\xc0\x80", -1, 0},
        {"\xe0\x80\x80", -1, 0},
        {"\xed\xa0\x80", -1, 0},
        {"\x80", -1, 0},
        {"\xff", -1, 0},
        {"\xc3"
         "a",
            -1, 0},
        {"\xf0\x8f\xbf\xbf", -1, 0}};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        mbstate_t state = {0};
        wchar_t character = 0;
        size_t n = strlen(one[i].bytes) + 1, result = mbrtowc(&character, text_at_end(one[i].bytes), n, &state);
        CHECK(result == one[i].result && character == one[i].character, "%zu: %zd, %#x", i, (ssize_t)result,
            (unsigned)character);
        char back[MB_LEN_MAX];
        if (result <= 4 && result)
            CHECK(wcrtomb(back, character, &state) == result && !memcmp(back, one[i].bytes, result), "%zu", i);
    }
    /* A byte at a time. */
    mbstate_t state = {0};
    wchar_t character = 7;
    CHECK_SAME(mbrtowc(&character, "\xe2", 1, &state), -2);
    CHECK_SAME(mbrtowc(&character, "\x82", 1, &state), -2);
    CHECK(!mbsinit(&state) && mbrtowc(&character, "\xac", 1, &state) == 1 && character == 0x20ac, "%#x",
        (unsigned)character);
    CHECK_SAME(mbrtowc(NULL, "", 1, &state), 0);
    char to[8];
    CHECK_ERRNO(wcrtomb(to, 0xd800, &state), (size_t)-1, EILSEQ);
    CHECK_ERRNO(mbstowcs(NULL, "a\xff", 0), (size_t)-1, EILSEQ);
    CHECK_SAME(mbstowcs(NULL, "a\xc3\xa4z", 0), 3);
    wchar_t wide[8] = {9, 9, 9, 9};
    CHECK(mbstowcs(wide, "a\xc3\xa4z", 2) == 2 && wide[1] == 0xe4 && wide[2] == 9, "wrote further");
    memset(to, '#', sizeof to);
    CHECK(wcstombs(to, L"a\xe4z", 2) == 1 && to[0] == 'a' && to[1] == '#', "half a character: %.8s", to);
    CHECK_SAME(wcstombs(NULL, L"\x20ac", 0), 3);
    const wchar_t *rest = L"ab";
    CHECK(wcsrtombs(to, &rest, 8, &state) == 2 && rest == NULL, "not at the end");
    CHECK(towupper(0xe4) == 0xc4 && towlower(0x416) == 0x436 && towupper('1') == '1' && towupper(WEOF) == WEOF,
        "towupper");
    CHECK(!iswspace(0xa0) && !iswspace(0x2007) && iswspace(0x200a) && !iswspace(0x200b) && iswspace(0x205f), "iswspace");
    CHECK(!iswspace(0) && iswspace(0x3000) && !iswspace(WEOF) && !iswspace(8) && !iswspace(14), "iswspace");
    CHECK(iswalpha(0xe4) && !iswalpha('1') && iswspace(0x2003) && !iswalpha(WEOF) && iswupper(0x416), "iswalpha");
    CHECK(wcwidth(0x4e00) == 2 && wcwidth(0x301) == 0 && wcwidth('a') == 1 && wcwidth(7) == -1, "wcwidth");
}

static void conversions(void) {
    iconv_t to = iconv_open("UTF-16LE", "UTF-8");
    NEED(to != (iconv_t)-1);
    char in[] = "a\xc3\xa4\xf0\x9f\x98\x80", out[16];
    char *from = in, *at = out;
    size_t left = sizeof in - 1, room = 6;
    CHECK_ERRNO(iconv(to, &from, &left, &at, &room), (size_t)-1, E2BIG);
    CHECK(left == 4 && room == 2, "%zu left, room for %zu", left, room);
    room = 10;
    CHECK_ERRNO(iconv(to, &from, &left, &at, &room), 0, 0);
    CHECK(!memcmp(out, "a\0\xe4\0\x3d\xd8\x00\xde", 8) && room == 6, "other bytes");
    char wrong[] = "x\xff", cut[] = "x\xe2\x82";
    from = wrong, left = 2, at = out, room = 16;
    CHECK_ERRNO(iconv(to, &from, &left, &at, &room), (size_t)-1, EILSEQ);
    CHECK(from == wrong + 1 && left == 1, "%zu left", left);
    from = cut, left = 3, at = out, room = 16;
    CHECK_ERRNO(iconv(to, &from, &left, &at, &room), (size_t)-1, EINVAL);
    CHECK(from == cut + 1 && left == 2, "%zu left", left);
    iconv_close(to);
    CHECK_ERRNO((long)iconv_open("no such", "UTF-8"), -1, EINVAL);
    NEED((to = iconv_open("UTF-8", "ISO-8859-1")) != (iconv_t)-1);
    char latin[] = "\xe4\xff";
    from = latin, left = 2, at = out, room = 16;
    CHECK_SAME(iconv(to, &from, &left, &at, &room), 0);
    CHECK(!memcmp(out, "\xc3\xa4\xc3\xbf", 4), "other bytes");
    iconv_close(to);
}

int main(void) {
    lengths();
    none();
    bytes();
    /* In a locale that has the characters. */
    numbers();
    conversions();
    return check_result();
}

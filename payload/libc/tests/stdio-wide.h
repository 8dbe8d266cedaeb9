// Included by stdio.c: holds brawn's vswprintf against libc's, over generated formats, sizes and locales.
#pragma once
#include <stdarg.h>
#include <wchar.h>

int brawn_vswprintf(wchar_t *, size_t, const wchar_t *, va_list);

enum { WIDE_ROOM = 700 };

static void same_wide(size_t size, const wchar_t *format, ...) {
    static wchar_t text[2][WIDE_ROOM + 1];
    int result[2], error[2];
    for (int k = 0; k < 2; k++) {
        va_list list;
        wmemset(text[k], L'~', WIDE_ROOM);
        va_start(list, format);
        errno = 0;
        result[k] = (k ? brawn_vswprintf : vswprintf)(text[k], size, format, list);
        error[k] = errno;
        va_end(list);
    }
    if (result[0] != result[1] || error[0] != error[1] || wmemcmp(text[0], text[1], WIDE_ROOM))
        FAIL("vswprintf of %.100ls in %zu: %d, errno %d, %.100ls, and libc's %d, errno %d, %.100ls", format, size, result[1], error[1],
            text[1], result[0], error[0], text[0]);
}

// A directive of each kind of argument: an integer, a double, a string, a wide string, a wide character.
static const wchar_t *const WIDE_INTEGERS[] = {L"%d", L"%5i", L"%-8x|", L"%#o", L"%+.3d", L"%08X", L"% hhd", L"%hu", L"%u",
    L"%c", L"%%%d", L"%lc", L"%d\xe4", L"\x20ac%d"};
static const wchar_t *const WIDE_LONGS[] = {L"%ld", L"%20lld", L"%jx", L"%zu", L"%-20td", L"%p", L"%#lx"};
static const wchar_t *const WIDE_DOUBLES[] = {L"%f", L"%.2f", L"%12.3e", L"%g", L"%#G", L"%a", L"%+F", L"%-14.0f|", L"%.40f"};
static const wchar_t *const WIDE_STRINGS[] = {L"%s", L"%.3s", L"%10s|", L"%-10.2s|", L"%hs", L"%%%s%%"};
static const wchar_t *const WIDE_WIDES[] = {L"%ls", L"%.2ls", L"%S", L"%9ls|"};

static void wide_formats(long turns) {
    static const double NUMBERS[] = {0, -0.0, 3.14159, 1e300, -1e-310, 0x1.8p-3, __builtin_inf(), 1e15};
    static const char *const BYTES[] = {"", "text", "w\xc3\xb6rter", "\xff", NULL, "a longer text than the others are"};
    static const wchar_t *const CHARACTERS[] = {L"", L"text", L"w\xf6rter", L"\xd800", L"\x4e00\x1f600", L"a\xdfe4", L"b\x110000"};
#define ANY(all) (all)[next() % (sizeof(all) / sizeof *(all))]
    for (int locale = 0; locale < 2; locale++) {
        setlocale(LC_ALL, locale ? "C.UTF-8" : "C");
        for (long turn = 0; turn < turns; turn++) {
            const size_t size = next() % 4 ? 300 : next() % 24;
            // Of a character 0, and of arguments by number, musl's answer depends on what its stack had before.
            const int any = next() % 8 ? (int)next() % 200 : (int)next(), small = any ? any : 1;
            same_wide(size, ANY(WIDE_INTEGERS), small);
            same_wide(size, ANY(WIDE_LONGS), (long)next() >> next() % 64);
            same_wide(size, ANY(WIDE_DOUBLES), ANY(NUMBERS));
            same_wide(size, ANY(WIDE_STRINGS), ANY(BYTES));
            same_wide(size, ANY(WIDE_WIDES), ANY(CHARACTERS));
            same_wide(size, L"%*.*d %s=%-*s|%5.1f%%", small % 50, small % 20, small, ANY(BYTES), small % 30, "key", ANY(NUMBERS));
        }
        same_wide(WIDE_ROOM, L"%300d", 1);
        same_wide(WIDE_ROOM, L"%255d|", 1);
        same_wide(WIDE_ROOM, L"%256d", 1);
        same_wide(WIDE_ROOM, L"%d %q", 1);
        same_wide(WIDE_ROOM, L"%", 1);
        same_wide(WIDE_ROOM, L"%-", 1);
        same_wide(WIDE_ROOM, L"%Ld", 1);
        same_wide(WIDE_ROOM, L"%d%n", 1, &(int){0});
        wchar_t format[200];
        for (size_t n = 120; n < 140; n++) {
            wmemset(format, L'-', n);
            wcscpy(format + n, L"%d");
            same_wide(WIDE_ROOM, format, 12);
        }
    }
    setlocale(LC_ALL, "C");
}

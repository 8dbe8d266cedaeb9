/* Text in several scripts, and broken text; wide strings by length. */
#include "edges.h"
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

enum { MOST = 10000 };
static wchar_t wide[MOST + 1], same[MOST + 1], to[MOST + 1];
static char bytes[MOST * 4 + 1];
typedef struct Script {
    char narrow[4001];
    wchar_t wide[1001];
} Script;
static Script ascii, latin, chinese, emoji;
static char broken[1001];

static void write_script(Script *script, wchar_t first, int many) {
    for (int i = 0; i < 1000; i++) script->wide[i] = first + i * 7 % many;
    wcstombs(script->narrow, script->wide, sizeof script->narrow);
}

PREPARE {
    setlocale(LC_CTYPE, "C.UTF-8");
    write_script(&ascii, L'a', 26);
    write_script(&latin, 0xc0, 64);
    write_script(&chinese, 0x4e00, 5000);
    write_script(&emoji, 0x1f600, 64);
    for (int i = 0; i < 1000; i++) broken[i] = "a\xff\xc3z\xe4\xb8 "[i % 7];
    for (int i = 0; i < MOST; i++) wide[i] = same[i] = L'a' + i % 26;
}

#define SCRIPT(name)                                                                                                     \
    EDGE("wide", "mbstowcs, 1,000 of " #name) { GIVEN(name.narrow, mbstowcs(to, x, MOST)); }                             \
    EDGE("wide", "mbsrtowcs, 1,000 of " #name) {                                                                         \
        mbstate_t state = {0};                                                                                           \
        GIVEN(name.narrow, mbsrtowcs(to, &x, MOST, &state));                                                             \
    }                                                                                                                    \
    EDGE("wide", "mbrtowc, 1 of " #name) {                                                                               \
        mbstate_t state = {0};                                                                                           \
        GIVEN(name.narrow, mbrtowc(to, x, 4, &state));                                                                   \
    }                                                                                                                    \
    EDGE("wide", "wcrtomb, 1 of " #name) {                                                                               \
        mbstate_t state = {0};                                                                                           \
        wchar_t c = name.wide[3];                                                                                        \
        HIDE(c);                                                                                                         \
        KEEP(wcrtomb(bytes, c, &state));                                                                                 \
    }                                                                                                                    \
    EDGE("wide", "wcstombs, 1,000 of " #name) { GIVEN_WIDE(name.wide, wcstombs(bytes, x, sizeof bytes)); }               \
    EDGE("wide", "towupper, 16 of " #name) { SIXTEEN(name, towupper(c)); }                                               \
    EDGE("wide", "iswalpha, 16 of " #name) { SIXTEEN(name, iswalpha(c)); }                                               \
    EDGE("wide", "iswspace, 16 of " #name) { SIXTEEN(name, iswspace(c)); }                                               \
    EDGE("wide", "wcwidth, 16 of " #name) { SIXTEEN(name, wcwidth((wchar_t)c)); }                                        \
    EDGE("wide", "snprintf %ls, 10 of " #name) { GIVEN_WIDE(name.wide + 990, snprintf(bytes, sizeof bytes, "%ls", x)); } \
    EDGE("wide", "swprintf %ls, 10 of " #name) { GIVEN_WIDE(name.wide + 990, swprintf(to, MOST, L"%ls", x)); }
#define SIXTEEN(name, call)              \
    for (int i = 0; i < 16; i++) {       \
        wint_t c = (wint_t)name.wide[i]; \
        HIDE(c);                         \
        KEEP(call);                      \
    }
SCRIPT(ascii)
SCRIPT(latin)
SCRIPT(chinese)
SCRIPT(emoji)
EDGE("wide", "mbstowcs of broken text") { GIVEN(broken, mbstowcs(to, x, MOST)); }
EDGE("wide", "mbrtowc of a broken byte") {
    mbstate_t state = {0};
    GIVEN(broken + 1, mbrtowc(to, x, 4, &state));
}
EDGE("wide", "mblen of half a character") { GIVEN("\xe4\xb8", mblen(x, 2)); }

#define SIZED(NAME, n, call)                     \
    EDGE("wide", NAME ", " #n) {                 \
        wchar_t *x = wide + MOST - (n);          \
        wchar_t *y = same + MOST - (n), *d = to; \
        HIDE(x);                                 \
        HIDE(y);                                 \
        HIDE(d);                                 \
        KEEP(call);                              \
    }
#define SIZES(NAME, call)  \
    SIZED(NAME, 0, ({enum {n = 0}; call; }))  \
    SIZED(NAME, 3, ({enum {n = 3}; call; }))  \
    SIZED(NAME, 40, ({enum {n = 40}; call; })) \
    SIZED(NAME, 10000, ({enum {n = 10000}; call; }))
SIZES("wcslen", wcslen(x))
SIZES("wcsnlen", wcsnlen(x, n))
SIZES("wcschr", wcschr(x, L'0'))
SIZES("wcsrchr", wcsrchr(x, L'0'))
SIZES("wcscmp", wcscmp(x, y))
SIZES("wcsncmp", wcsncmp(x, y, n))
SIZES("wcscpy", wcscpy(d, x))
SIZES("wcscat", (*d = 0, wcscat(d, x)))
SIZES("wcsstr", wcsstr(x, L"zyx"))
SIZES("wmemcpy", wmemcpy(d, x, n))
SIZES("wmemmove", wmemmove(d, x, n))
SIZES("wmemset", wmemset(d, L'x', n))
SIZES("wmemchr", wmemchr(x, L'0', n))
SIZES("wmemcmp", wmemcmp(x, y, n))
EDGE("wide", "swprintf %d") { KEEP(swprintf(to, MOST, L"%d", 4711)); }
EDGE("wide", "swprintf of Latin words") { KEEP(swprintf(to, MOST, L"Größe: %d", 4711)); }
EDGE("wide", "swprintf %s of Latin") { KEEP(swprintf(to, MOST, L"%s", "Gr\xc3\xb6\xc3\x9f"
                                                                      "e")); }
EDGE("wide", "swprintf %f") { KEEP(swprintf(to, MOST, L"%f", 2.5)); }
EDGE("wide", "swprintf of 300 letters") { GIVEN(ascii.narrow + 700, swprintf(to, MOST, L"%s", x)); }
EDGE("wide", "swscanf %d") { KEEP(swscanf(L"4711", L"%d", &(int){0})); }

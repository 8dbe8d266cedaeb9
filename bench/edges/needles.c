/* Needles that nearly fit, in texts made for them. */
#include "edges.h"
#include <fnmatch.h>
#include <regex.h>
#include <wchar.h>

enum { LENGTH = 20000 };
static char alike[LENGTH + 1], pairs[LENGTH + 1], fibonacci[LENGTH + 1], random_text[LENGTH + 1], capitals[LENGTH + 1];
static char as_b[1001], b_as[1001], as[101], pairs_c[201], fibonacci_c[234];
static wchar_t wide_alike[LENGTH + 1], wide_as_b[101];
static regex_t never;

PREPARE {
    uint64_t state = 3;
    memset(alike, 'a', LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        pairs[i] = "ab"[i & 1];
        random_text[i] = "ab"[draw(&state) >> 63];
        capitals[i] = "aA"[draw(&state) >> 63];
        wide_alike[i] = L'a';
    }
    /* The words a, ab, aba, abaab: the longest periods that do not fit. */
    fibonacci[0] = 'a', fibonacci[1] = 'b';
    for (int n = 2, before = 1; n < LENGTH;) {
        const int more = before < LENGTH - n ? before : LENGTH - n;
        memcpy(fibonacci + n, fibonacci, (size_t)more);
        before = n;
        n += more;
    }
    memset(as_b, 'a', 1000);
    as_b[999] = 'b';
    memset(b_as, 'a', 1000);
    b_as[0] = 'b';
    memset(as, 'a', 100);
    memcpy(pairs_c, pairs, 200);
    pairs_c[199] = 'c';
    memcpy(fibonacci_c, fibonacci, 233);
    fibonacci_c[232] = 'c';
    for (int i = 0; i < 100; i++) wide_as_b[i] = i < 99 ? L'a' : L'b';
    if (regcomp(&never, "(a|aa)*b", REG_EXTENDED | REG_NOSUB)) abort();
}

#define SOUGHT(in, part, what)                                                 \
    EDGE("needles", "strstr of " what) { GIVEN(in, strstr(x, part)); }         \
    EDGE("needles", "strcasestr of " what) { GIVEN(in, strcasestr(x, part)); } \
    EDGE("needles", "memmem of " what) { GIVEN(in, memmem(x, LENGTH, part, strlen(part))); }
SOUGHT(alike, "aab", "aab in aaa…")
SOUGHT(alike, "aaaaaaab", "aaaaaaab in aaa…")
SOUGHT(alike, as_b + 984, "a…b of 16 in aaa…")
SOUGHT(alike, as_b + 900, "a…b of 100 in aaa…")
SOUGHT(alike, as_b, "a…b of 1,000 in aaa…")
SOUGHT(alike, b_as, "ba… of 1,000 in aaa…")
SOUGHT(alike, "baaa", "baaa in aaa…")
SOUGHT(alike, "aabaa", "aabaa in aaa…")
SOUGHT(pairs, pairs_c, "abab…c of 200 in abab…")
SOUGHT(pairs, "ababababac", "abab…c of 10 in abab…")
SOUGHT(pairs, "abba", "abba in abab…")
SOUGHT(fibonacci, fibonacci_c, "a Fibonacci word of 233 in one")
SOUGHT(random_text, "abbabababbababbbababababb", "25 letters in random a and b")
SOUGHT(random_text, as, "100 a in random a and b")
SOUGHT(capitals, as_b + 900, "a…b of 100 in aAAa…")
EDGE("needles", "strspn of a in aaa…") { GIVEN(alike, strspn(x, "a")); }
EDGE("needles", "strcspn of 26 in aaa…") { GIVEN(alike, strcspn(x, "bcdefghijklmnopqrstuvwxyzB")); }
EDGE("needles", "strpbrk of 26 in aaa…") { GIVEN(alike, strpbrk(x, "bcdefghijklmnopqrstuvwxyzB")); }
EDGE("needles", "wcsstr of a…b of 100 in aaa…") { GIVEN_WIDE(wide_alike, wcsstr(x, wide_as_b)); }
EDGE("needles", "wcsstr of aab in aaa…") { GIVEN_WIDE(wide_alike, wcsstr(x, L"aab")); }
EDGE("needles", "regexec of (a|aa)*b in aaa…") { GIVEN(alike + LENGTH - 2000, regexec(&never, x, 0, 0, 0)); }
EDGE("needles", "fnmatch of *a*a*b in aaa…") { GIVEN(alike + LENGTH - 100, fnmatch("*a*a*b", x, 0)); }
EDGE("needles", "fnmatch of *.c") { GIVEN("source-file.c", fnmatch("*.c", x, 0)); }
EDGE("needles", "fnmatch of [a-z]*[!0-9].?") { GIVEN("source-file.c", fnmatch("[a-z]*[!0-9].?", x, 0)); }

/* Strings as programs have them: short first. */
#include "bench.h"
#include <ctype.h>
#include <strings.h>

static char lower[65536 + 64], upper[65536 + 64], text[65536 + 64], copy[65536 + 64], line[256];

PREPARE {
    uint64_t state = 7;
    for (int i = 0; i < 65536; i++) {
        lower[i] = (char)('a' + draw(&state) % 26);
        upper[i] = (char)(lower[i] - 32);
        text[i] = lower[i];
    }
    strcpy(line, "GET /index.html?name=value&other=thing HTTP/1.1; q=0.8, text/html");
}

/* A string of n bytes: what was behind it comes back afterwards. */
static char *of(char *s, size_t n) {
    s[n] = 0;
    HIDE(s);
    return s;
}
#define TWO(call, n)                                                           \
    do {                                                                       \
        char a = lower[n], b = upper[n], *x = of(lower, n), *y = of(upper, n); \
        KEEP(call);                                                            \
        lower[n] = a;                                                          \
        upper[n] = b;                                                          \
    } while (0)
#define ONE(call, n)                        \
    do {                                    \
        char a = text[n], *x = of(text, n); \
        KEEP(call);                         \
        text[n] = a;                        \
    } while (0)

ROW("strings", casecmp8, "strcasecmp, 8 B") { TWO(strcasecmp(x, y), 8); }
ROW("strings", casecmp24, "strcasecmp, 24 B") { TWO(strcasecmp(x, y), 24); }
ROW("strings", casecmp64k, "strcasecmp, 64 KiB") { TWO(strcasecmp(x, y), 65536); }
ROW("strings", ncasecmp12, "strncasecmp, 12 B") { TWO(strncasecmp(x, y, 12), 16); }
ROW("strings", ncasecmp1k, "strncasecmp, 1 KiB") { TWO(strncasecmp(x, y, 1024), 1100); }
ROW("strings", cspn8, "strcspn of 2, 8 B") { ONE(strcspn(x, "=;"), 8); }
ROW("strings", cspn64, "strcspn of 4, 64 B") { ONE(strcspn(x, " \t\r\n"), 64); }
ROW("strings", cspn4k, "strcspn of 4, 4 KiB") { ONE(strcspn(x, " \t\r\n"), 4096); }
ROW("strings", spn8, "strspn of 26, 8 B") { ONE(strspn(x, "abcdefghijklmnopqrstuvwxyz"), 8); }
ROW("strings", spn1k, "strspn of 26, 1 KiB") { ONE(strspn(x, "abcdefghijklmnopqrstuvwxyz"), 1024); }
ROW("strings", spnblank, "strspn of blanks, 2 B") {
    const char *x = "  word";
    HIDE(x);
    KEEP(strspn(x, " \t"));
}
ROW("strings", pbrk16, "strpbrk of 3, 16 B") { ONE(strpbrk(x, "?#&"), 16); }
ROW("strings", pbrk1k, "strpbrk of 3, 1 KiB") { ONE(strpbrk(x, "?#&"), 1024); }
ROW("strings", tok, "strtok_r, a line of 65 B") {
    char *rest;
    memcpy(copy, line, 66);
    for (char *t = strtok_r(copy, " ;,&", &rest); t; t = strtok_r(0, " ;,&", &rest)) KEEP(t);
}
ROW("strings", sep, "strsep, a line of 65 B") {
    char *rest = copy;
    memcpy(copy, line, 66);
    for (char *t; (t = strsep(&rest, " ;,&"));) KEEP(t);
}
ROW("strings", memccpy32, "memccpy, 32 B") { ONE(memccpy(copy, x, 0, 64), 32); }
ROW("strings", memccpy4k, "memccpy, 4 KiB") { ONE(memccpy(copy, x, 0, 8192), 4096); }
ROW("strings", casestr, "strcasestr, 256 B") { ONE(strcasestr(x, "HTTP/"), 256); }
ROW("strings", strdup16, "strdup and free, 16 B") { ONE((free(strdup(x)), 0), 16); }
ROW("strings", strlen12, "strlen, 12 B") { ONE(strlen(x), 12); }
ROW("strings", strcmp12, "strcmp, 12 B") {
    char *x = of(lower, 12), *y = of(text, 12);
    KEEP(strcmp(x, y));
    lower[12] = 'a';
}
ROW("strings", memcpy48, "memcpy, 48 B") {
    char *x = text;
    HIDE(x);
    KEEP(memcpy(copy, x, 48));
}
ROW("strings", strchr16, "strchr, 16 B") { ONE(strchr(x, '='), 16); }
ROW("strings", strstr64, "strstr, 64 B") { ONE(strstr(x, "value"), 64); }
ROW("strings", verscmp, "strverscmp") {
    const char *x = "lib-1.2.9", *y = "lib-1.2.10";
    HIDE(x);
    HIDE(y);
    KEEP(strverscmp(x, y));
}
ROW("strings", coll, "strcoll, 12 B") {
    char *x = of(lower, 12), *y = of(text, 12);
    KEEP(strcoll(x, y));
    lower[12] = 'a';
}
ROW("strings", upper16, "toupper, 16 characters") {
    for (int i = 0; i < 16; i++) {
        int c = text[i];
        HIDE(c);
        KEEP(toupper(c));
    }
}
ROW("strings", alpha16, "isalpha, 16 characters") {
    for (int i = 0; i < 16; i++) {
        int c = text[i];
        HIDE(c);
        KEEP(isalpha(c));
    }
}
ROW("strings", error, "strerror") {
    int n = 2;
    HIDE(n);
    KEEP(strerror(n));
}

/* Strings that nobody has just written: the load of a whole vector need not wait for the store of the end.  None lies at the
 * end of a page, wherever the linker puts them: the family `edges` has those. */
#define ALIGNED __attribute__((aligned(64)))
static const char ALIGNED no[] = "no", a_b[] = "a=b", path[] = "a/b", yes[] = "yes", yes_again[] = "yes", alive[] = "keep-ali", alive_again[] = "Keep-Ali";
static const char ALIGNED even[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm";
static const char ALIGNED same[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm";
#define STILL(call, string)     \
    do {                        \
        const char *x = string; \
        HIDE(x);                \
        KEEP(call);             \
    } while (0)
#define STILL_TWO(call, one, two)      \
    do {                               \
        const char *x = one, *y = two; \
        HIDE(x);                       \
        HIDE(y);                       \
        KEEP(call);                    \
    } while (0)

ROW("strings", strcmp64, "strcmp, 64 B") { STILL_TWO(strcmp(x, y), even + 1, same + 1); }
ROW("strings", strrchr64, "strrchr, 64 B") { STILL(strrchr(x, 'd'), even + 1); }
ROW("strings", strlen2, "strlen, 2 B") { STILL(strlen(x), no); }
ROW("strings", strchr3, "strchr, 3 B") { STILL(strchr(x, '='), a_b); }
ROW("strings", strrchr3, "strrchr, 3 B") { STILL(strrchr(x, '/'), path); }
ROW("strings", strcmp2, "strcmp, 2 B") { STILL_TWO(strcmp(x, y), no, even); }
ROW("strings", strncmp3, "strncmp, 3 B") { STILL_TWO(strncmp(x, y, 3), yes, yes_again); }
ROW("strings", strcpy2, "strcpy, 2 B") { STILL(strcpy(copy, x), no); }
ROW("strings", memcmp3, "memcmp, 3 B") { STILL_TWO(memcmp(x, y, 3), yes, yes_again); }
ROW("strings", memcpy3, "memcpy, 3 B") { STILL(memcpy(copy, x, 3), yes); }
ROW("strings", casecmp8s, "strcasecmp, 8 B, not just written") { STILL_TWO(strcasecmp(x, y), alive, alive_again); }

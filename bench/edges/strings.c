/* Blocks and strings of 0 to 100,000 bytes, and needles that nearly fit. */
#include "edges.h"
#include <strings.h>

enum { MOST = 100000 };
static char *text, *same, *to;

PREPARE {
    text = malloc(MOST + 64);
    same = malloc(MOST + 64);
    to = malloc(MOST * 2 + 64);
    if (!text || !same || !to) abort();
    memset(text, 'x', MOST + 63);
    memset(same, 'x', MOST + 63);
    text[MOST] = same[MOST] = to[0] = 0;
}

/* x and y are the last n bytes of two strings; so nothing is written before the call. */
#define SIZED(NAME, n, call)                  \
    EDGE("strings", NAME ", " #n " B") {      \
        char *x = text + MOST - (n);          \
        char *y = same + MOST - (n), *d = to; \
        HIDE(x);                              \
        HIDE(y);                              \
        HIDE(d);                              \
        KEEP(call);                           \
    }
#define SIZES(NAME, call)   \
    SIZED(NAME, 0, ({enum {n = 0}; call; }))   \
    SIZED(NAME, 1, ({enum {n = 1}; call; }))   \
    SIZED(NAME, 7, ({enum {n = 7}; call; }))   \
    SIZED(NAME, 33, ({enum {n = 33}; call; }))  \
    SIZED(NAME, 300, ({enum {n = 300}; call; })) \
    SIZED(NAME, 100000, ({enum {n = 100000}; call; }))
SIZES("memcpy", memcpy(d, x, n))
SIZES("memmove, overlapping", memmove(x - 1, x, n))
SIZES("memset", memset(d, 'x', n))
SIZES("memcmp", memcmp(x, y, n))
SIZES("memchr", memchr(x, 'a', n))
SIZES("memrchr", memrchr(x, 'a', n))
SIZES("memmem", memmem(x, n, "ab", 2))
SIZES("memccpy", memccpy(d, x, 'a', n))
SIZES("strlen", strlen(x))
SIZES("strnlen", strnlen(x, n))
SIZES("strchr", strchr(x, 'a'))
SIZES("strchrnul", strchrnul(x, 'a'))
SIZES("strrchr", strrchr(x, 'a'))
SIZES("strcmp", strcmp(x, y))
SIZES("strncmp", strncmp(x, y, n))
SIZES("strcasecmp", strcasecmp(x, y))
SIZES("strncasecmp", strncasecmp(x, y, n))
SIZES("strcpy", strcpy(d, x))
SIZES("stpcpy", stpcpy(d, x))
SIZES("strncpy", strncpy(d, x, n))
SIZES("stpncpy", stpncpy(d, x, n))
SIZES("strcat", (*d = 0, strcat(d, x)))
SIZES("strncat", (*d = 0, strncat(d, x, n)))
SIZES("strspn", strspn(x, "xyz"))
SIZES("strcspn", strcspn(x, "abc"))
SIZES("strpbrk", strpbrk(x, "abc"))
SIZES("strstr", strstr(x, "ab"))
SIZES("strcasestr", strcasestr(x, "ab"))
SIZES("swab", (swab(x, d, n & ~1), 0))
SIZES("strdup and free", (free(strdup(x)), 0))

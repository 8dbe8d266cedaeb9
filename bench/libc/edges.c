/* Blocks and strings near the end of a page, with the next page in three states.  A load or store with a mask that
 * reaches into a page that is not there does not fault, but some processors take a hundred times as long for it. */
#include "bench.h"
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* Of the next page: it is there; it is mapped, and nobody has touched it; nothing is mapped. */
enum { THERE,
    UNTOUCHED,
    NONE,
    STATES };
/* What ends 16 bytes before the page does: two blocks, which are the same, and as many bytes to write to. */
static char *one[STATES], *two[STATES], *out[STATES];
/* Away from any end. */
static char *inner, *inner_out;
static long page;

/* The end of a page, behind which is what the state says. */
static char *end_of_page(int state) {
    char *p = mmap(0, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) abort();
    memset(p, 'x', (size_t)page);
    if (state == THERE) p[page] = 'x';
    if (state == NONE) mprotect(p + page, (size_t)page, PROT_NONE);
    return p + page;
}

PREPARE {
    page = sysconf(_SC_PAGESIZE);
    for (int state = 0; state < STATES; state++) {
        one[state] = end_of_page(state) - 16;
        two[state] = end_of_page(state) - 16;
        out[state] = end_of_page(state) - 16;
        one[state][-1] = two[state][-1] = 0;
    }
    inner = end_of_page(THERE) - page / 2;
    inner_out = end_of_page(THERE) - page / 2;
    inner[-1] = 0;
}

/* The 12 bytes before the place: a string of 11, or 3 wide characters. A vector of 32 bytes that begins there reaches into the next page. */
#define PLACED(x, p)            \
    char *x = (char *)(p) - 12; \
    HIDE(x)
#define FROM(state, call)      \
    do {                       \
        PLACED(x, one[state]); \
        PLACED(y, two[state]); \
        PLACED(d, inner_out);  \
        KEEP(call);            \
    } while (0)
#define TO(state, call)        \
    do {                       \
        PLACED(x, inner);      \
        PLACED(d, out[state]); \
        KEEP(call);            \
    } while (0)
#define EDGE(ID, NAME, WHERE, CALL)                                                        \
    ROW("edges", ID##_there, NAME ", next page there") { WHERE(THERE, CALL); }             \
    ROW("edges", ID##_untouched, NAME ", next page untouched") { WHERE(UNTOUCHED, CALL); } \
    ROW("edges", ID##_none, NAME ", no next page") { WHERE(NONE, CALL); }

EDGE(e_memcmp, "memcmp, 12 B", FROM, memcmp(x, y, 12))
EDGE(e_strcmp, "strcmp, 11 B", FROM, strcmp(x, y))
EDGE(e_strncmp, "strncmp, 12 B", FROM, strncmp(x, y, 12))
EDGE(e_strcasecmp, "strcasecmp, 11 B", FROM, strcasecmp(x, y))
EDGE(e_strlen, "strlen, 11 B", FROM, strlen(x))
EDGE(e_strcpy, "strcpy, 11 B from there", FROM, strcpy(d, x))
EDGE(e_strcpy_to, "strcpy, 11 B to there", TO, strcpy(d, x))
EDGE(e_strncpy_to, "strncpy, 12 B to there", TO, strncpy(d, x, 12))
EDGE(e_memccpy_to, "memccpy, 12 B to there", TO, memccpy(d, x, 0, 12))
EDGE(e_memcpy_to, "memcpy, 12 B to there", TO, memcpy(d, x, 12))
EDGE(e_wmemcmp, "wmemcmp, 3", FROM, wmemcmp((wchar_t *)x, (wchar_t *)y, 3))

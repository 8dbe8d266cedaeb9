//# states: a shared object that holds libc.a links, and its program starts
//# libc: stock brawn
//# link: shared
#include "check.h"

int conformance(void) {
    char *p = strdup("text"), *q = calloc(1000, 10), *r = realloc(malloc(10), 200000);
    CHECK(p && q && r && q[9999] == 0, "%p %p %p", (void *)p, (void *)q, (void *)r);
    free(p);
    free(q);
    free(r);
    return check_result();
}

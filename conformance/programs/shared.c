//# states: a shared object that holds libc.a and its heap links, and a program that needs it loads it
//# libc: stock brawn
//# link: shared
#include "check.h"

/* A libc.a inside a shared object was never started, so that stock's heap has no auxiliary vector
 * to take its secret from and crashes: that it links and loads is all that can be stated. */
char *conformance_text(void) { return strdup("text"); }
void *conformance_block(void) { return aligned_alloc(64, 100); }

int conformance(void) {
    char *(*volatile text)(void) = conformance_text;
    void *(*volatile block)(void) = conformance_block;
    CHECK(text && block && strlen("four") == 4, "%p", hidden(NULL));
    return check_result();
}

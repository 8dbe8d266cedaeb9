/* Allocates once, uses and frees the block, and exits: once
 *
 * What a short-lived program pays for its heap: time from exec to exit, resident memory, and the
 * size of the executable.  It prints nothing and uses no stdio, so that nothing else is measured. */
#include <stdlib.h>

int main(void) {
    char *volatile p = malloc(100);
    if (!p) return 3;
    p[0] = 1;
    p[99] = 1;
    free(p);
    return 0;
}

/* Allocates one block and looks at the process from inside: idle
 *
 * Address space that is private and writable counts against RLIMIT_AS, against strict overcommit
 * and in every monitoring tool, whether or not it is ever touched.  The stack is not counted: its
 * size is the kernel's matter. */
#include "maps.h"

#include <stdio.h>

int main(void) {
    char *volatile p = malloc(100);
    if (!p) return 3;
    p[0] = 1;
    static struct memory m;
    if (!read_memory(&m)) return 4;
    printf("result writable_kb=%lu private_kb=%lu rss_kb=%lu dirty_kb=%lu hwm_kb=%lu\n",
        m.writable_kb, m.private_kb, m.rss_kb, m.dirty_kb, peak_rss_kb());
    free(p);
    return 0;
}

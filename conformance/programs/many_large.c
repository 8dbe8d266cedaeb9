//# states: there may be more large blocks, and widely aligned ones, than a process may have mappings (65,530)
//# libc: stock brawn
//# case: plain aligned
//# timeout: 60
//# alone
#include "check.h"

enum { COUNT = 70000 };
static void take(size_t alignment, size_t n) {
    void **last = NULL;
    for (int i = 0; i < COUNT; i++) {
        void **p = alignment ? aligned_alloc(alignment, n) : malloc(n);
        CHECK(p != NULL, "block %d, errno %d", i, errno);
        if (!p) break;
        *p = last;
        last = p;
    }
    CHECK(hidden(malloc(100)) != NULL, "errno %d", errno);
    while (last) {
        void **next = *last;
        free(last);
        last = next;
    }
}
static void plain(void) { take(0, 100000); }
static void aligned(void) { take(8192, 64); }
RUN_CASES({"plain", plain}, {"aligned", aligned})

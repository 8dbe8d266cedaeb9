// Binary search without a jump that depends on the order: the processor could not foresee it.  The same comparisons as
// musl's, in the same order.
#include "../libc.h"

typedef int Compare(const void *, const void *);

HIDDEN void *brawn_bsearch(const void *key, const void *base, size_t count, size_t width, Compare *compare) {
    const char *from = base;
    while (count > 0) {
        const size_t half = count / 2;
        const char *const middle = from + half * width;
        const int order = compare(key, middle);
        if (order == 0) return (void *)(uintptr_t)middle;
        // All ones where the key is behind.
        const size_t behind = -(size_t)(order > 0);
        from += (half * width + width) & behind;
        count = half - (~count & 1 & behind);
    }
    return NULL;
}
NAME(bsearch, brawn_bsearch)

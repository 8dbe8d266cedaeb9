#include "order.h"

// movq $-1, %rdx
ENTRY_WITH(brawn_strcmp, brawn_order_avx2, 6, "", "movq $-1, %rdx")
ENTRY_NAME(strcmp, brawn_strcmp)

OTHERS(int, brawn_order, (const char *a, const char *b), a, b, SIZE_MAX)

#define WIDTH 64
#include "vector.h"
ENTERED(brawn_strcmp)
static int AT(order)(const char *left, const char *right) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    if (LIKELY(FITS_IN(a, HALF)))
        if (LIKELY(FITS_IN(b, HALF))) {
            const uint32_t stop = STOP_IN_HALF(a, b);
            if (UNLIKELY(!stop)) return brawn_order_rest(left, right, SIZE_MAX);
            const unsigned at = CTZ(stop);
            return a[at] - b[at];
        }
    return AT(brawn_order)(left, right, SIZE_MAX);
}

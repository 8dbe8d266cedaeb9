// qsort: musl before 1.2.3 has no qsort_r.
#include "sort.h"

HIDDEN void brawn_qsort_r(void *array, size_t n, size_t size, order *f, void *context);

HIDDEN void brawn_qsort(void *array, size_t n, size_t size, int (*f)(const void *, const void *)) {
    // The comparison of two arguments gets a third, in a register that it does not look at: on both architectures a function's
    // caller knows nothing of how many it takes.
    brawn_qsort_r(array, n, size, (order *)(void (*)(void))f, NULL);
}
NAME(qsort, brawn_qsort)

// qsort for `--sort stable`.
#include "sort.h"

HIDDEN void brawn_qsort_r_stable(void *array, size_t n, size_t size, order *f, void *context);

HIDDEN void brawn_qsort_stable(void *array, size_t n, size_t size, int (*f)(const void *, const void *)) {
    // As in qsort.c.
    brawn_qsort_r_stable(array, n, size, (order *)(void (*)(void))f, NULL);
}
NAME(qsort, brawn_qsort_stable)

#include "strings.h"

HIDDEN size_t brawn_wcsnlen(const wide *s, size_t n) {
    const wide *const end = brawn_wmemchr(s, 0, n);
    return end ? (size_t)(end - s) : n;
}
NAME(wcsnlen, brawn_wcsnlen)

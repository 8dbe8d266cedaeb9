#include "memory.h"

HIDDEN size_t brawn_strnlen(const char *s, size_t n) {
    const char *end = brawn_memchr(s, 0, n);
    return end ? (size_t)(end - s) : n;
}
NAME(strnlen, brawn_strnlen)

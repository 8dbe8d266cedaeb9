#include "strings.h"

FIRST(int, first, brawn_fold, (const char *a, const char *b, size_t n), a, b, n)

HIDDEN int brawn_strcasecmp(const char *a, const char *b) { DISPATCH(brawn_fold, first, a, b, SIZE_MAX); }
HIDDEN int brawn_strcasecmp_l(const char *a, const char *b, void *locale) {
    (void)locale;
    return brawn_strcasecmp(a, b);
}
NAME(strcasecmp, brawn_strcasecmp)
NAME(__strcasecmp_l, brawn_strcasecmp_l)
NAME(strcasecmp_l, brawn_strcasecmp_l)

#include "strings.h"

HIDDEN char *brawn_strpbrk(const char *s, const char *set) {
    s += brawn_strcspn(s, set);
    return *s ? (char *)s : NULL;
}
NAME(strpbrk, brawn_strpbrk)

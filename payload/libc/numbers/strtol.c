// strtol and its kin, on the text itself: musl makes a stream of it and asks that for each character.
#include "integer.h"

#define AT_PLACE(at) ((unsigned)(unsigned char)s[at])

static uint64_t read_integer(const char *restrict s, char **restrict end, int base, uint64_t limit) {
    Integer integer;
    INTEGER(integer, base, 1, limit, AT_PLACE);
    if (end) *end = (char *)(uintptr_t)s + integer.length;
    return integer.value;
}

#define DEFINE(Type, name, limit)                                                     \
    HIDDEN Type brawn_##name(const char *restrict s, char **restrict end, int base) { \
        return (Type)read_integer(s, end, base, limit);                               \
    }                                                                                 \
    NAME(name, brawn_##name)                                                          \
    NAME(__##name##_internal, brawn_##name)

DEFINE(long, strtol, SIGNED)
DEFINE(unsigned long, strtoul, UNSIGNED)
DEFINE(long long, strtoll, SIGNED)
DEFINE(unsigned long long, strtoull, UNSIGNED)
DEFINE(intmax_t, strtoimax, SIGNED)
DEFINE(uintmax_t, strtoumax, UNSIGNED)

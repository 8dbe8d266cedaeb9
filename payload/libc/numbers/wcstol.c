// wcstol and its kin, on the text itself: musl makes a stream of it and asks that for each character.
#include "integer.h"
#include "wide.h"

#define AT_PLACE(at) narrow(t[at])

static uint64_t read_integer(const wchar_t *restrict s, wchar_t **restrict end, int base, uint64_t limit) {
    const wchar_t *t = behind_blanks(s);
    Integer integer;
    INTEGER(integer, base, 1, limit, AT_PLACE);
    if (end) *end = (wchar_t *)(uintptr_t)(integer.length ? t + integer.length : s);
    return integer.value;
}

#define DEFINE(Type, name, limit)                                                           \
    HIDDEN Type brawn_##name(const wchar_t *restrict s, wchar_t **restrict end, int base) { \
        return (Type)read_integer(s, end, base, limit);                                     \
    }                                                                                       \
    NAME(name, brawn_##name)

DEFINE(long, wcstol, SIGNED)
DEFINE(unsigned long, wcstoul, UNSIGNED)
DEFINE(long long, wcstoll, SIGNED)
DEFINE(unsigned long long, wcstoull, UNSIGNED)
DEFINE(intmax_t, wcstoimax, SIGNED)
DEFINE(uintmax_t, wcstoumax, UNSIGNED)

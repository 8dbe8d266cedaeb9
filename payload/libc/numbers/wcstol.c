// wcstol and its kin, on the text itself: musl makes a stream of it and asks that for each character.
#include "integer.h"
#include "wide.h"

#define AT_PLACE(at) narrow(t[at])

static APART uint64_t read_any(const wchar_t *restrict s, wchar_t **restrict end, int base, uint64_t limit) {
    const wchar_t *t = behind_blanks(s);
    Integer integer;
    INTEGER(integer, base, 1, limit, AT_PLACE);
    if (end) *end = (wchar_t *)(uintptr_t)(integer.length ? t + integer.length : s);
    return integer.value;
}

// 19 or 20 digits, which come to y in 64 bits.  20 are too many from 2 * 10^19 on, and before that if y is what is left of more bits.
static APART uint64_t many_digits(uint64_t y, const wchar_t *first, size_t count, int negative, uint64_t limit) {
    const int too_large = count == 20 && (*first > '1' || (*first == '1' && y < UINT64_C(10000000000000000000)));
    return integer_in_range(y, negative, too_large, limit);
}

// What programs read most: a few digits of base 10.  Numbers of less than 19 digits fit into every type, and what comes
// behind them has to be one of ASCII's: others have rules of their own.
static APART uint64_t read_integer(const wchar_t *restrict s, wchar_t **restrict end, int base, uint64_t limit) {
    if (UNLIKELY(base != 10)) return read_any(s, end, base, limit);
    const int negative = *s == '-';
    const wchar_t *const first = s + negative, *t = first;
    uint64_t y = 0;
    unsigned digit;
    for (; (digit = (unsigned)*t - '0') < 10; t++) y = y * 10 + digit;
    const size_t count = (size_t)(t - first);
    if (UNLIKELY(count - 1 >= 20 || (unsigned)*t >= 128)) return read_any(s, end, base, limit);
    if (end) *end = (wchar_t *)(uintptr_t)t;
    if (UNLIKELY(count >= 19)) return many_digits(y, first, count, negative, limit);
    return negative ? -y : y;
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

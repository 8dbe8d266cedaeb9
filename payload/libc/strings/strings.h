// What the functions of strings call each other by.  VARIANTS declares a function of every level.
#pragma once
#ifdef __x86_64__
#include "../../memory/x86_64/memory.h"
#define VARIANTS(result, name, parameters) \
    HIDDEN result name##_sse2 parameters;  \
    HIDDEN result name##_avx2 parameters;  \
    HIDDEN result name##_avx512 parameters;
#elif defined(__aarch64__)
#include "../../memory/generic/memory.h"
#define VARIANTS(result, name, parameters) HIDDEN result name##_neon parameters;
// There is one level, and so nothing to find out, and no entry in front of it.
#define ENTERED(own)
#define FIRST(result, first, variant, parameters, ...)
#define DISPATCH(variant, first, ...) return variant##_neon(__VA_ARGS__)
#define opaque(p) (p)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
// wchar_t, which is signed on x86_64 and not on aarch64; the compiler knows.
typedef __WCHAR_TYPE__ wide;

HIDDEN int brawn_strcasecmp(const char *a, const char *b);
HIDDEN int brawn_strncasecmp(const char *a, const char *b, size_t n);
HIDDEN size_t brawn_strcspn(const char *s, const char *set);
HIDDEN size_t brawn_strspn(const char *s, const char *set);
HIDDEN size_t brawn_strlcpy(char *to, const char *from, size_t n);
HIDDEN char *brawn_strcasestr(const char *text, const char *part);
HIDDEN size_t brawn_wcslen(const wide *s);
HIDDEN wide *brawn_wcschr(const wide *s, wide c);
HIDDEN wide *brawn_wmemchr(const wide *s, wide c, size_t n);
HIDDEN int brawn_wcsncmp(const wide *a, const wide *b, size_t n);
HIDDEN int brawn_wmemcmp(const wide *a, const wide *b, size_t n);
HIDDEN wide *brawn_wcscpy(wide *restrict to, const wide *restrict from);

// strncasecmp of 1 byte or more; strcasecmp has a limit that is never reached.
VARIANTS(int, brawn_fold, (const char *a, const char *b, size_t n))
// strspn where `in` is 1; strcspn where it is 0; where it is 2 strpbrk, which gives an address.
VARIANTS(size_t, brawn_span, (const char *s, const char *set, int in))
// Where c is first, or else the end.
VARIANTS(wide *, brawn_find_wide, (const wide *s, wide c))
// wcsncmp of 1 word or more; wcscmp has a limit that is never reached.
VARIANTS(int, brawn_order_wide, (const wide *a, const wide *b, size_t n))

/* What the rows of bench/edges are written with: bench/libc's, and a row's name that is put together from parts. */
#pragma once
#include "../libc/bench.h"

/* EDGE(family, "name") { one operation; } */
#define EDGE(FAMILY, NAME) NUMBERED(FAMILY, __COUNTER__, NAME)
#define NUMBERED(FAMILY, ID, NAME) ROW(FAMILY, ID, NAME)
/* A text that the compiler does not know, for `call` as x. */
#define GIVEN(words, call)     \
    do {                       \
        const char *x = words; \
        HIDE(x);               \
        KEEP(call);            \
    } while (0)
#define GIVEN_WIDE(words, call)   \
    do {                          \
        const wchar_t *x = words; \
        HIDE(x);                  \
        KEEP(call);               \
    } while (0)

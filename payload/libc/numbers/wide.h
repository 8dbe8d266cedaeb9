// How musl reads numbers from wide text (musl 1.2.2 to 1.2.6, src/stdlib/wcstol.c and wcstod.c): blanks of any kind
// in front, then each character as a byte, '@' for those that are none of ASCII.
#pragma once
#include "../libc.h"

int iswspace(unsigned c);

// wchar_t is signed on x86_64: what is below zero comes to its last byte.
INLINE unsigned narrow(wchar_t c) {
    return c < 128 ? (unsigned char)c : '@';
}

INLINE const wchar_t *behind_blanks(const wchar_t *s) {
    while (*s == ' ' || (unsigned)*s - '\t' < 5 || (UNLIKELY((unsigned)*s >= 128) && iswspace((unsigned)*s))) s++;
    return s;
}

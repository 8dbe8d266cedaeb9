// Included by strings.c: which characters are white space, all of Unicode's and some that are none.
#pragma once
#include <wctype.h>

extern int brawn_iswspace(wint_t);
static int (*volatile our_iswspace)(wint_t) = brawn_iswspace;

static void spaces(void) {
    for (wint_t c = 0; c < 0x110000; c++) {
        now_at("iswspace", c, 0, 0);
        MUST(!our_iswspace(c) == !iswspace(c));
    }
    for (int shift = 0; shift < 32; shift++) {
        const wint_t c = ~(wint_t)0 >> shift;
        now_at("iswspace", c, 0, 0);
        MUST(!our_iswspace(c) == !iswspace(c) && !our_iswspace(c + 1) == !iswspace(c + 1));
    }
}

// Included by strings.c: which characters are white space, and their capital and small letters; of all of Unicode's, and some that are
// none.
#pragma once
#include <wctype.h>

extern int brawn_iswspace(wint_t);
static int (*volatile our_iswspace)(wint_t) = brawn_iswspace;
extern wint_t brawn_towupper(wint_t), brawn_towlower(wint_t);
static wint_t (*volatile our_towupper)(wint_t) = brawn_towupper;
static wint_t (*volatile our_towlower)(wint_t) = brawn_towlower;

static void cases_of(wint_t c) {
    now_at("towupper", c, 0, 0);
    MUST(our_towupper(c) == towupper(c));
    now_at("towlower", c, 0, 0);
    MUST(our_towlower(c) == towlower(c));
}

static void cases(void) {
    for (wint_t c = 0; c < 0x120000; c++) cases_of(c);
    for (int shift = 0; shift < 32; shift++) {
        for (wint_t by = 0; by < 0x80; by++) cases_of((~(wint_t)0 >> shift) + by), cases_of(((wint_t)1 << shift) - by);
    }
}

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

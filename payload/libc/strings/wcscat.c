#include "strings.h"

HIDDEN wide *brawn_wcscat(wide *restrict to, const wide *restrict from) {
    brawn_wcscpy(to + brawn_wcslen(to), from);
    return to;
}
NAME(wcscat, brawn_wcscat)

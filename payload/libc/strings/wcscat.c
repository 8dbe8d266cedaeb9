#include "strings.h"

HIDDEN wide *brawn_wcscat(wide *restrict to, const wide *restrict from) {
    // A string that was just begun: a vector's load would wait for the store of its end.
    brawn_wcscpy(*to ? to + brawn_wcslen(to) : to, from);
    return to;
}
NAME(wcscat, brawn_wcscat)

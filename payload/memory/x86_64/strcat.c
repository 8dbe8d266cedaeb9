#include "end.h"

HIDDEN char *brawn_strcat(char *restrict to, const char *restrict from) {
    brawn_stpcpy(end_of(to), from);
    return to;
}
NAME(strcat, brawn_strcat)

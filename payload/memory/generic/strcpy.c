#include "memory.h"

HIDDEN char *brawn_strcpy(char *restrict to, const char *restrict from) {
    brawn_stpcpy(to, from);
    return to;
}
NAME(strcpy, brawn_strcpy)

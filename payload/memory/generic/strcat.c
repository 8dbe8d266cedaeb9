#include "memory.h"

HIDDEN char *brawn_strcat(char *restrict to, const char *restrict from) {
    brawn_strcpy(to + brawn_strlen(to), from);
    return to;
}
NAME(strcat, brawn_strcat)

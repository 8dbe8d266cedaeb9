// The number at the beginning of a text, as a double.
#include "../libc.h"

HIDDEN double brawn_strtod(const char *restrict s, char **restrict end);

HIDDEN double brawn_atof(const char *s) {
    return brawn_strtod(s, 0);
}
NAME(atof, brawn_atof)

#include "../generic/strncpy.c"

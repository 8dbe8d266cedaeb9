#include "../generic/strncat.c"

#include "../generic/strcpy.c"

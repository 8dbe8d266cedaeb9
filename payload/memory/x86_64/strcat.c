#include "../generic/strcat.c"

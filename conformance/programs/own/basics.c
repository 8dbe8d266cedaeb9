/* The four that every heap has, and no others. */
#define ONLY_BASICS
#include "family.c"

#include "../generic/strcmp.c"

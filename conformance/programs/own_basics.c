//# states: a program that brings malloc, calloc, realloc and free links, and libc uses these
//# own-heap
//# object: own/basics.c
//# link: static static-pie lld gc lto-gcc lto-clang line line-lld zig
#define ONLY_BASICS
#include "own_family.c"

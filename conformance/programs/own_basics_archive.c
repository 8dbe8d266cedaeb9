//# states: a program that brings malloc, calloc, realloc and free in an archive links, and libc uses these
//# archive: own/basics.c
//# link: static static-pie lld gc line line-lld zig
//# fails: glibc: its reallocarray is one with its realloc
#define ONLY_BASICS
#include "own_family.c"

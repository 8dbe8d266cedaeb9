//# states: a program that brings malloc, calloc, realloc and free in an archive links, and libc uses these
//# own-heap
//# fails: rewritten@1.2.3-oldmalloc: so does stock's, whose heap takes what libc left over as its own
//# archive: own/basics.c
//# link: static static-pie lld gc line line-lld zig
//# fails: preloaded: so does stock's libc.so, which gives no aligned blocks where malloc is the program's
#define ONLY_BASICS
#include "own_family.c"

//# states: a program that brings the whole malloc family in an archive before libc links, and libc uses its heap
//# own-heap
//# archive: own/family.c
//# link: static static-pie lld lld-pie gc gc-lld lto-gcc lto-clang line line-lld zig
#include "own_family.c"

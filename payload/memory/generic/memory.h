// What all functions here share.
//
// Each file is one function and, in musl's libc.a, one member.  Its own name, brawn_NAME, is hidden: the functions call
// each other by it, whatever the program calls its own.  The public name and musl's internal one are weak aliases, so
// that a program with its own function links.  BRAWN_MEMORY_UNNAMED leaves the public names out: tests and the
// benchmark compare these functions with libc's.
//
// libc copies its thread-local image with these before anything is set up: nothing here uses a thread-local, a
// stack protector, a relocation that has to be processed at run time, or another function of libc.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define COLD __attribute__((cold, noinline))
// Never part of its caller, which then need not save registers for it.
#define APART __attribute__((noinline))
// Zeros that a small program never touches: behind all others' (build/finish.rs).
#define LATE __attribute__((section(".bss.late")))
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef BRAWN_MEMORY_UNNAMED
#define NAME(public, own)
#else
#define NAME(public, own) extern __typeof(own) public __attribute__((weak, alias(#own), visibility("default")));
#endif

#define PAGE 4096
// Whether the `size` bytes at p lie in one page: if one of them can be read, all can.
#define FITS_IN(p, size) (((uintptr_t)(p) & (PAGE - 1)) <= PAGE - (size))
// How many bytes both have before a page of one of them ends.  A vector that ends there may begin before them, if it FITS.
INLINE size_t room_of(const void *a, const void *b) {
    const size_t more_a = PAGE - ((uintptr_t)a & (PAGE - 1)), more_b = PAGE - ((uintptr_t)b & (PAGE - 1));
    return more_a < more_b ? more_a : more_b;
}
#define DOWN(p, n) ((__typeof(p))((uintptr_t)(p) & -(uintptr_t)(n)))

// Loads and stores that may be unaligned and alias anything.
typedef uint16_t __attribute__((may_alias, aligned(1))) any16;
typedef uint32_t __attribute__((may_alias, aligned(1))) any32;
typedef uint64_t __attribute__((may_alias, aligned(1))) any64;
#define GET16(p) (*(const any16 *)(p))
#define GET32(p) (*(const any32 *)(p))
#define GET64(p) (*(const any64 *)(p))
#define PUT16(p, x) (*(any16 *)(p) = (x))
#define PUT32(p, x) (*(any32 *)(p) = (x))
#define PUT64(p, x) (*(any64 *)(p) = (x))

HIDDEN void *brawn_memcpy(void *to, const void *from, size_t n);
HIDDEN void *brawn_memset(void *to, int c, size_t n);
HIDDEN int brawn_memcmp(const void *a, const void *b, size_t n);
HIDDEN void *brawn_memchr(const void *s, int c, size_t n);
HIDDEN void *brawn_memrchr(const void *s, int c, size_t n);
HIDDEN void *brawn_memmem(const void *text, size_t length, const void *part, size_t size);
HIDDEN size_t brawn_strlen(const char *s);
HIDDEN size_t brawn_strnlen(const char *s, size_t n);
HIDDEN char *brawn_strchr(const char *s, int c);
HIDDEN char *brawn_strchrnul(const char *s, int c);
HIDDEN char *brawn_strrchr(const char *s, int c);
HIDDEN int brawn_strcmp(const char *a, const char *b);
HIDDEN int brawn_strncmp(const char *a, const char *b, size_t n);
HIDDEN char *brawn_strcpy(char *restrict to, const char *restrict from);
HIDDEN char *brawn_stpcpy(char *restrict to, const char *restrict from);
HIDDEN char *brawn_strncpy(char *restrict to, const char *restrict from, size_t n);
HIDDEN char *brawn_stpncpy(char *restrict to, const char *restrict from, size_t n);
HIDDEN char *brawn_strcat(char *restrict to, const char *restrict from);
HIDDEN char *brawn_strncat(char *restrict to, const char *restrict from, size_t n);
HIDDEN char *brawn_strstr(const char *text, const char *part);

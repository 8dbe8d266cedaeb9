// Counts how many bytes each memory function has to look at in a real program: loaded before glibc with
// LD_PRELOAD, it answers each call itself, one byte at a time, and writes a histogram at exit.  sizes.py reads it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COPY,
    MOVE,
    SET,
    COMPARE,
    FIND_BYTE,
    LENGTH,
    FIND_CHAR,
    FIND_LAST,
    ORDER,
    ORDER_N,
    COPY_STRING,
    KINDS };
static const char *const NAMES[KINDS] = {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen",
    "strchr", "strrchr", "strcmp", "strncmp", "strcpy"};
// Exact up to here; what is longer counts at its power of two.
#define EXACT 4096
static unsigned long long counts[KINDS][EXACT + 64];

static void count(int kind, size_t n) {
    size_t at = n <= EXACT ? n : EXACT + (63 - __builtin_clzll(n));
    __atomic_fetch_add(&counts[kind][at], 1, __ATOMIC_RELAXED);
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    count(COPY, n);
    char *d = to;
    for (const char *s = from; n; n--) *d++ = *s++;
    return to;
}
void *memmove(void *to, const void *from, size_t n) {
    count(MOVE, n);
    char *d = to;
    const char *s = from;
    if (d <= s)
        while (n--) *d++ = *s++;
    else
        while (n--) d[n] = s[n];
    return to;
}
void *memset(void *to, int c, size_t n) {
    count(SET, n);
    for (char *d = to; n; n--) *d++ = c;
    return to;
}
int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *l = a, *r = b;
    size_t i = 0;
    while (i < n && l[i] == r[i]) i++;
    // All but the last of equal bytes have been looked at, too.
    count(COMPARE, i < n ? i + 1 : n);
    return i < n ? l[i] - r[i] : 0;
}
void *memchr(const void *p, int c, size_t n) {
    const unsigned char *s = p;
    size_t i = 0;
    while (i < n && s[i] != (unsigned char)c) i++;
    count(FIND_BYTE, i);
    return i < n ? (void *)(s + i) : NULL;
}
size_t strlen(const char *s) {
    size_t i = 0;
    while (s[i]) i++;
    count(LENGTH, i);
    return i;
}
char *strchr(const char *s, int c) {
    size_t i = 0;
    while (s[i] && s[i] != (char)c) i++;
    count(FIND_CHAR, i);
    return s[i] == (char)c ? (char *)s + i : NULL;
}
char *strrchr(const char *s, int c) {
    const char *last = NULL;
    size_t i = 0;
    for (;; i++) {
        if (s[i] == (char)c) last = s + i;
        if (!s[i]) break;
    }
    count(FIND_LAST, i);
    return (char *)last;
}
int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    count(ORDER, i);
    return (unsigned char)a[i] - (unsigned char)b[i];
}
int strncmp(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] && a[i] == b[i]) i++;
    count(ORDER_N, i);
    return i < n ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
}
char *strcpy(char *restrict to, const char *restrict from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    count(COPY_STRING, i);
    return to;
}

__attribute__((destructor)) static void report(void) {
    const char *folder = getenv("COUNT_FOLDER");
    if (!folder) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, getpid());
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "count: %s: errno %d\n", path, errno);
        return;
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < EXACT + 64; i++)
            if (counts[kind][i])
                fprintf(out, "%s %llu %llu\n", NAMES[kind], i <= EXACT ? (unsigned long long)i : 1ull << (i - EXACT), counts[kind][i]);
    fclose(out);
}

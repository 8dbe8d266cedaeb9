//# states: a program that brings memcpy, memmove, memset, memcmp and strlen links, and these are used
//# link: static static-pie lld gc gc-lld line line-lld zig
//# cflags: -fno-builtin
//# does-not-link: stock/zig: zig has a strong strlen in one member with others that it uses
//# does-not-link: rewritten/zig: as stock does not
//# does-not-link: rewritten@zig-0.15.2: the same strlen, in libzigc.a
//# does-not-link: brawn@zig-0.15.2: the same strlen, in libzigc.a, which brawn does not change
#include "check.h"

static int copies, moves, fills, comparisons, lengths;
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    volatile char *d = to;
    const char *s = from;
    copies++;
    while (n--) *d++ = *s++;
    return to;
}
void *memmove(void *to, const void *from, size_t n) {
    volatile char *d = to;
    const char *s = from;
    moves++;
    if ((uintptr_t)d - (uintptr_t)s >= n) {
        while (n--) *d++ = *s++;
    } else {
        while (n--) d[n] = s[n];
    }
    return to;
}
void *memset(void *to, int c, size_t n) {
    volatile char *d = to;
    fills++;
    while (n--) *d++ = (char)c;
    return to;
}
int memcmp(const void *a, const void *b, size_t n) {
    const volatile unsigned char *l = a, *r = b;
    comparisons++;
    for (; n; n--, l++, r++)
        if (*l != *r) return *l - *r;
    return 0;
}
size_t strlen(const char *s) {
    const volatile char *p = s;
    lengths++;
    while (*p) p++;
    return (size_t)(p - (const volatile char *)s);
}

int main(void) {
    char a[300], b[300];
    memset(a, 'a', sizeof a);
    a[299] = 0;
    memcpy(b, a, sizeof a);
    memmove(b + 1, b, 298);
    CHECK(memcmp(a, b, 299) == 0, "the copies differ");
    CHECK(strlen(b) == 299, "%zu", strlen(b));
    CHECK(copies && moves && fills && comparisons && lengths, "%d %d %d %d %d", copies, moves, fills, comparisons,
        lengths);
    /* What libc has besides goes on working, whatever it is made of. */
    CHECK(strcmp(strcat(strcpy(b, "one"), " two"), "one two") == 0, "%s", b);
    CHECK(strstr(b, "two") == b + 4 && strrchr(b, 'o') == b + 6 && strchr(b, 'n') == b + 1, "%s", b);
    CHECK(memchr(b, 't', 8) == b + 4 && strnlen(b, 5) == 5, "%s", b);
    NEED(setenv("name", b, 1) == 0);
    CHECK(strcmp(getenv("name"), "one two") == 0, "%s", getenv("name"));
    return check_result();
}

// Holds brawn's qsort and qsort_r against what ISO C and musl promise, and the order of all elements, equal ones too, against libc's qsort.
// Ends with 1 and says what differs.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

void brawn_qsort(void *a, size_t n, size_t size, int (*f)(const void *, const void *));
void brawn_qsort_stable(void *a, size_t n, size_t size, int (*f)(const void *, const void *));
void brawn_qsort_r(void *a, size_t n, size_t size, int (*f)(const void *, const void *, void *), void *context);

enum {
    MOST = 40000,
    WIDEST = 600,
    EDGE = 64,
};

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

#define FAIL(...) (printf(__VA_ARGS__), printf("\n"), exit(1))

// An element is its key, of up to 4 bytes, and behind it bytes that follow from its number.
static char *array, *before;
static size_t count, width, key_size;
static unsigned long calls;

// Without a call: comparisons are most of the time.
static uint32_t key(const char *p) {
    const unsigned char *const b = (const unsigned char *)p;
    uint32_t k = b[0];
    if (key_size > 1) k |= (uint32_t)b[1] << 8;
    if (key_size > 2) k |= (uint32_t)b[2] << 16;
    if (key_size > 3) k |= (uint32_t)b[3] << 24;
    return k;
}

static void look_at(const char *p) {
    if (p < array || p >= array + count * width || (p - array) % width) FAIL("a comparison got an address that is no element's");
}

static int compare(const void *a, const void *b) {
    look_at(a);
    look_at(b);
    calls++;
    const uint32_t x = key(a), y = key(b);
    return (x > y) - (x < y);
}

static int compare_with(const void *a, const void *b, void *context) {
    if (context != &calls) FAIL("a comparison got another context");
    return compare(a, b);
}

// Results that are no differences of one.
static int far_apart(const void *a, const void *b) { return compare(a, b) * (1 << 30); }

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, width); }

// The sum of a number for each element, whatever their order.
static uint64_t sum(const char *p) {
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t h = 14695981039346656037u;
        for (size_t k = 0; k < width; k++) h = (h ^ (unsigned char)p[i * width + k]) * 1099511628211u;
        all += h;
    }
    return all;
}

static const char *kinds[] = {"random", "ascending", "descending", "few keys", "equal", "organ pipe", "saw",
    "sorted, more added", "two swapped", "descending with equal ones", "median of three's worst"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint32_t key_for(int kind, size_t i) {
    switch (kind) {
    case 0: return next();
    case 1: return i;
    case 2: return count - i;
    case 3: return next() % 5;
    case 4: return 7;
    case 5: return i < count / 2 ? i : count - i;
    case 6: return i % 97;
    case 7: return i < count - count / 20 ? i : next() % (count + 1);
    case 8: return i == count / 3 ? count : i;
    case 9: return (count - i) / 3;
    default: return i % 2 ? i : i + count / 2;
    }
}

static void fill(int kind) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t k = key_for(kind, i);
        char *const p = before + i * width;
        for (size_t b = 0; b < width; b++) p[b] = i * 131 + b * 7 + (i >> 8);
        memcpy(p, &k, key_size);
    }
    memset(array - EDGE, 0x5a, EDGE);
    memset(array + count * width, 0x5a, EDGE);
    memcpy(array, before, count * width);
    calls = 0;
}

static void check_edges(const char *what) {
    for (int i = 0; i < EDGE; i++) {
        if (array[i - EDGE] != 0x5a || array[count * width + i] != 0x5a) FAIL("%s: %zu of %zu bytes: wrote outside", what, count, width);
    }
}

static void check(const char *what, int ordered) {
    check_edges(what);
    if (sum(array) != sum(before)) FAIL("%s: %zu of %zu bytes: not the same elements", what, count, width);
    for (size_t i = 1; ordered && i < count; i++) {
        if (key(array + (i - 1) * width) > key(array + i * width)) FAIL("%s: %zu of %zu bytes: not in order at %zu", what, count, width, i);
    }
}

static unsigned long bound(size_t n) {
    unsigned long log = 1;
    while ((size_t)1 << log < n) log++;
    return 4 * n * log + 16;
}

static void orders(void) {
    static const size_t widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 100, 255, 256, 257, 300, 512, WIDEST};
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1025, 3000, MOST};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (int kind = 0; kind < KINDS; kind++) {
                count = counts[c];
                width = widths[w];
                key_size = width < 4 ? width : 4;
                if (count * width > 320000) continue;
                fill(kind);
                brawn_qsort_r(array, count, width, compare_with, &calls);
                check(kinds[kind], 1);
                if (calls > bound(count)) FAIL("%s: %zu of %zu bytes: %lu comparisons", kinds[kind], count, width, calls);
                fill(kind);
                brawn_qsort(array, count, width, far_apart);
                check(kinds[kind], 1);
            }
        }
    }
}

// All bytes are the key: the order is the same as libc's.
static void as_libc(void) {
    char *const other = malloc(MOST * 16);
    for (int turn = 0; turn < 3000; turn++) {
        count = next() % (turn % 100 ? 300 : 5000);
        width = 1 + next() % 16;
        for (size_t i = 0; i < count * width; i++) array[i] = next();
        memcpy(other, array, count * width);
        brawn_qsort(array, count, width, by_bytes);
        qsort(other, count, width, by_bytes);
        if (memcmp(array, other, count * width)) FAIL("%zu of %zu bytes: not libc's order", count, width);
    }
    free(other);
}

// Whatever a comparison says, nothing is lost.
static int lies(const void *a, const void *b) {
    look_at(a);
    look_at(b);
    return (int)(next() % 3) - 1;
}
static int always_greater(const void *a, const void *b) { return look_at(a), look_at(b), 1; }
static int always_less(const void *a, const void *b) { return look_at(a), look_at(b), -1; }
static int overflows(const void *a, const void *b) { return (int)(key(a) - key(b)); }

// Each element is equal to the one before it and to no other: as if all that are equal to a pivot were ever only two.
static int by_place(const void *a, const void *b) {
    const char *const x = a, *const y = b;
    calls++;
    return x > y + width || (x == array && y == array + width);
}

static void places(void) {
    static const size_t widths[] = {4, 8, 12};
    for (size_t w = 0; w < 3; w++) {
        count = MOST;
        width = widths[w];
        key_size = 4;
        fill(1);
        brawn_qsort(array, count, width, by_place);
        check("a comparison by places", 0);
        if (calls > bound(count)) FAIL("by places: %lu comparisons for %zu elements of %zu bytes", calls, count, width);
    }
}

static void liars(void) {
    int (*const all[])(const void *, const void *) = {lies, always_greater, always_less, overflows};
    for (int turn = 0; turn < 4000; turn++) {
        count = next() % (turn % 50 ? 400 : 6000);
        width = (size_t[]){4, 8, 1 + next() % 40}[next() % 3];
        key_size = width < 4 ? width : 4;
        fill(next() % KINDS);
        brawn_qsort(array, count, width, all[turn % 4]);
        check("a comparison that lies", 0);
    }
}

// Leaves at some call: all elements are there.
static jmp_buf out;
static unsigned long leave_at;
static int leaves(const void *a, const void *b) {
    if (calls == leave_at) longjmp(out, 1);
    return compare(a, b);
}

static void jumps(void) {
    for (volatile int turn = 0; turn < 4000; turn++) {
        count = 2 + next() % (turn % 50 ? 300 : 4000);
        width = (size_t[]){4, 8, 1 + next() % 40}[next() % 3];
        key_size = width < 4 ? width : 4;
        fill(next() % KINDS);
        leave_at = next() % (count * 8);
        if (!setjmp(out)) brawn_qsort(array, count, width, leaves);
        check("left by longjmp", 0);
    }
}

// McIlroy, A killer adversary for quicksort (1999): decides the order while it is asked.
static uint32_t *values, gas, solid, candidate;
static int kills(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    calls++;
    if (values[x] == gas && values[y] == gas) values[x == candidate ? x : y] = solid++;
    if (values[x] == gas) candidate = x;
    else if (values[y] == gas) candidate = y;
    return values[x] < values[y] ? -1 : values[x] > values[y];
}

// A room that is too small shows here: the kernel puts it below the pages that nobody may touch, which were asked for last.
static void killer(void) {
    static const size_t counts[] = {3501, 3600, 10000, MOST}, widths[] = {4, 8, 12, 16, 32, 40, 256};
    enum { BEHIND = 64 << 20 };
    values = malloc(MOST * sizeof *values);
    char *const behind = mmap(NULL, BEHIND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (behind == MAP_FAILED) FAIL("killer: no memory");
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            count = counts[c];
            width = widths[w];
            key_size = 4;
            gas = count;
            solid = candidate = 0;
            calls = 0;
            fill(1);
            // In order, they would be a run before the first partition.
            for (size_t i = count; --i;) {
                char element[WIDEST], *const a = array + i * width, *const b = array + next() % (i + 1) * width;
                memcpy(element, a, width);
                memcpy(a, b, width);
                memcpy(b, element, width);
            }
            for (size_t i = 0; i < count; i++) values[i] = gas;
            brawn_qsort(array, count, width, kills);
            if (sum(array) != sum(before)) FAIL("killer: not the same elements");
            if (calls > bound(count)) FAIL("killer: %lu comparisons for %zu elements of %zu bytes", calls, count, width);
            for (size_t i = 1; i < count; i++) {
                if (values[key(array + (i - 1) * width)] >= values[key(array + i * width)]) FAIL("killer: not in order");
            }
        }
    }
    munmap(behind, BEHIND);
    free(values);
}

#include "sort-order.h"
#include "sort-search.h"

int main(int n, char **arguments) {
    // Under an emulator.
    const int few = n > 1 && !strcmp(arguments[1], "sparse"), only_order = n > 1 && !strcmp(arguments[1], "order");
    if (!only_order) {
        searched();
        trees();
    }
    array = (char *)malloc(MOST * WIDEST + 2 * EDGE + 8) + EDGE;
    before = malloc(MOST * WIDEST);
    equals(few || only_order);
    if (only_order) return 0;
    orders();
    // Elements need not be aligned as their width is.
    array++;
    orders();
    array--;
    as_libc();
    liars();
    places();
    jumps();
    killer();
    puts("sort: as promised");
    return 0;
}

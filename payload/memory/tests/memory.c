// Holds every function of payload/memory/, at every level that this processor has, against a byte-wise
// reference and against this libc, between pages that cannot be touched.
//
//     memory [without-giants|sparse|glance]
//
// without-giants leaves out what is over 4 GiB; sparse does, too, and takes of each length one pair of alignments in
// sixteen and one place of what is searched in ten, by chance, for emulators.  glance takes an eighth of that: it finds
// most of what is broken on purpose.
//
// The functions come under their own names, brawn_NAME (-DBRAWN_MEMORY_UNNAMED).  Prints what it did; the first
// wrong answer ends it, with the function, the level and the arguments.  A read outside of what is allowed is a
// SIGSEGV, which is reported the same way.
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                \
    X(void *, memcpy, (void *, const void *, size_t))               \
    X(void *, memset, (void *, int, size_t))                        \
    X(int, memcmp, (const void *, const void *, size_t))            \
    X(void *, memchr, (const void *, int, size_t))                  \
    X(void *, memrchr, (const void *, int, size_t))                 \
    X(void *, memmem, (const void *, size_t, const void *, size_t)) \
    X(size_t, strlen, (const char *))                               \
    X(size_t, strnlen, (const char *, size_t))                      \
    X(char *, strchr, (const char *, int))                          \
    X(char *, strchrnul, (const char *, int))                       \
    X(char *, strrchr, (const char *, int))                         \
    X(int, strcmp, (const char *, const char *))                    \
    X(int, strncmp, (const char *, const char *, size_t))           \
    X(char *, strcpy, (char *, const char *))                       \
    X(char *, stpcpy, (char *, const char *))                       \
    X(char *, strncpy, (char *, const char *, size_t))              \
    X(char *, stpncpy, (char *, const char *, size_t))              \
    X(char *, strcat, (char *, const char *))                       \
    X(char *, strncat, (char *, const char *, size_t))              \
    X(char *, strstr, (const char *, const char *))
// Called through pointers that no compiler sees through.
#define X(result, name, arguments)        \
    extern result brawn_##name arguments; \
    static result(*volatile our_##name) arguments = brawn_##name;
FUNCTIONS(X)
#undef X
#include "guarded.h"
static char *A, *B, *image;

// The byte-wise reference, where libc's answer is not enough: what a copy leaves of its surroundings.
static void copied(char *room, const char *expected, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (room[i] != expected[i]) {
            at_b = i;
            fail("wrong byte, or one outside, at offset b");
        }
}
static int compared(const unsigned char *a, const unsigned char *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}
static int ordered(const unsigned char *a, const unsigned char *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] || !a[i]) return a[i] - b[i];
    return 0;
}

// Where a and b lie: `off` bytes from the end of their room or from its beginning; with at_end 2, one each.
static char *place(char *room, size_t off, size_t n, int at_end) { return at_end ? room + ROOM - n - off : room + off; }

static void noise(char *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (char)(1 + next() % 255);
}

// At level unknown the processor is asked in the midst of what follows, by whichever function comes then.
enum { ENOUGH = 4096 };
static void forget(size_t n) {
    // To ask takes longer than all else here.
    if (level || (n < PAGE && next() % 64)) return;
    brawn_memory_level = 0;
    brawn_memory_count = ENOUGH - (unsigned)next() % 80;
}

// One copying call of each kind; the room around the destination has to stay.
static void copies(size_t off_a, size_t off_b, size_t n, int at_end) {
    enum { BESIDE = 96 };
    char *const s = place(A, off_a, n, at_end), *const d = place(B, off_b, n, at_end);
    forget(n);
    char *const from = d - BESIDE < B ? B : d - BESIDE;
    const size_t span = (d + n + BESIDE > B + ROOM ? B + ROOM : d + n + BESIDE) - from, before = d - from;
#define EXPECT(...)            \
    memset(from, 0x5a, span);  \
    memset(image, 0x5a, span); \
    __VA_ARGS__;               \
    if (memcmp(from, image, span)) copied(from, image, span)
    now_at("memcpy", off_a, off_b, n);
    EXPECT(MUST(our_memcpy(d, s, n) == d); for (size_t i = 0; i < n; i++) image[before + i] = s[i]);
    now_at("memset", off_a, off_b, n);
    EXPECT(MUST(our_memset(d, (int)(0x1200 + n), n) == d); for (size_t i = 0; i < n; i++) image[before + i] = (char)n);
    // Processors may clear memory in a way of its own.
    EXPECT(MUST(our_memset(d, 0x1200, n) == d); for (size_t i = 0; i < n; i++) image[before + i] = 0);
    if (!n) return;
    // A string of n bytes with its end.
    const char last = s[n - 1];
    s[n - 1] = 0;
    now_at("strcpy", off_a, off_b, n);
    EXPECT(MUST(our_strcpy(d, s) == d); for (size_t i = 0; i < n; i++) image[before + i] = s[i]);
    now_at("stpcpy", off_a, off_b, n);
    EXPECT(MUST(our_stpcpy(d, s) == d + n - 1); for (size_t i = 0; i < n; i++) image[before + i] = s[i]);
    // The string ends somewhere: the rest is filled up.
    const size_t length = next() % n;
    const char middle = s[length];
    s[length] = 0;
    now_at("strncpy", off_a, off_b, n);
    EXPECT(MUST(our_strncpy(d, s, n) == d); for (size_t i = 0; i < n; i++) image[before + i] = i < length ? s[i] : 0);
    now_at("stpncpy", off_a, off_b, n);
    EXPECT(MUST(our_stpncpy(d, s, n) == d + length); for (size_t i = 0; i < n; i++) image[before + i] = i < length ? s[i] : 0);
    // Appended to what is there; the limit may cut it, and then nothing behind it is read.
    const size_t there = n - length - 1;
    now_at("strcat", off_a, off_b, n);
    EXPECT(memset(d, 'x', there); d[there] = 0; MUST(our_strcat(d, s) == d); memset(image + before, 'x', there);
        for (size_t i = 0; i <= length; i++) image[before + there + i] = s[i]);
    s[length] = middle;
    s[n - 1] = last;
    now_at("strncat", off_a, off_b, n);
    EXPECT(memset(d, 'x', there); d[there] = 0; MUST(our_strncat(d, s + n - length, length) == d); memset(image + before, 'x', there);
        for (size_t i = 0; i < length; i++) image[before + there + i] = s[n - length + i]; image[before + n - 1] = 0);
    now_at("strncpy", off_a, off_b, n);
    EXPECT(MUST(our_strncpy(d, s, n) == d); for (size_t i = 0; i < n; i++) image[before + i] = s[i]);
    now_at("stpncpy", off_a, off_b, n);
    EXPECT(MUST(our_stpncpy(d, s, n) == d + n); for (size_t i = 0; i < n; i++) image[before + i] = s[i]);
}

static void comparisons(size_t off_a, size_t off_b, size_t n, int at_end) {
    char *const a = place(A, off_a, n, at_end), *const b = place(B, off_b, n, at_end == 1);
    forget(n);
    memcpy(b, a, n);
    now_at("memcmp", off_a, off_b, n);
    MUST(our_memcmp(a, b, n) == 0);
    now_at("strncmp", off_a, off_b, n);
    MUST(our_strncmp(a, b, n) == 0);
    if (!n) return;
    // Different in one place, or in two.
    const size_t where = next() % n, later = where + next() % (n - where);
    const char old = b[where], old_later = b[later];
    b[later] ^= 0x80;
    b[where] ^= (char)(1 << next() % 8);
    now_at("memcmp", off_a, off_b, n);
    MUST(our_memcmp(a, b, n) == compared((void *)a, (void *)b, n));
    MUST(sign(our_memcmp(a, b, n)) == sign(memcmp(a, b, n)));
    MUST(our_memcmp(b, a, where + 1) == compared((void *)b, (void *)a, where + 1));
    MUST(our_memcmp(a, b, where) == 0);
    now_at("strncmp", off_a, off_b, n);
    MUST(our_strncmp(a, b, n) == ordered((void *)a, (void *)b, n));
    MUST(sign(our_strncmp(a, b, where)) == 0);
    b[later] = old_later;
    b[where] = old;
    // Strings: equal, different, one the beginning of the other.
    const char last = a[n - 1];
    a[n - 1] = b[n - 1] = 0;
    now_at("strcmp", off_a, off_b, n);
    MUST(our_strcmp(a, b) == 0);
    now_at("strncmp", off_a, off_b, n);
    MUST(our_strncmp(a, b, SIZE_MAX) == 0);
    const char place_in_a = a[where];
    for (int k = 0; k < 2; k++) {
        a[where] = k ? (char)(1 + next() % 255) : 0;
        now_at("strcmp", off_a, off_b, n);
        MUST(our_strcmp(a, b) == ordered((void *)a, (void *)b, n));
        MUST(our_strcmp(b, a) == ordered((void *)b, (void *)a, n));
        // glibc's for Arm reads on where they differ, up to the end, which a may not have.
        if (!a[n - 1]) MUST(sign(our_strcmp(b, a)) == sign(strcmp(b, a)));
        now_at("strncmp", off_a, off_b, n);
        MUST(our_strncmp(a, b, n + 70) == ordered((void *)a, (void *)b, n));
        MUST(our_strncmp(b, a, where + 1) == ordered((void *)b, (void *)a, where + 1));
        a[n - 1] = 0;
    }
    a[where] = place_in_a;
    a[n - 1] = b[n - 1] = last;
}

// What is looked for is at `where` and, unless that is the last byte, again behind it.
static void searches(size_t off, size_t n, size_t where, int at_end) {
    enum { WANTED = 'Q' };
    forget(n);
    char *const s = place(A, off, n, at_end);
    for (size_t i = 0; i < n; i++) s[i] = s[i] == WANTED || !s[i] ? 'r' : s[i];
    now_at("memchr", off, where, n);
    MUST(our_memchr(s, WANTED, n) == NULL);
    now_at("memrchr", off, where, n);
    MUST(our_memrchr(s, WANTED, n) == NULL);
    now_at("strnlen", off, where, n);
    MUST(our_strnlen(s, n) == n);
    if (where >= n) return;
    const char old = s[where];
    s[where] = 0;
    now_at("strlen", off, where, n);
    MUST(our_strlen(s) == where);
    now_at("strnlen", off, where, n);
    MUST(our_strnlen(s, n) == where);
    MUST(our_strnlen(s, SIZE_MAX) == where);
    MUST(our_strnlen(s, where) == where);
    MUST(our_strnlen(s, where - where / 3) == where - where / 3);
    now_at("strchr", off, where, n);
    MUST(our_strchr(s, WANTED) == NULL);
    MUST(our_strchr(s, 0) == s + where);
    now_at("strchrnul", off, where, n);
    MUST(our_strchrnul(s, 0x100 + WANTED) == s + where);
    now_at("strrchr", off, where, n);
    MUST(our_strrchr(s, WANTED) == NULL);
    MUST(our_strrchr(s, 0) == s + where);
    // Behind the end it does not count.
    if (where + 1 < n) s[where + 1] = WANTED;
    MUST(our_strrchr(s, WANTED) == NULL);
    s[where] = old;
    const size_t other = where + next() % (n - where);
    if (where + 1 < n) s[where + 1] = 'r';
    s[where] = s[other] = WANTED;
    now_at("memchr", off, where, n);
    MUST(our_memchr(s, 0x100 + WANTED, n) == s + where);
    MUST(our_memchr(s, WANTED, SIZE_MAX) == s + where);
    MUST(our_memchr(s, WANTED, where) == NULL);
    now_at("memrchr", off, where, n);
    MUST(our_memrchr(s, WANTED, n) == s + other);
    MUST(our_memrchr(s, WANTED, where + 1) == s + where);
    MUST(our_memrchr(s + other, WANTED, n - other) == s + other);
    const char last = s[n - 1];
    s[n - 1] = 0;
    const int there = where < n - 1;
    now_at("strchr", off, where, n);
    MUST(our_strchr(s, WANTED) == (there ? s + where : NULL));
    now_at("strchrnul", off, where, n);
    MUST(our_strchrnul(s, WANTED) == s + where);
    now_at("strrchr", off, where, n);
    MUST(our_strrchr(s, WANTED) == (!there ? NULL : (other < n - 1 ? s + other : s + where)));
    s[n - 1] = last;
    s[where] = s[other] = 'r';
}

static const char *part_in(const char *text, size_t length, const char *part, size_t size) {
    for (size_t i = 0; i + size <= length; i++)
        if (!compared((void *)(text + i), (void *)part, size)) return text + i;
    return NULL;
}

#include "searches.h"

// One buffer, both directions.
static void overlaps(void) {
    for (size_t n = 0; n < 20000; n += n < 600 ? 1 : 1 + next() % 997)
        for (int k = 0; k < (glance ? 2 : (sparse ? 10 : 40)); k++) {
            const size_t s = 16384 + next() % 64;
            // Near, and anywhere in reach.
            const size_t reach = k % 2 ? 130 : n + 1;
            const size_t far = next() % reach;
            const size_t d = next() % 2 ? s + far : (far < s ? s - far : 0);
            const size_t low = s < d ? s : d, high = (s < d ? d : s) + n;
            noise(A + low, 64);
            memcpy(image + low, A + low, high + 64 - low);
            for (size_t i = 0; i < n; i++) image[d + i] = A[s + i];
            now_at("memcpy", s, d, n);
            MUST(our_memcpy(A + d, A + s, n) == A + d);
            if (memcmp(A + low, image + low, high + 64 - low)) copied(A + low, image + low, high + 64 - low);
        }
}

// Nothing is read or written where there is nothing: as musl's.
static void nothing(void) {
    char *const bad = A - PAGE, empty[1] = "";
    at_n = 0;
    function = "nothing";
    MUST(our_memcpy(bad, bad + 1, 0) == bad);
    MUST(our_memset(bad, 1, 0) == bad);
    MUST(our_memcmp(bad, bad + 7, 0) == 0);
    MUST(our_memchr(bad, 1, 0) == NULL);
    MUST(our_memrchr(bad, 1, 0) == NULL);
    MUST(our_memmem(bad, 5, bad + 7, 0) == bad);
    MUST(our_memmem(bad, 0, bad + 7, 5) == NULL);
    MUST(our_strnlen(bad, 0) == 0);
    MUST(our_strncmp(bad, bad + 7, 0) == 0);
    MUST(our_strncpy(bad, bad + 7, 0) == bad);
    MUST(our_stpncpy(bad, bad + 7, 0) == bad);
    MUST(our_strncat(empty, bad, 0) == empty && !empty[0]);
    function = "memcpy";
    for (size_t n = 0; n < 9000; n += 1 + n / 7) {
        memcpy(image, A + 3, n);
        MUST(our_memcpy(A + 3, A + 3, n) == A + 3 && !memcmp(image, A + 3, n));
    }
}

// Over 4 GiB: one piece of memory, mapped over and over, with a last piece of its own.
static char *repeated(size_t size, size_t piece) {
    char *const whole = mmap(NULL, size + piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int fd = memfd_create("piece", 0);
    if (whole == MAP_FAILED || fd < 0 || ftruncate(fd, (off_t)piece)) fail("no memory");
    for (size_t at = 0; at < size; at += piece)
        if (mmap(whole + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) fail("no mapping");
    if (mprotect(whole + size, piece, PROT_READ | PROT_WRITE)) fail("no memory");
    close(fd);
    memset(whole, 'm', piece);
    memset(whole + size, 'm', piece);
    return whole;
}
#define GIANT ((size_t)4 << 30)
#define PIECE ((size_t)4 << 20)
static void giants(char *a, char *b) {
    const size_t n = GIANT + 12345;
    a[n] = 'Q';
    now_at("memchr", 0, 0, n + 1);
    MUST(our_memchr(a, 'Q', n + 1) == a + n);
    now_at("memcmp", 0, 0, n + 1);
    MUST(our_memcmp(a, b, n) == 0);
    MUST(our_memcmp(a, b, n + 1) == 'Q' - 'm');
    a[n] = 0;
    now_at("strlen", 0, 0, n);
    MUST(our_strlen(a) == n);
    MUST(our_strnlen(a, n - 1) == n - 1);
    now_at("strrchr", 0, 0, n);
    MUST(our_strrchr(a, 'Q') == NULL);
    now_at("memrchr", 0, 0, n);
    MUST(our_memrchr(a + 5, 'Q', n) == NULL);
    now_at("memcpy", 0, 0, n);
    a[n - 1] = 'c';
    MUST(our_memcpy(b + 1, a, n) == b + 1);
    MUST(b[n] == 'c' && b[n + 1] == 'm' && b[GIANT + 1] == 'm');
    now_at("memset", 0, 0, n);
    MUST(our_memset(b, 's', n) == b);
    MUST(b[n - 1] == 's' && b[n] == 'c' && b[0] == 's');
    memset(b, 'm', PIECE);
    memset(b + GIANT, 'm', PIECE);
    memset(a + GIANT, 'm', PIECE);
}

#ifdef __x86_64__
// Calls of all kinds that are done without asking the processor, until they were enough.
static void asked_late(void) {
    now_at("level", 0, 0, 0);
    level = 0;
    brawn_memory_level = 0, brawn_memory_count = 0;
    memset(A, 'a', ROOM - 1);
    memset(B, 'a', ROOM - 1);
    A[ROOM - 1] = B[ROOM - 1] = 0;
    char *const a = A + ROOM - 40, *const b = B + ROOM - 40;
    for (int k = 0; k < 100; k++) {
        MUST(our_strlen(a) == 39 && our_strnlen(a, 50) == 39 && our_strchr(a, 'b') == NULL && our_strchrnul(a, 'b') == a + 39);
        MUST(our_strrchr(a, 'a') == a + 38 && our_strcmp(a, b) == 0 && our_strncmp(a, b, 50) == 0 && our_memchr(a, 0, 40) == a + 39);
        MUST(our_memrchr(a, 'b', 40) == NULL);
        MUST(our_memcmp(a, b, 40) == 0);
        MUST(our_strstr(a, "ab") == NULL);
        MUST(our_memmem(a, 40, "ab", 2) == NULL);
        MUST(our_memcpy(image, A, 40 + (size_t)k) == image && our_memset(image, 0, 40 + (size_t)k) == image && our_stpcpy(image, a) == image + 39);
        MUST(our_strncat(image, "a", 1) == image && our_strncpy(image, a, 50) == image);
    }
    MUST(!brawn_memory_level);
    for (int k = 0; !brawn_memory_level; k++) MUST(k < ENOUGH && our_strlen(a) == 39);
    // What is long counts for as much as it is long.
#define SOON(call)                                                        \
    do {                                                                  \
        brawn_memory_level = 0, brawn_memory_count = 0;                   \
        MUST(call);                                                       \
        MUST(!brawn_memory_level);                                        \
        for (int k = 0; !brawn_memory_level; k++) MUST(k < 20 && (call)); \
        MUST(call);                                                       \
    } while (0)
    SOON(our_strlen(A) == ROOM - 1);
    SOON(our_strnlen(A, ROOM) == ROOM - 1);
    SOON(our_strchr(A, 'b') == NULL);
    SOON(our_strchrnul(A, 'b') == A + ROOM - 1);
    SOON(our_strrchr(A, 'b') == NULL);
    SOON(our_strcmp(A, B) == 0);
    SOON(our_strncmp(A, B, ROOM) == 0);
    SOON(our_memchr(A, 'b', ROOM) == NULL);
    SOON(our_memrchr(A, 'b', ROOM) == NULL);
    SOON(our_memcmp(A, B, ROOM) == 0);
    SOON(our_memcpy(image, A, ROOM) == image);
    SOON(our_memset(image, 0, ROOM) == image);
    SOON(our_stpcpy(image, A) == image + ROOM - 1);
    SOON(our_strncpy(image, A, ROOM) == image);
    SOON(our_strstr(A, "ba") == NULL);
    SOON(our_memmem(A, ROOM, "ba", 2) == NULL);
    // A very long one is done with the level at once.
    brawn_memory_level = 0, brawn_memory_count = 0;
    char *const much = guarded(ENOUGH * 256);
    MUST(our_memset(much, 0, ENOUGH * 256) == much);
    MUST(brawn_memory_level);
    brawn_memory_level = 0, brawn_memory_count = ENOUGH - 2;
    MUST(our_strlen(A + 3) == ROOM - 4 && brawn_memory_level);
}
#endif

int main(int argc, char **argv) {
    glance = argc > 1 && !strcmp(argv[1], "glance");
    sparse = glance || (argc > 1 && !strcmp(argv[1], "sparse"));
    if (argc > 1 && !sparse && strcmp(argv[1], "without-giants")) fail("expected without-giants, sparse or glance");
    const size_t step = glance ? 8 : 1;
    signal(SIGSEGV, fault);
    signal(SIGBUS, fault);
    signal(SIGILL, fault);  // A masked store that lies on two pages.
    A = guarded(ROOM), B = guarded(ROOM), image = guarded(ROOM + 16 * PAGE);
#ifdef __x86_64__
    if (brawn_memory_level || brawn_memory_count) fail("a level before any call");
    while (!brawn_memory_level) our_strlen("");
#elif defined(__aarch64__)
    brawn_memory_level = 1;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    const unsigned char best = brawn_memory_level;
    char *const giant_a = argc < 2 ? repeated(GIANT, PIECE) : NULL, *const giant_b = argc < 2 ? repeated(GIANT, PIECE) : NULL;
    for (level = FIRST_LEVEL; level < sizeof LEVELS / sizeof *LEVELS; level++) {
        if (level > best) {
            say(1, "level %s: not run, this processor has none\n", LEVELS[level]);
            continue;
        }
        brawn_memory_level = level;
        const clock_t begin = clock();
        noise(A, ROOM);
        noise(B, ROOM);
        nothing();
        for (int at_end = 0; at_end < 2; at_end++)
            for (size_t n = 0; n <= 256; n++)
                for (size_t off_a = glance ? next() % step : 0; off_a < 64; off_a += step) {
                    // Every pair of alignments; where the two differ in the end, at either guard.
                    for (size_t off_b = sparse ? next() % 32 : (size_t)at_end; off_b < 64; off_b += sparse ? 32 : 2) {
                        copies(off_a, off_b, n, at_end);
                        comparisons(off_a, off_b, n, at_end);
                    }
                    copies(off_a, 0, n, at_end);
                    comparisons(off_a, 0, n, at_end);
                }
        for (size_t n = 0; n <= 256; n++)
            for (size_t off = glance ? next() % step : 0; off < 64; off += step) comparisons(off, next() % 64, n, 2);
        say(1, "level %s: pairs of alignments and lengths to 256, %ld ms\n", LEVELS[level], (long)((clock() - begin) * 1000 / CLOCKS_PER_SEC));
        for (int at_end = 0; at_end < 2; at_end++) {
            for (size_t n = 0; n <= 256; n++)
                for (size_t off = glance ? next() % step : 0; off < 64; off += step) {
                    for (size_t where = 0; where < n; where += 1 + next() % (sparse ? 59 : 5)) searches(off, n, where, at_end);
                    searches(off, n, n - 1, at_end);
                }
            for (size_t n = 257; n < ROOM - 80; n += 1 + n / (n < 3000 ? 60 : 6))
                for (int k = 0; k < (glance ? 1 : (sparse ? 3 : 24)); k++) {
                    copies(k ? next() % 64 : 0, k ? next() % 64 : 0, n, at_end);
                    comparisons(k ? next() % 64 : 0, k ? next() % 64 : 0, n, at_end);
                    searches(k ? next() % 64 : 0, n, next() % n, at_end);
                }
        }
        // Away from the guards: pages that are crossed in the middle.
        for (int k = 0; k < (glance ? 2500 : (sparse ? 20000 : 40000)); k++) {
            const size_t n = next() % 700;
            copies(PAGE + next() % PAGE, 2 * PAGE + next() % PAGE, n, 0);
            comparisons(PAGE + next() % PAGE, PAGE + next() % PAGE, n, 0);
            if (n) searches(PAGE + next() % PAGE, n, next() % n, 0);
        }
        overlaps();
        parts();
        // What is given on the command line leaves this out: a broken function is told from the rest.
        if (argc < 2) giants(giant_a, giant_b);
        say(1, "level %s: done, %ld ms\n", LEVELS[level], (long)((clock() - begin) * 1000 / CLOCKS_PER_SEC));
    }
#ifdef __x86_64__
    asked_late();
#endif
    return 0;
}

// Holds every function of payload/libc/strings/, at every level that this processor has, against a plain reference and
// against the musl that it is linked with, between pages that cannot be touched.
//
//     strings [sparse|glance]
//
// sparse takes of each length a few alignments, by chance, for emulators; glance fewer.  The functions come under their
// own names, brawn_NAME (-DBRAWN_MEMORY_UNNAMED).  The first wrong answer ends it, with the function, the level and the
// arguments; a read outside of what is allowed is a SIGSEGV, which is reported the same way.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define FUNCTIONS(X)                                             \
    X(int, strcasecmp, (const char *, const char *))             \
    X(int, strncasecmp, (const char *, const char *, size_t))    \
    X(size_t, strspn, (const char *, const char *))              \
    X(size_t, strcspn, (const char *, const char *))             \
    X(char *, strpbrk, (const char *, const char *))             \
    X(void *, memccpy, (void *, const void *, int, size_t))      \
    X(size_t, strlcpy, (char *, const char *, size_t))           \
    X(size_t, strlcat, (char *, const char *, size_t))           \
    X(void, swab, (const void *, void *, ssize_t))               \
    X(char *, strcasestr, (const char *, const char *))          \
    X(char *, getenv, (const char *))                            \
    X(size_t, wcslen, (const wchar_t *))                         \
    X(size_t, wcsnlen, (const wchar_t *, size_t))                \
    X(wchar_t *, wcschr, (const wchar_t *, wchar_t))             \
    X(wchar_t *, wcsrchr, (const wchar_t *, wchar_t))            \
    X(wchar_t *, wmemchr, (const wchar_t *, wchar_t, size_t))    \
    X(int, wcscmp, (const wchar_t *, const wchar_t *))           \
    X(int, wcsncmp, (const wchar_t *, const wchar_t *, size_t))  \
    X(int, wmemcmp, (const wchar_t *, const wchar_t *, size_t))  \
    X(wchar_t *, wcsstr, (const wchar_t *, const wchar_t *))     \
    X(wchar_t *, wcscpy, (wchar_t *, const wchar_t *))           \
    X(wchar_t *, wcscat, (wchar_t *, const wchar_t *))           \
    X(wchar_t *, wmemcpy, (wchar_t *, const wchar_t *, size_t))  \
    X(wchar_t *, wmemmove, (wchar_t *, const wchar_t *, size_t)) \
    X(wchar_t *, wmemset, (wchar_t *, wchar_t, size_t))
// Called through pointers that no compiler sees through.
#define X(result, name, arguments)        \
    extern result brawn_##name arguments; \
    static result(*volatile our_##name) arguments = brawn_##name;
FUNCTIONS(X)
#undef X
extern int brawn_strcasecmp_l(const char *, const char *, void *), brawn_strncasecmp_l(const char *, const char *, size_t, void *);
#ifdef __x86_64__
extern unsigned char brawn_memory_level;
extern unsigned brawn_memory_count;
extern void brawn_memory_detect(void);
static const char *const LEVELS[] = {"unknown", "sse2", "avx2", "avx512"};
enum { FIRST_LEVEL = 0 };
#elif defined(__aarch64__)
static unsigned brawn_memory_level, brawn_memory_count;
static void brawn_memory_detect(void) { brawn_memory_level = 1; }
static const char *const LEVELS[] = {"unknown", "neon"};
enum { FIRST_LEVEL = 1 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
static volatile unsigned char level;
static const char *volatile function = "none";
static volatile size_t at_a, at_b, at_n;

static _Noreturn void fail(const char *what) {
    char line[512];
    const int n = snprintf(line, sizeof line, "strings: %s at level %s: %s (a %zu, b %zu, n %zu)\n", function, LEVELS[level], what, at_a, at_b, at_n);
    if (write(2, line, (size_t)n) != n) _exit(3);
    _exit(1);
}
static void fault(int number) {
    (void)number;
    fail("touched memory that it must not touch");
}
static inline void now_at(const char *name, size_t a, size_t b, size_t n) { function = name, at_a = a, at_b = b, at_n = n; }
#define MUST(what)                           \
    do {                                     \
        if (!(what)) fail("not so: " #what); \
    } while (0)
static int sign(int x) { return (x > 0) - (x < 0); }

static uint64_t random_state = 88172645463325252u;
static uint64_t next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> 11;
}

#define PAGE 4096
#define ROOM (32 * PAGE)
// `size` bytes, whole pages of the largest kind, between two pages that cannot be touched.
static char *guarded(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE)) fail("no memory");
    return p + page;
}
static char *A, *B, *image;
static char *place(char *room, size_t off, size_t n, int at_end) { return at_end ? room + ROOM - n - off : room + off; }

// At level unknown the processor is asked in the midst of what follows, by whichever function comes then.
static void forget(size_t n) {
    if (level || (n < PAGE && next() % 256)) return;
    brawn_memory_level = 0;
    brawn_memory_count = 4096 - (unsigned)next() % 40;
}

static int lower(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static int folded(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!a[i] || lower((unsigned char)a[i]) != lower((unsigned char)b[i])) return lower((unsigned char)a[i]) - lower((unsigned char)b[i]);
    return 0;
}

static void folds(size_t off_a, size_t off_b, size_t n, int at_end) {
    forget(n);
    // All bytes, letters more often; b differs in case, and perhaps in one place.
    char *const a = place(A, off_a, n + 1, at_end), *const b = place(B, off_b, n + 1, at_end == 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = next();
        a[i] = (char)(r % 4 ? 'A' + r / 4 % 58 : 1 + r / 4 % 255);
        b[i] = (char)lower((unsigned char)a[i]);
        if (r >> 40 & 1 && b[i] >= 'a' && b[i] <= 'z') b[i] -= 32;
    }
    a[n] = b[n] = 0;
    now_at("strcasecmp", off_a, off_b, n);
    MUST(our_strcasecmp(a, b) == 0);
    MUST(brawn_strcasecmp_l(b, a, NULL) == 0);
    now_at("strncasecmp", off_a, off_b, n);
    MUST(our_strncasecmp(a, b, n) == 0);
    MUST(our_strncasecmp(a, b, SIZE_MAX) == 0);
    if (!n) return;
    const size_t where = next() % n;
    const char old = b[where], put[] = {0, '@', '[', '`', '{', (char)(old ^ 0x20), (char)(old ^ 0x80), (char)next()};
    for (size_t k = 0; k < sizeof put; k++) {
        b[where] = put[k];
        now_at("strcasecmp", off_a, off_b, n);
        MUST(our_strcasecmp(a, b) == folded(a, b, n + 1));
        MUST(our_strcasecmp(a, b) == strcasecmp(a, b));
        MUST(our_strcasecmp(b, a) == strcasecmp(b, a));
        const size_t limit = k & 1 ? where + next() % 3 : next() % (n + 3);
        now_at("strncasecmp", off_a, off_b, n);
        MUST(our_strncasecmp(a, b, limit) == folded(a, b, limit));
        MUST(our_strncasecmp(b, a, limit) == strncasecmp(b, a, limit));
        MUST(brawn_strncasecmp_l(a, b, limit, NULL) == folded(a, b, limit));
    }
    b[where] = old;
    // Without ends, against the pages behind.
    memmove(a + 1, a, n);
    memmove(b + 1, b, n);
    MUST(our_strncasecmp(a + 1, b + 1, n) == 0);
}

static size_t spanned(const char *s, const char *set, int in) {
    for (size_t i = 0;; i++) {
        int is = 0;
        for (const char *c = set; *c; c++) is |= *c == s[i];
        if (!s[i] || is != in) return i;
    }
}

static void spans(size_t off_a, size_t off_b, size_t n, int at_end) {
    forget(n);
    // The string is of letters of the set, and others; some sets are of many.
    const size_t size = next() % 8 ? next() % 6 : next() % 256;
    char *const set = place(B, off_b, size + 1, at_end), *const s = place(A, off_a, n + 1, at_end);
    int is[256] = {0};
    for (size_t i = 0; i < size; i++) is[(unsigned char)(set[i] = (char)(1 + next() % 255))] = 1;
    set[size] = 0;
    for (int in = 0; in < 2; in++) {
        // As long as the function goes on, until a place, behind which is anything.
        const size_t where = next() % (n + 1);
        for (size_t i = 0; i < n; i++) {
            char c = (char)(1 + next() % 255);
            if (i < where && in) c = size ? set[next() % size] : c;
            else if (i < where)
                for (int k = 0; is[(unsigned char)c] && k < 600; k++) c = (char)(c == (char)255 ? 1 : c + 1);
            s[i] = c;
        }
        s[n] = 0;
        if (in) {
            now_at("strspn", off_a, off_b, n);
            MUST(our_strspn(s, set) == spanned(s, set, 1));
            MUST(our_strspn(s, set) == strspn(s, set));
        } else {
            now_at("strcspn", off_a, off_b, n);
            MUST(our_strcspn(s, set) == spanned(s, set, 0));
            MUST(our_strcspn(s, set) == strcspn(s, set));
            now_at("strpbrk", off_a, off_b, n);
            MUST(our_strpbrk(s, set) == strpbrk(s, set));
        }
    }
}

static void copies(size_t off_a, size_t off_b, size_t n, int at_end) {
    enum { BESIDE = 80 };
    forget(n);
    char *const s = place(A, off_a, n + 1, at_end), *const d = place(B, off_b, n + 1, at_end);
    char *const from = d - BESIDE < B ? B : d - BESIDE;
    const size_t span = (size_t)((d + n + 1 + BESIDE > B + ROOM ? B + ROOM : d + n + 1 + BESIDE) - from), before = (size_t)(d - from);
    for (size_t i = 0; i < n; i++) s[i] = (char)('a' + next() % 26);
    s[n] = 0;
#define EXPECT(...)            \
    memset(from, 0x5a, span);  \
    memset(image, 0x5a, span); \
    __VA_ARGS__;               \
    if (memcmp(from, image, span)) fail("wrong bytes, or some outside")
    const size_t where = n ? next() % n : 0, limit = next() % (n + 2);
    now_at("memccpy", off_a, off_b, n);
    if (n) {
        const char old = s[where];
        s[where] = 'Q';
        EXPECT(MUST(our_memccpy(d, s, 0x100 + 'Q', n) == d + where + 1); memcpy(image + before, s, where + 1));
        EXPECT(MUST(our_memccpy(d, s, 'Q', where) == NULL); memcpy(image + before, s, where));
        s[where] = old;
    }
    EXPECT(MUST(our_memccpy(d, s, 0, n + 1) == d + n + 1); memcpy(image + before, s, n + 1));
    now_at("strlcpy", off_a, off_b, n);
    EXPECT(MUST(our_strlcpy(d, s, limit) == n); MUST(strlcpy(image + before, s, limit) == n));
    EXPECT(MUST(our_strlcpy(d, s, n + 1) == n); memcpy(image + before, s, n + 1));
    now_at("strlcat", off_a, off_b, n);
    EXPECT(memset(d, 'x', where); d[where] = 0; memset(image + before, 'x', where); image[before + where] = 0;
        MUST(our_strlcat(d, s + where, n + 1) == n); MUST(strlcat(image + before, s + where, n + 1) == n));
    EXPECT(memset(d, 'x', where); d[where] = 0; memset(image + before, 'x', where); image[before + where] = 0;
        MUST(our_strlcat(d, s, limit) == strlcat(image + before, s, limit)));
}

static const char *part_in(const char *text, const char *part) {
    const size_t size = strlen(part);
    do {
        if (!folded(text, part, size)) return text;
    } while (*text++);
    return NULL;
}

static void parts(int count) {
    for (int k = 0; k < count; k++) {
        forget(0);
        const size_t letters = 1 + next() % 4, length = next() % (k % 50 ? 300 : 5000), size = next() % (k % 3 ? 6 : 60);
        char *const text = A + ROOM - length - 1, *const part = B + ROOM - size - 1;
        // At times all of the text nearly fits everywhere.
        const size_t period = k % 5 ? size : 1 + next() % 9;
        for (size_t i = 0; i < size; i++)
            part[i] = (char)(i < period ? (next() & 32) + 'A' + next() % letters : (part[i - period] ^ (next() & 32)) + (i == size / 2));
        for (size_t i = 0; i < length; i++) text[i] = (char)(period >= size ? (next() & 32) + 'A' + next() % letters : part[i % period] ^ (next() & 32));
        if (k % 4 && size && size <= length) memcpy(text + next() % (length - size + 1), part, size);
        text[length] = part[size] = 0;
        now_at("strcasestr", length, size, (size_t)k);
        MUST(our_strcasestr(text, part) == part_in(text, part));
        // musl before 1.2.6 looked at no place of an empty text.
        if (length || size) MUST(our_strcasestr(text, part) == strcasestr(text, part));
    }
    // Text that promises at every letter: the time grows with its length, not with its length times the part's.
    enum { LONG = ROOM / 2 };
    for (int k = 0; k < 3; k++) {
        memset(A, 'a', LONG * 2 - 1);
        memset(B, 'A', LONG);
        A[LONG * 2 - 1] = B[LONG] = 0;
        B[(LONG - 1) / 2 * k] = 'b';
        const clock_t begin = clock();
        now_at("strcasestr", LONG * 2, LONG, (size_t)k);
        for (int i = 0; i < 8; i++) MUST(our_strcasestr(A, B) == NULL);
        MUST(clock() - begin < CLOCKS_PER_SEC);
    }
}

// musl's before 1.2.5 subtracts, and so has the wrong sign where that overflows: no reference for these.
static int wide_order(const wchar_t *a, const wchar_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

#define W(p) ((wchar_t *)(void *)(p))
// The same string of n words in both.
static void wide_orders(wchar_t *a, wchar_t *b, size_t n, size_t where, size_t off_a, size_t off_b) {
    const wchar_t old = b[where], put[] = {0, old ^ 1, old ^ (wchar_t)0x80000000, old ^ 0x100, old + 1};
    for (size_t k = 0; k < sizeof put / sizeof *put; k++) {
        b[where] = put[k];
        now_at("wcscmp", off_a, off_b, n);
        MUST(sign(our_wcscmp(a, b)) == (a[where] < b[where] ? -1 : a[where] > b[where]));
        MUST(sign(our_wcscmp(b, a)) == (b[where] < a[where] ? -1 : b[where] > a[where]));
        now_at("wcsncmp", off_a, off_b, n);
        MUST(our_wcsncmp(a, b, where) == 0 && our_wcsncmp(a, b, 0) == 0);
        MUST(our_wcsncmp(a, b, where + 1) == our_wcscmp(a, b));
        now_at("wmemcmp", off_a, off_b, n);
        MUST(our_wmemcmp(a, b, where) == 0 && our_wmemcmp(a, b, 0) == 0);
        MUST(sign(our_wmemcmp(a, b, n + 1)) == wide_order(a, b, n + 1));
        MUST(sign(our_wmemcmp(b, a, where + 1)) == wide_order(b, a, where + 1));
    }
    // The end, and differences behind it: memory goes on there.
    const wchar_t end_a = a[where];
    a[where] = b[where] = 0;
    if (where + 1 < n) b[where + 1]++;
    now_at("wcscmp", off_a, off_b, n);
    MUST(our_wcscmp(a, b) == 0);
    now_at("wmemcmp", off_a, off_b, n);
    MUST(sign(our_wmemcmp(a, b, n)) == wide_order(a, b, n));
    if (where + 1 < n) b[where + 1]--;
    a[where] = end_a, b[where] = old;
}

// Where WANTED is, and once more behind that.
enum {
    WANTED = 0x01020081,
    ALIKE = 0x01000081,
};
static void wide_searches(wchar_t *a, size_t n, size_t where, size_t off_a, size_t off_b) {
    const size_t other = where + next() % (n - where);
    const wchar_t old = a[where], old_other = a[other];
    a[where] = a[other] = WANTED;
    now_at("wcschr", off_a, off_b, n);
    MUST(our_wcschr(a, WANTED) == a + where);
    now_at("wcsrchr", off_a, off_b, n);
    MUST(our_wcsrchr(a, WANTED) == a + other && our_wcsrchr(a, WANTED) == wcsrchr(a, WANTED));
    now_at("wmemchr", off_a, off_b, n);
    MUST(our_wmemchr(a, WANTED, n) == a + where && our_wmemchr(a, WANTED, where) == NULL);
    // Behind the end it does not count.
    if (other > where) {
        a[where] = 0;
        now_at("wcschr", off_a, off_b, n);
        MUST(our_wcschr(a, WANTED) == NULL);
        now_at("wcsrchr", off_a, off_b, n);
        MUST(our_wcsrchr(a, WANTED) == NULL);
    }
    a[other] = old_other, a[where] = old;
}

static void wides(size_t off_a, size_t off_b, size_t n, int at_end) {
    forget(n * 4);
    wchar_t *const a = W(place(A, off_a * 4, (n + 1) * 4, at_end)), *const b = W(place(B, off_b * 4, (n + 1) * 4, at_end == 1));
    // Words of which some bytes are alike, and some are 0.
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = next();
        a[i] = r % 4 ? (wchar_t)(r / 4 % 0x10ffff + 1) : (r & 4 ? (wchar_t)0x80000001 : ALIKE);
    }
    a[n] = 0;
    now_at("wcslen", off_a, off_b, n);
    MUST(our_wcslen(a) == n);
    now_at("wcsnlen", off_a, off_b, n);
    const size_t limit = next() % (n + 3);
    MUST(our_wcsnlen(a, limit) == (limit < n ? limit : n));
    MUST(our_wcsnlen(a, SIZE_MAX) == n && our_wcsnlen(a, SIZE_MAX / 4) == n);
    now_at("wcscpy", off_a, off_b, n);
    if (b > W(B)) b[-1] = 77;
    MUST(our_wcscpy(b, a) == b && !memcmp(a, b, (n + 1) * 4));
    MUST(b == W(B) || b[-1] == 77);
    now_at("wcscmp", off_a, off_b, n);
    MUST(our_wcscmp(a, b) == 0);
    now_at("wcsncmp", off_a, off_b, n);
    MUST(our_wcsncmp(a, b, SIZE_MAX) == 0 && our_wcsncmp(a, b, n) == 0);
    now_at("wmemcmp", off_a, off_b, n);
    MUST(our_wmemcmp(a, b, n + 1) == 0);
    now_at("wcschr", off_a, off_b, n);
    MUST(our_wcschr(a, 0) == a + n && our_wcschr(a, WANTED) == NULL);
    now_at("wcsrchr", off_a, off_b, n);
    MUST(our_wcsrchr(a, 0) == a + n && our_wcsrchr(a, WANTED) == NULL);
    now_at("wmemchr", off_a, off_b, n);
    MUST(our_wmemchr(a, WANTED, n + 1) == NULL && our_wmemchr(a, 0, n) == NULL && our_wmemchr(a, 0, SIZE_MAX) == a + n);
    if (n) {
        const size_t where = next() % n;
        wide_orders(a, b, n, where, off_a, off_b);
        wide_searches(a, n, where, off_a, off_b);
        now_at("wcscat", off_a, off_b, n);
        memcpy(b, a, where * 4);
        b[where] = 0;
        MUST(our_wcscat(b, a + where) == b && !memcmp(a, b, (n + 1) * 4));
    }
    now_at("wmemset", off_a, off_b, n);
    b[n] = 5;
    MUST(our_wmemset(b, WANTED, n) == b && b[n] == 5);
    MUST(b == W(B) || b[-1] == 77);
    for (size_t i = 0; i < n; i++) MUST(b[i] == WANTED);
    now_at("wmemcpy", off_a, off_b, n);
    MUST(our_wmemcpy(b, a, n) == b && !memcmp(a, b, n * 4) && b[n] == 5);
    now_at("wmemmove", off_a, off_b, n);
    memcpy(image, b, n * 4);
    if (n) MUST(our_wmemmove(b + 1, b, n - 1) == b + 1 && !memcmp(b + 1, image, (n - 1) * 4));
}

// What swab does, in place too, and what it leaves alone.
static void swaps(size_t off_a, size_t off_b, size_t n, int at_end) {
    char *const s = place(A, off_a, n, at_end), *const d = place(B, off_b, n, at_end);
    for (size_t i = 0; i < n; i++) s[i] = (char)next();
    now_at("swab", off_a, off_b, n);
    memset(d, 0x5a, n);
    memset(image, 0x5a, n);
    swab(s, image, (ssize_t)n);
    our_swab(s, d, (ssize_t)n);
    MUST(!memcmp(d, image, n));
    our_swab(s, d, -(ssize_t)n), our_swab(s, d, 0);
    MUST(!memcmp(d, image, n));
    memcpy(d, s, n);
    if (n % 2) image[n - 1] = s[n - 1];
    our_swab(d, d, (ssize_t)n);
    MUST(!memcmp(d, image, n));
}

extern char **environ;
static void environments(void) {
    // Each string against the page behind it, in turn.
    char *list[5] = {0}, **const saved = environ;
    static char first[] = "HOMEWORKS=1", second[] = "P=x=y", third[] = "HOME=/there", fourth[] = "PATH=";
    static const char *const names[] = {"HOME", "HOMEWORK", "P", "PATH", "PAT", "HOM", "", "=", "HOME=", "X", "PATHS", "HOMEWORKS=1", "HOMEWOR", "HOMEWORKS", "HOMEWORKING"};
    char *const all[] = {first, second, third, fourth, (char[]){""}, (char[]){"H"}};
    now_at("getenv", 0, 0, 0);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char *const edge = A + ROOM - strlen(all[k]) - 1;
        strcpy(edge, all[k]);
        for (size_t i = 0; i < 4; i++) list[i] = all[i];
        list[k % 4] = edge;
        environ = list;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char *const name = B + ROOM - strlen(names[i]) - 1;
            strcpy(name, names[i]);
            at_a = k, at_b = i;
            MUST(our_getenv(name) == getenv(name));
        }
    }
    environ = NULL;
    MUST(our_getenv("HOME") == NULL);
    environ = saved;
}

#include "strings-bytes.h"
#include "strings-parts.h"
#include "strings-spaces.h"
int main(int argc, char **argv) {
    const int glance = argc > 1 && !strcmp(argv[1], "glance"), sparse = glance || (argc > 1 && !strcmp(argv[1], "sparse"));
    if (argc > 1 && !sparse) fail("expected sparse or glance");
    signal(SIGSEGV, fault), signal(SIGBUS, fault);
    // A masked store that lies on two pages (-DBRAWN_MEMORY_CHECK_MASKED).
    signal(SIGILL, fault);
    A = guarded(ROOM), B = guarded(ROOM), image = guarded(ROOM + PAGE * 16);
    brawn_memory_detect();
    const unsigned char best = brawn_memory_level;
    for (level = FIRST_LEVEL; level < sizeof LEVELS / sizeof *LEVELS; level++) {
        if (level > best) {
            printf("level %s: not run, this processor has none\n", LEVELS[level]);
            continue;
        }
        brawn_memory_level = level;
        environments(), spaces(), cases(), narrow_bytes();
        for (int at_end = 0; at_end < 2; at_end++)
            for (size_t n = 0; n <= 300; n++)
                for (size_t off = sparse ? next() % 16 : 0; off < 64; off += glance ? 32 : (sparse ? 16 : 1)) {
                    const size_t other = next() % 3 ? next() % 64 : 0, edge = at_end ? 0 : off;
                    folds(off, other, n, at_end), folds(edge, other, n, at_end);
                    spans(off, other, n, at_end), spans(edge, other, n, at_end);
                    copies(off, other, n, at_end), copies(edge, edge, n, at_end);
                    swaps(off, other, n, at_end);
                    wides(off, other, n, at_end), wides(edge, edge, n, at_end);
                }
        // Of what is compared one is at its end and one at its beginning.
        for (size_t n = 0; n < 70; n++)
            for (size_t off = 0; off < 16; off++) folds(off * 4, next() % 64, n, 2), wides(off, next() % 16, n % 17, 2);
        // Longer ones, and pages that are crossed in the middle.
        for (int k = 0; k < (glance ? 100 : (sparse ? 400 : 6000)); k++) {
            // With 2, what is compared has one at the end and one at the beginning.
            const int at_end = (int)(next() % 3);
            const size_t n = next() % (k % 8 ? 700 : 12000), a = at_end ? next() % 64 : next() % (2 * PAGE), b = at_end ? next() % 64 : next() % (2 * PAGE);
            folds(a, b, n, at_end), spans(a, b, n, at_end), copies(a, b, n, at_end), wides(a % 2048, b % 2048, n, at_end);
        }
        parts(glance ? 800 : (sparse ? 4000 : 40000));
        often_between();
        wide_parts(glance ? 800 : (sparse ? 4000 : 40000));
        printf("level %s: done\n", LEVELS[level]);
    }
    return 0;
}

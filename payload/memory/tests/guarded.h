// Memory between pages that cannot be touched, and words for what goes wrong: the function, its level and its arguments.
#ifndef BRAWN_TESTS_GUARDED_H
#define BRAWN_TESTS_GUARDED_H

#ifdef __x86_64__
extern unsigned char brawn_memory_level;
extern unsigned brawn_memory_count;
static const char *const LEVELS[] = {"unknown", "sse2", "avx2", "avx512"};
enum { FIRST_LEVEL = 0 };
#elif defined(__aarch64__)
// One level, which nothing has to find out.
static unsigned char brawn_memory_level;
static unsigned brawn_memory_count;
static const char *const LEVELS[] = {"unknown", "neon"};
enum { FIRST_LEVEL = 1 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
static volatile unsigned char level;
static int sparse, glance;
static const char *volatile function = "none";
static volatile size_t at_a, at_b, at_n;

static void say(int fd, const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (write(fd, line, n) != n) _exit(3);
}

static _Noreturn void fail(const char *what) {
    say(2, "memory: %s at level %s: %s (a %zu, b %zu, n %zu)\n", function, LEVELS[level], what, at_a, at_b, at_n);
    _exit(1);
}

static void fault(int number) {
    (void)number;
    fail("touched memory that it must not touch");
}

static inline void now_at(const char *name, size_t a, size_t b, size_t n) {
    function = name, at_a = a, at_b = b, at_n = n;
}
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

// The kernel's pages have this size, or 16 times as much.
#define PAGE 4096
#define ROOM (64 * PAGE)
// `size` bytes, whole pages of the largest kind, between two pages that cannot be touched.
static char *guarded(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE)) fail("no memory");
    return p + page;
}

#endif

/* What every program here shares: checks that say what was expected and what was found, and cases
 * chosen by the first argument.  A program ends with status 0 if all checks held, with 1 if not.
 * Nothing here allocates, so that a program decides where its first allocation happens. */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failures;

/* write(2) through a buffer on the stack: usable in constructors, under seccomp, after fork. */
#define check_say(...)                                                                       \
    do {                                                                                     \
        char check_line[512];                                                                \
        int check_length = snprintf(check_line, sizeof check_line, __VA_ARGS__);             \
        if (check_length > (int)sizeof check_line - 1) check_length = sizeof check_line - 1; \
        if (write(2, check_line, check_length) < 0) _exit(3);                                \
    } while (0)

#define check_failed(...)                                                     \
    do {                                                                      \
        check_say(__VA_ARGS__);                                               \
        if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_SEQ_CST) >= 20) { \
            check_say("too many failures, giving up\n");                      \
            _exit(1);                                                         \
        }                                                                     \
    } while (0)

#ifdef CHECK_DYNAMIC
#include <dlfcn.h>

static void check_preloaded_has(const char *name) {
    Dl_info info;
    void *function = dlsym(RTLD_NEXT, name);
    if (function && dladdr(function, &info) && strstr(info.dli_fname, "brawn-preload.so")) return;
    check_say("the first %s behind the program's is not of the object that is preloaded\n", name);
    _exit(4);
}

/* Linked dynamically: a dynamic linker that cannot preload an object says nothing, and the program has libc's own
 * functions. */
__attribute__((constructor)) static void check_preloaded(void) {
    if (!getenv("CONFORMANCE_PRELOADED")) return;
    check_preloaded_has("malloc");
    check_preloaded_has("calloc");
    check_preloaded_has("realloc");
    check_preloaded_has("free");
    check_preloaded_has("posix_memalign");
    check_preloaded_has("memcpy");
}
#endif

/* How many of `all` repetitions to do: one in CONFORMANCE_SHARE, where that is set. */
__attribute__((unused)) static size_t check_share(size_t all) {
    const char *share = getenv("CONFORMANCE_SHARE");
    return share ? all / (size_t)atoi(share) : all;
}

/* Whether an emulator runs this: the kernel counts its memory as the program's. */
__attribute__((unused)) static int check_emulated(void) { return getenv("CONFORMANCE_EMULATED") != NULL; }

/* The lines of /proc/self/maps, which an emulator answers for in the program's terms; they are there until the next call. */
__attribute__((unused)) static char *check_maps(void) {
    static char text[1 << 17];
    size_t length = 0;
    int file = open("/proc/self/maps", O_RDONLY);
    for (ssize_t n; (n = read(file, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)n;
    close(file);
    text[length] = 0;
    return text;
}

/* The program's writable mappings in KiB. */
__attribute__((unused)) static long check_mapped(void) {
    long all = 0;
    for (char *line = check_maps(); *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *at = line;
        unsigned long from = strtoul(at, &at, 16), to = strtoul(at + 1, &at, 16);
        if (at[0] == ' ' && at[1] && at[2] == 'w') all += (long)((to - from) / 1024);
    }
    return all;
}

/* A number of the file `name`, behind `line`; -1: there is none.  By pread: before a read, which may wait, the heap would give back what is
 * to be counted. */
__attribute__((unused)) static long check_line(const char *name, const char *line) {
    static char text[1 << 13];
    int file = open(name, O_RDONLY);
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    char *at = strstr(text, line);
    return at ? atol(at + strlen(line)) : -1;
}

/* What the kernel says of the process in KiB, whatever its pages' size: a line of /proc/self/status, as in "VmHWM:". */
__attribute__((unused)) static long check_status(const char *line) {
    long value = check_line("/proc/self/status", line);
    if (value < 0) {
        check_say("/proc/self/status has no %s\n", line);
        _exit(2);
    }
    return value;
}

/* The memory that the process has of its own, in KiB.  The kernel counts the pages of smaps_rollup one by one.  Its VmRSS may be wrong by 128
 * KiB for each processor, or by more, and has the pages of files, which it maps as many at a time as it likes. */
__attribute__((unused)) static long check_own_memory(void) {
    long there = check_line("/proc/self/smaps_rollup", "\nAnonymous:"), away = check_line("/proc/self/smaps_rollup", "\nSwap:");
    return there < 0 ? check_status("VmRSS:") : there + (away < 0 ? 0 : away);
}

/* A process that takes so many seconds hangs: by alarm, its end says so. A busy machine may make seconds of a millisecond. */
enum { CHECK_HANGS = 200 };

/* How many waits of so many milliseconds there are at most for what has to come at last.  Turns of the heap may only take a small part of all
 * time, and one that is stopped in its middle for a while seems to have taken as long: the next one then comes a hundred times as much later. */
#define CHECK_WAITS(ms) (CHECK_HANGS * 800 / (ms))

/* A statement that must be true, with an explanation in printf's way. */
#define CHECK(condition, ...)                                                     \
    do {                                                                          \
        if (!(condition)) {                                                       \
            check_failed("%s:%d: expected %s; ", __FILE__, __LINE__, #condition); \
            check_say(__VA_ARGS__);                                               \
            check_say("\n");                                                      \
        }                                                                         \
    } while (0)

/* Two integers that must be the same. */
#define CHECK_SAME(found, expected)                                                              \
    do {                                                                                         \
        long long check_found = (long long)(found), check_expected = (long long)(expected);      \
        if (check_found != check_expected)                                                       \
            check_failed("%s:%d: expected %s to be %s (%lld), found %lld\n", __FILE__, __LINE__, \
                #found, #expected, check_expected, check_found);                                 \
    } while (0)

/* A step without which the program cannot go on. */
#define NEED(condition)                                                                        \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            check_say("%s:%d: cannot go on: expected %s (errno %d: %s)\n", __FILE__, __LINE__, \
                #condition, errno, strerror(errno));                                           \
            _exit(2);                                                                          \
        }                                                                                      \
    } while (0)

/* The compiler may drop a malloc whose block it sees freed unused, or fold errno's value across
 * it.  A pointer or size that went through here is unknown to it. */
static inline void *hidden(void *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}
static inline size_t hidden_size(size_t n) {
    __asm__ volatile("" : "+r"(n));
    return n;
}

/* Fills a block with bytes that depend on `seed` and position, and checks them later. */
static inline void fill(void *p, size_t n, unsigned seed) {
    unsigned char *b = (unsigned char *)p;
    for (size_t i = 0; i < n; i++) b[i] = (unsigned char)(seed + i * 7 + (i >> 8));
}
static inline size_t first_wrong(const void *p, size_t n, unsigned seed) {
    const unsigned char *b = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++)
        if (b[i] != (unsigned char)(seed + i * 7 + (i >> 8))) return i;
    return (size_t)-1;
}
#define CHECK_FILLED(p, n, seed)                                                         \
    do {                                                                                 \
        size_t check_at = first_wrong(p, n, seed);                                       \
        if (check_at != (size_t)-1)                                                      \
            check_failed("%s:%d: contents of %s changed at byte %zu of %zu\n", __FILE__, \
                __LINE__, #p, check_at, (size_t)(n));                                    \
    } while (0)

/* A small generator, so that runs are the same everywhere (xorshift64). */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline int check_result(void) { return check_failures ? 1 : 0; }

struct check_case {
    const char *name;
    void (*run)(void);
};

/* Runs the case that the first argument names. */
static inline int check_run(int argc, char **argv, const struct check_case *cases, size_t count) {
    for (size_t i = 0; argc > 1 && i < count; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return check_result();
        }
    check_say("usage: %s CASE, where CASE is one of:", argv[0]);
    for (size_t i = 0; i < count; i++) check_say(" %s", cases[i].name);
    check_say("\n");
    return 2;
}
#define RUN_CASES(...)                                                     \
    int main(int argc, char **argv) {                                      \
        static const struct check_case cases[] = {__VA_ARGS__};            \
        return check_run(argc, argv, cases, sizeof cases / sizeof *cases); \
    }

#endif

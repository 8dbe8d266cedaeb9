//# states: memory functions answer at the edges as musl's do, from the first instruction of a program on
//# case: overlap itself nothing image
//# link: static static-pie lld lld-pie gc gc-lld lto-gcc lto-clang line line-lld zig
//# cflags: -fno-builtin -fstack-protector-all
//# not-covered: glibc/*/overlap: its memcpy copies in any order
//# fails: stock/zig/overlap: so does zig's own, of compiler_rt
#include "check.h"
#include <sys/mman.h>

/* Called through pointers, so that no compiler knows what they are. */
static void *(*volatile copy)(void *, const void *, size_t) = (void *(*)(void *, const void *, size_t))memcpy;
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile set)(void *, int, size_t) = memset;
static int (*volatile compare)(const void *, const void *, size_t) = memcmp;
static void *(*volatile find)(const void *, int, size_t) = memchr;
static size_t (*volatile length)(const char *, size_t) = strnlen;
static int (*volatile begins)(const char *, const char *, size_t) = strncmp;

static unsigned char room[20000];

/* A copy to lower addresses works with musl's, which goes forwards: finished programs rely on it. */
static void overlap(void) {
    for (size_t n = 0; n < 9000; n = n < 300 ? n + 1 : n * 2)
        for (size_t by = 1; by < 300; by = by < 40 ? by + 1 : by * 2) {
            for (size_t i = 0; i < n + by; i++) room[i] = (unsigned char)(i * 7);
            CHECK(copy(room, room + by, n) == room, "another answer");
            for (size_t i = 0; i < n; i++)
                CHECK(room[i] == (unsigned char)((i + by) * 7), "%zu bytes by %zu: byte %zu is %d", n, by, i, room[i]);
        }
}

static void itself(void) {
    for (size_t n = 0; n < 9000; n = n < 300 ? n + 1 : n * 2) {
        for (size_t i = 0; i < sizeof room; i++) room[i] = (unsigned char)(i * 11);
        CHECK(copy(room, room, n) == room && move(room, room, n) == room, "another answer");
        CHECK(compare(room, room, n) == 0, "%zu bytes differ from themselves", n);
        for (size_t i = 0; i < sizeof room; i++)
            CHECK(room[i] == (unsigned char)(i * 11), "%zu bytes: byte %zu is %d", n, i, room[i]);
    }
}

/* No byte is touched where none is asked for. */
static void nothing(void) {
    char *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(none != MAP_FAILED);
    char *places[] = {NULL, (char *)1, none, none + 4095, (char *)-1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *p = places[i];
        CHECK(copy(p, p, 0) == p && move(p, p, 0) == p && set(p, 1, 0) == p, "%p", p);
        CHECK(compare(p, none, 0) == 0 && find(p, 0, 0) == NULL, "%p", p);
        CHECK(length(p, 0) == 0 && begins(p, none, 0) == 0, "%p", p);
    }
}

/* libc copies it before anything else is set up. */
static _Thread_local char local[5000] = "an image of thread-locals";
static _Thread_local int zeros[1000];
static void image(void) {
    CHECK(strcmp(local, "an image of thread-locals") == 0, "%s", local);
    CHECK(local[4999] == 0 && zeros[0] == 0 && zeros[999] == 0, "not zero");
}

RUN_CASES({"overlap", overlap}, {"itself", itself}, {"nothing", nothing}, {"image", image})

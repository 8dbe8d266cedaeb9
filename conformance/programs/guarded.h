/* What the programs that state libc's functions share: text that ends where memory does, and checks of text. */
#ifndef GUARDED_H
#define GUARDED_H

#include "check.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { GUARDED_ROOM = 1 << 16 };

/* Memory that has GUARDED_ROOM bytes, with none in front of it and none behind. */
static char *guarded_start, *guarded_end;

__attribute__((unused)) static void guard(void) {
    if (guarded_start) return;
    char *all = mmap(NULL, 3 * GUARDED_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(all != MAP_FAILED);
    guarded_start = all + GUARDED_ROOM;
    guarded_end = guarded_start + GUARDED_ROOM;
    NEED(mprotect(guarded_start, GUARDED_ROOM, PROT_READ | PROT_WRITE) == 0);
}

/* The n bytes at `from` as the last ones there are. */
__attribute__((unused)) static void *at_end(const void *from, size_t n) {
    guard();
    char *to = guarded_end - n;
    const char *bytes = from;
    for (size_t i = 0; i < n; i++) to[i] = bytes[i];
    return to;
}

__attribute__((unused)) static char *text_at_end(const char *text) {
    size_t n = 0;
    while (text[n]) n++;
    return at_end(text, n + 1);
}

__attribute__((unused)) static int sign(long long x) { return (x > 0) - (x < 0); }

/* Two texts that must be the same. */
#define CHECK_TEXT(found, expected)                                                                 \
    do {                                                                                            \
        const char *check_text = (found), *check_wanted = (expected);                               \
        CHECK(check_text && strcmp(check_text, check_wanted) == 0, "found \"%s\", expected \"%s\"", \
            check_text ? check_text : "(null)", check_wanted);                                      \
    } while (0)

/* What a call gives, and errno after it. */
#define CHECK_ERRNO(call, expected, error)                                             \
    do {                                                                               \
        errno = 0;                                                                     \
        CHECK_SAME(call, expected);                                                    \
        CHECK(errno == (error), "%s: errno is %d, expected %s", #call, errno, #error); \
    } while (0)

/* Whether a child that runs this ends with 0. */
__attribute__((unused)) static int in_child(void (*run)(void)) {
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        run();
        _exit(check_result());
    }
    int status;
    while (waitpid(child, &status, 0) < 0) NEED(errno == EINTR);
    return status;
}

#endif

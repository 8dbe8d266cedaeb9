/* What the programs of the misuse set share: a child for each kind of misuse and size, and what became of it.
 * A child is tried several times, since a heap may place blocks at random.  It prints how often the child was
 * ended by a signal: a child that goes on to its end noticed nothing. */
#ifndef MISUSED_H
#define MISUSED_H

#include "check.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { TRIES = 4 };
static const size_t misused_sizes[] = {8, 4096, 262144};
enum { MISUSED_SIZES = sizeof misused_sizes / sizeof *misused_sizes };

static char *block(size_t n) {
    char *p = (char *)hidden(malloc(n));
    NEED(p);
    memset(p, 0x41, n);
    return p;
}

/* What a program does after its mistake: it goes on to allocate and to free. */
static void goes_on(size_t n) {
    void *some[40];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 40; i++) some[i] = block(n);
        for (int i = 0; i < 40; i++) free(some[i]);
    }
}

static int misused_once(void (*misuse)(size_t), size_t n) {
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        /* glibc says on descriptor 2 what it found. */
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 2);
        misuse(n);
        goes_on(n);
        _exit(0);
    }
    int status;
    NEED(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "size %zu: ended with status %d", n, status);
    return WIFSIGNALED(status);
}

static void misused(const char *kind, void (*misuse)(size_t)) {
    for (int i = 0; i < MISUSED_SIZES; i++) {
        int ended = 0;
        for (int k = 0; k < TRIES; k++) ended += misused_once(misuse, misused_sizes[i]);
        printf("measure %s-%zu %d\n", kind, misused_sizes[i], ended);
    }
}

#endif

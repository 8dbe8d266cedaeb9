/* What the programs of misuse share: a block, and a child that does what no program may. */
#ifndef CHILD_H
#define CHILD_H

#include "check.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char *block(size_t n) {
    char *p = (char *)hidden(malloc(n));
    NEED(p);
    memset(p, 0x41, n);
    return p;
}

/* How a child that does this ends, as waitpid says it. */
static int child_status(void (*act)(size_t), size_t n) {
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        act(n);
        _exit(0);
    }
    int status;
    NEED(waitpid(child, &status, 0) == child);
    return status;
}

/* Whether a child that does this is ended by a signal. */
__attribute__((unused)) static int ended(void (*act)(size_t), size_t n) {
    int status = child_status(act, n);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "size %zu: ended with status %d", n, status);
    return WIFSIGNALED(status);
}

#endif

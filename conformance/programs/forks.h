/* A child that goes on with what other threads of its parent were doing. */
#ifndef FORKS_H
#define FORKS_H

#include "check.h"
#include <sys/wait.h>

/* Forks.  The child ends with what `act` returns, or by a signal if it hangs.  `number`: which child it is, for the message. */
static void check_child(int (*act)(void), size_t number) {
    const pid_t pid = fork();
    NEED(pid >= 0);
    if (pid == 0) {
        alarm(CHECK_HANGS);
        _exit(act());
    }
    int status = -1;
    NEED(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0, "child %zu ended with wait status %#x (14: it hung)", number, status);
}

#endif

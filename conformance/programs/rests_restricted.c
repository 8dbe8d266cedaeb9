//# states: a process that has left itself nothing but reading, writing and ending gives nothing back before it reads: neither in a
//# states: program that is linked with brawn nor in a rewritten one
//# libc: brawn rewritten
//# link: static static-pie lld line
#include "check.h"
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What a turn of the heap would give back. */
static void load(void) {
    enum { BLOCKS = 2000 };
    static void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        NEED(blocks[i] = malloc(1000));
        memset(blocks[i], i, 1000);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

/* A process that may only read, write and end has nothing else done for it when it reads. */
int main(void) {
    enum {
        MODE_STRICT = 1,
        SET_MODE_STRICT = 0,
    }; /* linux/seccomp.h */
    if (check_emulated()) return 0;
    for (int how = 0; how < 2; how++) {
        int ends[2];
        char byte = 0;
        NEED(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            load();
            if (how) prctl(PR_SET_SECCOMP, MODE_STRICT);
            else syscall(SYS_seccomp, SET_MODE_STRICT, 0, NULL);
            if (read(ends[0], &byte, 1) != 1) _exit(1);
            syscall(SYS_exit, 0);
        }
        int status;
        NEED(waitpid(child, &status, 0) == child);
        CHECK(status == 0, "%d: the child ended with %#x", how, status);
    }
    return check_result();
}

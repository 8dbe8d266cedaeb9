// Stands before libc's header of this name.  A thread of the engine that waits for another one, which is in the
// middle of a few instructions, gives its processor away by `sleep(0)`.  libc's would be an undefined symbol of the
// payload, a place where a thread may be cancelled inside `free`, and a system call that no other heap makes: a
// program may run where such a call ends it.
#ifndef BRAWN_UNISTD_H
#define BRAWN_UNISTD_H

#include_next <unistd.h>
#include "arch.h"

// A futex that nobody wakes, with no time to wait (FUTEX_WAIT_PRIVATE): the kernel looks at the clock and comes back.
static inline unsigned brawn_sleep(unsigned none) {
    static const int word;
    const long at_once[2] = {none, 0};  // struct timespec
    arch_syscall6(ARCH_SYS_futex, (long)&word, 128, 0, (long)at_once, 0, 0);
    return 0;
}
#define sleep brawn_sleep

#endif

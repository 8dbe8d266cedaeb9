// What libc tells the heap of a wait, and what the heap answers: the heap's turn before a wait (heap/rest.c, libc/threads/waits.h).
#ifndef BRAWN_TURN_H
#define BRAWN_TURN_H

#include <stdint.h>

typedef struct {
    // Before the turn: 0, TURN_UNDIVIDED for a wait that cannot be made in parts, or 1 behind a wait's first part.  Afterwards less than 0 if a
    // handler ran at the turn's end.  If it is more, the thread is to wait so many milliseconds, and then to come again with 1.
    long said;
    // The signals whose handlers ran, where one did.
    uint64_t ran;
} brawn_turn_t;

enum {
    TURN_UNDIVIDED = -1,
    TURN_NO_HANDLER = 0,
    // What the kernel does with a call that a handler interrupts: it makes it again if it is one of those that it may, since all that ran have
    // SA_RESTART; or it ends it.
    TURN_RESTARTS = -1,
    TURN_INTERRUPTS = -2,
};

#endif

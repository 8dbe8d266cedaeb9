/* What the loads share: blocks that are counted, random numbers for each thread, and time. */
#ifndef LOADS_H
#define LOADS_H

#include "count.h"

enum {
    SLOTS = 4096, /* blocks that a thread may hold */
    MS = 1 << 21, /* a millisecond of the processor's counter, as the heap takes it (arch_clock) */
    US = MS / 1000,
};

/* A turn is what a thread does before the next one's turn; a load says how many it takes until all is as it will be, and how
 * many are counted then.  An operation is one block taken (and freed), or, where `a_turn_is_one`, a turn. */
typedef struct {
    const char *name;
    void (*turn)(unsigned thread);
    unsigned warm, counted;
    uint64_t ticks; /* of the processor's counter while every thread has one turn */
    int a_turn_is_one;
} load_t;

extern const load_t loads_small[], loads_teams[], loads_overtime[]; /* up to one without a name */

extern unsigned threads; /* how many there are: 1 to COUNT_THREADS */
extern unsigned turns[COUNT_THREADS + 1]; /* how many this thread has had */
extern void *slots[COUNT_THREADS + 1][SLOTS];
extern size_t sizes[COUNT_THREADS + 1][SLOTS];
extern uint64_t pauses; /* after this turn of all, so much time passes */

/* A number below `bound`, and one from 2^low to 2^high with every octave as likely as every other. */
size_t below(unsigned thread, size_t bound);
size_t octaves(unsigned thread, unsigned low, unsigned high);

void *must(void *p); /* ends the program where it is NULL */
void *take(size_t size);
void *grow(void *p, size_t size); /* realloc: a block more is taken */
void put(unsigned thread, size_t slot, size_t size); /* frees the slot's block, and takes another one */
void drop(unsigned thread, size_t slot);
void drop_all(unsigned thread, size_t first, size_t end);

/* A wait begins: the heap may give back what is free. */
void wait_begins(void);

#endif

/* What the heap's work costs other processors, counted (tests/count.rs).  The heap is compiled with the compiler's
 * instrumentation for races, whose functions are hooks.c's: they see each write and each atomic operation.  Threads are
 * played by one: a thread is a number, and the heap's thread-locals are changed with it.  So every run counts the same,
 * the next operation is another thread's each time, and as many threads can be had as are wanted. */
#ifndef COUNT_H
#define COUNT_H

#include <stddef.h>
#include <stdint.h>

enum { COUNT_THREADS = 128 };

typedef struct {
    uint64_t atomics; /* read-modify-writes, those that fail included */
    uint64_t lines; /* writes to a cache line that another thread had written to last */
    uint64_t calls; /* system calls */
} counts_t;

extern counts_t counts;
extern unsigned count_thread; /* whose turn it is: 1 to COUNT_THREADS */
extern uint64_t count_time; /* the processor's counter, for the heap */

/* counted.c: the next operations are this thread's; a thread ends, and a later turn of its number is a new thread. */
void count_turn(unsigned thread);
void count_end(void);

#endif

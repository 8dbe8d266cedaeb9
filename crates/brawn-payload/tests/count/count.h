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
extern unsigned count_thread; /* whose turn it is: 1 to COUNT_THREADS; 0: the program's first thread, which starts the others */
extern uint64_t count_time; /* the processor's counter, for the heap */

/* The heap's thread-locals, of which each thread has its own: the linker's names for the section that counted.c puts them into. */
extern char count_locals_begin[] __asm__("__start_count_locals"), count_locals_end[] __asm__("__stop_count_locals");

/* counted.c: the next operations are this thread's; a thread ends, and a later turn of its number is a new thread. */
void count_turn(unsigned thread);
void count_end(void);

/* hooks.c: memory that is the kernel's own again has been written to by nobody; and memory that moves is as it was. */
void count_forget(uintptr_t from, size_t size);
void count_move(uintptr_t from, uintptr_t to, size_t size);

#endif

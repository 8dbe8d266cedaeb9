// What a rewritten program needs so that it can use a heap that it was not linked with: a start that runs before the
// program's own, and the heap's part of a thread's end, of which musl knows nothing.  It also defines the few
// functions of libc that the heap calls, since the program need not contain libc's own.
//
// The start needs nothing but the stack that the kernel gave: libc has not been set up, a static-pie is not relocated,
// thread-locals do not exist.

#include "../libc/libc.h"

// The program's own: its former entry point (start.h), and __pthread_tsd_run_dtors.
HIDDEN void brawn_host_tsd_run_dtors(void);

// Words of a position-independent program that hold addresses, were moved, and are not relocated by the program itself:
// their number, then for each word its place and its value, both relative to the table.
extern HIDDEN const int64_t brawn_attach_table[];

// The first stack as the kernel wrote it (System V ABI, "Process Initialization").
HIDDEN char **__environ;
static const unsigned long *auxiliary;

// Called by brawn_attach_start (start.h) with the stack pointer that the kernel gave.
HIDDEN __attribute__((used)) void brawn_attach_begin(const unsigned long *stack) {
    const unsigned long arguments = stack[0];
    const unsigned long *word = stack + 1 + arguments + 1;
    __environ = (char **)word;
    while (*word != 0) word++;
    auxiliary = word + 1;
    uintptr_t table = (uintptr_t)brawn_attach_table;
    __asm__("" : "+r"(table));  // the words at these distances are not part of the table: the compiler must not conclude that there are none
    const int64_t *entry = (const int64_t *)table;
    for (int64_t left = *entry++; left > 0; left--, entry += 2) *(uintptr_t *)(table + entry[0]) = table + entry[1];
}

// As libc's, except that it does not set errno, which the heap must not change.  <elf.h>: pairs of a type and a value,
// the last of type 0.
HIDDEN unsigned long getauxval(unsigned long type) {
    for (const unsigned long *entry = auxiliary; entry[0] != 0; entry += 2) {
        if (entry[0] == type) return entry[1];
    }
    return 0;
}

// The heap's only key. Each thread's value of it is a thread-local, so the program can use all of its 128 keys.
static void (*destructor)(void *);
static __thread void *value;

HIDDEN int pthread_key_create(unsigned *key, void (*at_exit)(void *)) {
    *key = 0;
    destructor = at_exit;
    return 0;
}

HIDDEN int pthread_setspecific(unsigned key, const void *given) {
    (void)key;
    value = (void *)given;
    return 0;
}

// Replaces __pthread_tsd_run_dtors, which __pthread_exit calls when a thread ends.  The heap's destructor waits for a
// later round by setting its value again (heap/threads.c). Here no destructor of the program follows any more, so it is
// called until it does not ask for another round.
HIDDEN void brawn_attach_thread_exit(void) {
    brawn_host_tsd_run_dtors();
    for (void *given = value; given != NULL; given = value) {
        value = NULL;
        destructor(given);
    }
}

#include "start.h"

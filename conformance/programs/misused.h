/* What the programs of the misuse set share: a child for each kind of misuse and size, and what became of it.
 * A child is tried several times, since a heap may place blocks at random; once under an emulator, where a child is
 * slow and only has to end in one of both ways.  It prints how often the child was
 * ended by a signal: a child that goes on to its end noticed nothing. */
#ifndef MISUSED_H
#define MISUSED_H

#include "child.h"

enum { TRIES = 4 };
static const size_t misused_sizes[] = {8, 4096, 40000, 262144};
enum { MISUSED_SIZES = sizeof misused_sizes / sizeof *misused_sizes };

/* What a program does after its mistake: it goes on to allocate and to free. */
static void goes_on(size_t n) {
    void *some[40];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 40; i++) some[i] = block(n);
        for (int i = 0; i < 40; i++) free(some[i]);
    }
}

static void (*mistake)(size_t);
static size_t goes_on_with; /* blocks of so many bytes; 0: of the number that the kind is called with */

static void mistaken(size_t n) {
    /* glibc says on descriptor 2 what it found. */
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    mistake(n);
    goes_on(goes_on_with ? goes_on_with : n);
}

static void misused_at(const char *kind, void (*misuse)(size_t), const size_t *numbers, int count) {
    mistake = misuse;
    for (int i = 0; i < count; i++) {
        int found = 0;
        for (int k = check_emulated() ? TRIES - 1 : 0; k < TRIES; k++) found += ended(mistaken, numbers[i]);
        printf("measure %s-%zu %d\n", kind, numbers[i], found);
    }
}
__attribute__((unused)) static void misused(const char *kind, void (*misuse)(size_t)) {
    misused_at(kind, misuse, misused_sizes, MISUSED_SIZES);
}

#endif

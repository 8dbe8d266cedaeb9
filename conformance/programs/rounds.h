/* What a program frees and takes again in rounds: page faults are counted. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "check.h"
#include <sys/resource.h>
#include <time.h>

enum {
    KIB = 1 << 10,
    MIB = 1 << 20,
    FIRST_ROUNDS = 6,
    ROUNDS = 60,
};

static long faults(void) {
    struct rusage usage;
    NEED(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_minflt;
}

/* The first rounds show the heap what goes round.  All others together take no more faults than three rounds whose every byte is new, and one more
 * for each second that they take: the heap forgets half in a second, which comes back once. */
static void rounds(void (*round)(void), size_t bytes) {
    for (int i = 0; i < FIRST_ROUNDS; i++) round();
    struct timespec begin, end;
    const long before = faults();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < ROUNDS; i++) round();
    clock_gettime(CLOCK_MONOTONIC, &end);
    const long took = faults() - before, most = (3 + end.tv_sec - begin.tv_sec) * (long)(bytes / 4096);
    CHECK(took <= most, "%ld page faults in %d rounds, expected at most %ld", took, ROUNDS, most);
}

#endif

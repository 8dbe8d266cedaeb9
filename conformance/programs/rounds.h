/* What a program frees and takes again in rounds: page faults are counted. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "check.h"
#include <sys/resource.h>

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

/* The first rounds show the heap what goes round.  All others together take no more faults than three rounds whose every byte is new: what the
 * heap forgets in a second comes back once. */
static void rounds(void (*round)(void), size_t bytes) {
    for (int i = 0; i < FIRST_ROUNDS; i++) round();
    const long before = faults(), most = (long)(3 * bytes / 4096);
    for (int i = 0; i < ROUNDS; i++) round();
    const long took = faults() - before;
    CHECK(took <= most, "%ld page faults in %d rounds, expected at most %ld", took, ROUNDS, most);
}

#endif

/* Copies LENGTH bytes again and again. */
#include "turns.h"
#include <string.h>

#ifndef LENGTH
#define LENGTH 48
#endif

static char from[65536], to[65536];

int main(void) {
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    begin(500);
    while (goes_on()) copy(to, from, LENGTH);
    return 0;
}

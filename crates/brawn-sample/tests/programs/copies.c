/* Copies LENGTH bytes again and again. */
#include <string.h>

#ifndef LENGTH
#define LENGTH 48
#endif

static char from[65536], to[65536];

int main(void) {
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    for (long i = 0; i < 8000000000L / (LENGTH + 512); i++)
        copy(to, from, LENGTH);
    return 0;
}

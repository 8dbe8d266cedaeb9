/* An exact amount of work: spin STEPS, each of which waits for the one before.  Built with EXTRA, it does that many
 * percent more.  The number is in memory, so that the code of both builds is the same. */
#include <stdlib.h>

#ifndef EXTRA
#define EXTRA 0
#endif

static volatile unsigned long extra = EXTRA;
static volatile unsigned long kept;

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    unsigned long steps = strtoul(argv[1], 0, 10);
    unsigned long value = 1;
    for (steps += steps / 100 * extra; steps; steps--) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    kept = value;
    return 0;
}

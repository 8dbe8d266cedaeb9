/* Copies, fills and searches of 1 to 4096 bytes: bytes ROUNDS
 *
 * The functions are called through pointers that the compiler may not look through, so that none of
 * them becomes code in place. */
#include "workload.h"

static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile fill)(void *, int, size_t) = memset;
static int (*volatile compare)(const void *, const void *, size_t) = memcmp;
static void *(*volatile find)(const void *, int, size_t) = memchr;
static size_t (*volatile length)(const char *) = strlen;

int main(int argc, char **argv) {
    static char from[4200], to[4200];
    long rounds = argument(argc, argv, 1, 1000000);
    uint64_t state = random_state(7), sum = 0, begin = now_ns();
    for (long i = 0; i < rounds; i++) {
        size_t n = random_log_uniform(&state, 0, 12);
        if (n > 4096) n = 4096;
        size_t at = random_below(&state, 64);
        fill(from + at, 'a', n);
        copy(to + at, from + at, n);
        to[at + n] = 0;
        sum += (uint64_t)(compare(from + at, to + at, n) == 0);
        sum += (uint64_t)(find(to + at, 'b', n) == 0);
        sum += length(to + at);
    }
    uint64_t wall = now_ns() - begin;
    double operations = 5.0 * (double)rounds;
    report((double)wall / operations, wall, operations, "sum=%llu", (unsigned long long)sum);
    return 0;
}

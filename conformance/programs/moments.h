/* Moments that waits end at. */
#ifndef MOMENTS_H
#define MOMENTS_H

#include <time.h>

/* So many milliseconds from now on. */
static struct timespec in(clockid_t clock, long ms) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

#endif

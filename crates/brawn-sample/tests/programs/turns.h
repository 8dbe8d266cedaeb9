// How long a program runs: as long on a fast machine as on a slow one, so that each run gives as many samples. The kernel
// says when the time is over. A program that asked for it would be seen asking too often: where processors are scarce, the
// kernel takes them away at such calls.
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t is_over;

static void is_over_now(int number) {
    (void)number;
    is_over = 1;
}

// From here on goes_on() is true until the process has had so many milliseconds of a processor.
static inline void begin(int milliseconds) {
    struct itimerval time = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    is_over = 0;
    signal(SIGPROF, is_over_now);
    setitimer(ITIMER_PROF, &time, 0);
}

static inline int goes_on(void) { return !is_over; }

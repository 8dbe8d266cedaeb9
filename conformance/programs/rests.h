/* A load whose memory is free before a wait, for the programs that look at what is given back then. */
#pragma once
#include "check.h"
#include <poll.h>
#include <pthread.h>

/* Blocks of some sizes, 48 MiB in all: pages, spans, and mappings of their own. */
enum { BLOCKS = 12000 };
static void *blocks[BLOCKS];
static const size_t sizes[] = {100, 1000, 5000, 40, 300, 20000, 2000, 4000};
__attribute__((unused)) static void load(void) {
    for (int i = 0; i < BLOCKS; i++) {
        size_t n = sizes[i % 8];
        NEED(blocks[i] = malloc(n));
        memset(blocks[i], i, n);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    void *large = malloc(1 << 20);
    NEED(large);
    memset(large, 1, 1 << 20);
    free(large);
}
enum {
    LOAD = 45000,
    LEFT = 6000,
}; /* KiB */

static int shows_memory(void) {
    /* Emulated: the kernel counts the emulator's memory. */
    return !check_emulated();
}
static long resident(void) { return check_own_memory(); }

/* As many waits as it takes: turns may take only a small part of all time.  So where the machine stopped a turn in its middle, or another
 * thread has just had one, the next one comes late. */
__attribute__((unused)) static int is_back(long before, long most) {
    for (int i = 0; i < CHECK_WAITS(20) && resident() - before >= most; i++) poll(NULL, 0, 20);
    return resident() - before < most;
}

__attribute__((unused)) static void wait_poll(void) { CHECK_SAME(poll(NULL, 0, 20), 0); }
__attribute__((unused)) static void run_thread(void *(*run)(void *), void *argument) {
    pthread_t t;
    NEED(pthread_create(&t, NULL, run, argument) == 0);
    NEED(pthread_join(t, NULL) == 0);
}

/* With the options `options`: the heap reads them at the start of a program. */
static int has_options(const char *options) {
    const char *now = getenv("BRAWN_OPTIONS");
    if (check_emulated()) return 1; /* without them: the emulator alone can start this program */
    if (now && strcmp(now, options) == 0) return 1;
    static char line[4096];
    static char *arguments[3] = {line, NULL, NULL};
    int file = open("/proc/self/cmdline", O_RDONLY);
    NEED(read(file, line, sizeof line - 1) > 0);
    close(file);
    arguments[1] = line + strlen(line) + 1;
    setenv("BRAWN_OPTIONS", options, 1);
    execv("/proc/self/exe", arguments);
    check_say("/proc/self/exe cannot be started (errno %d)\n", errno);
    _exit(2);
}

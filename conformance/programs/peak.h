/* The most memory that the process had at once, as the kernel knows it. */
#ifndef PEAK_H
#define PEAK_H

#include "check.h"
#include <sched.h>
#include <sys/prctl.h>

/* In KiB: by how much two answers of the kernel may differ where nothing else changed.  Since Linux 6.2 each processor counts some pages by
 * itself before it adds them, 32 or two for each processor that there is.  So the process stays on one of them. */
static long peak_inexact;

__attribute__((unused)) static long peak(void) {
    if (!peak_inexact) {
        char text[256] = {0};
        int file = open("/sys/devices/system/cpu/online", O_RDONLY);
        ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
        close(file);
        /* As in "0-3,8-63". */
        char *last = text;
        for (char *at = text; length > 0 && *at; at++)
            if (*at == '-' || *at == ',') last = at + 1;
        const long processors = atol(last) + 1, pages = processors > 16 ? 2 * processors : 32;
        peak_inexact = 2 * pages * (sysconf(_SC_PAGESIZE) / 1024);
        unsigned long mask[128] = {0};
        for (int i = 0; i < 8192 && sched_getaffinity(0, sizeof mask, (cpu_set_t *)mask) == 0; i++) {
            if (!(mask[i / 64] >> i % 64 & 1)) continue;
            memset(mask, 0, sizeof mask);
            mask[i / 64] = 1ul << i % 64;
            sched_setaffinity(0, sizeof mask, (cpu_set_t *)mask);
            break;
        }
        /* One huge page is as much as some of the bounds. */
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    return check_status("VmHWM:");
}

/* That the most since `before`, an answer of peak, is less than `more` KiB more. */
#define CHECK_PEAK(before, more)                                                                                             \
    do {                                                                                                                     \
        long check_most = peak();                                                                                            \
        CHECK(check_most < (before) + (more) + peak_inexact, "%ld KiB at most, before %ld KiB", check_most, (long)(before)); \
    } while (0)

#endif

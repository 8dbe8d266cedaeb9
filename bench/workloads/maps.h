/* Reads /proc/self/smaps and /proc/self/status with system calls and a buffer that is no part of
 * the heap: looking at memory must not change it. */
#ifndef BRAWN_BENCH_MAPS_H
#define BRAWN_BENCH_MAPS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {
    unsigned long writable_kb; /* private, writable, without the stack */
    unsigned long private_kb; /* private, whatever its access: reservations too */
    unsigned long rss_kb; /* resident now, from the page tables, all mappings */
    unsigned long dirty_kb; /* of these, private pages that were written */
};

static inline char *read_whole(const char *path, char *buffer, size_t capacity) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    size_t used = 0;
    for (;;) {
        ssize_t n = read(fd, buffer + used, capacity - 1 - used);
        if (n <= 0 || used + (size_t)n == capacity - 1) break;
        used += (size_t)n;
    }
    close(fd);
    buffer[used] = 0;
    return buffer;
}

/* Gives 0 where the file cannot be read. */
static inline int read_memory(struct memory *m) {
    static char buffer[65536];
    memset(m, 0, sizeof *m);
    char *line = read_whole("/proc/self/smaps", buffer, sizeof buffer);
    if (!line) return 0;
    while (*line) {
        char *next = strchr(line, '\n');
        if (next) *next++ = 0;
        else next = line + strlen(line);
        char *end;
        unsigned long begin = strtoul(line, &end, 16);
        if (end != line && *end == '-') {
            /* "begin-end rwxp offset device inode path" */
            unsigned long kb = (strtoul(end + 1, &end, 16) - begin) / 1024;
            if (end[4] == 'p') {
                m->private_kb += kb;
                if (end[2] == 'w' && !strstr(end, "[stack]")) m->writable_kb += kb;
            }
        } else if (!strncmp(line, "Rss:", 4)) {
            m->rss_kb += strtoul(line + 4, 0, 10);
        } else if (!strncmp(line, "Private_Dirty:", 14)) {
            m->dirty_kb += strtoul(line + 14, 0, 10);
        }
        line = next;
    }
    return 1;
}

/* Peak resident memory in KiB: 0 where it is unknown.  Linux adds up the processors' counters when
 * this file is read, but not when it keeps a peak that has passed; such a peak is exact to some
 * hundred KiB. */
static inline unsigned long peak_rss_kb(void) {
    static char buffer[4096];
    char *text = read_whole("/proc/self/status", buffer, sizeof buffer);
    char *line = text ? strstr(text, "VmHWM:") : 0;
    return line ? strtoul(line + 6, 0, 10) : 0;
}

#endif

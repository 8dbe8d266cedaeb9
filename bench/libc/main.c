/* libc [--milliseconds N] [--list] [FAMILY [NAME...]]: times every row, or those of one family, or those of it with these names.
 *
 * For each row it finds how often it must run to take N milliseconds (default 2; ten times that
 * for rows that begin threads), runs it so five times, and prints
 *     row FAMILY NANOSECONDS NAME
 * with the least time of one operation: what else the machine does only ever adds time. */
#include "bench.h"
#include <time.h>
#include <unistd.h>

static Row *rows, **last = &rows;

void add_row(Row *row) {
    *last = row;
    last = &row->next;
}

static char temporary[512] = "/tmp/";

/* The same rows whatever the user has in the environment. */
__attribute__((constructor(120))) static void settle(void) {
    const char *folder = getenv("TMPDIR");
    if (folder && strlen(folder) < 400) snprintf(temporary, sizeof temporary, "%s/", folder);
    strcat(temporary, "bench-XXXXXX");
    clearenv();
    setenv("PATH", "/usr/bin:/bin", 1);
}

int open_temporary(void) {
    char name[sizeof temporary];
    strcpy(name, temporary);
    int fd = mkstemp(name);
    if (fd >= 0) unlink(name);
    return fd;
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t timed(Row *row, long n) {
    uint64_t start = now();
    row->run(n);
    return now() - start;
}

/* A run that takes less than half a slice is not counted: it was meant to take a whole one, and a wrong guess, as after a
 * pause of the machine, made it so short that beginning and ending it is most of its time. */
static double least(Row *row, uint64_t slice) {
    double best = 0;
    long n = 1;
    /* Beginning threads takes longer than a slice where the machine is busy: it must be little beside their work. */
    if (row->begins_threads) n = 1024, slice *= 10;
    for (int counted = 0; counted < 5;) {
        uint64_t took = timed(row, n);
        if (took < slice / 2) {
            n = took < slice / 64 ? n * 16 : n * 2;
            continue;
        }
        double each = (double)took / (double)n;
        if (!counted++ || each < best) best = each;
        if (took > slice * 2 && n > 1) n /= 2;
    }
    return best;
}

static int is_named(const char *name, char **names) {
    if (!*names) return 1;
    for (; *names; names++)
        if (!strcmp(name, *names)) return 1;
    return 0;
}

int main(int argc, char **argv) {
    uint64_t slice = 2000000;
    char **asked = argv + 1;
    for (; *asked && !strncmp(*asked, "--", 2); asked++) {
        if (!strcmp(*asked, "--list")) slice = 0;
        else if (asked[1]) slice = strtoull(*++asked, 0, 10) * 1000000;
    }
    for (Row *row = rows; row; row = row->next) {
        if (*asked && (strcmp(*asked, row->family) || !is_named(row->name, asked + 1))) continue;
        printf("row %s %.4f %s\n", row->family, slice ? least(row, slice) : 0.0, row->name);
        fflush(stdout);
    }
    return 0;
}

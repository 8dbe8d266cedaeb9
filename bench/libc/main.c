/* libc [--milliseconds N] [--list] [FAMILY [NAME...]]: times every row, or those of one family, or those of it with these names.
 *
 * For each row it finds how often it must run to take N milliseconds (default 1; ten times that
 * for rows that begin threads), which is a slice.  It runs all rows for a slice each, ten times over, and prints
 *     row FAMILY NANOSECONDS NAME
 * with the least time of one operation: what else the machine does only ever adds time.  That often lasts longer than
 * ten slices, so the slices of a row do not follow each other. */
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

/* Runs it for a slice.  A run that takes less than half a slice is not counted: it was meant to take a whole one, and a wrong
 * guess, as after a pause of the machine, made it so short that beginning and ending it is most of its time. */
static void run_slice(Row *row, uint64_t slice) {
    /* Beginning threads takes longer than a slice where the machine is busy: it must be little beside their work. */
    if (row->begins_threads) slice *= 10;
    if (!row->count) row->count = row->begins_threads ? 1024 : 1;
    uint64_t took;
    while ((took = timed(row, row->count)) < slice / 2) row->count *= took < slice / 64 ? 16 : 2;
    double each = (double)took / (double)row->count;
    if (row->least == 0 || each < row->least) row->least = each;
    if (took > slice * 2 && row->count > 1) row->count /= 2;
}

static int is_named(const char *name, char **names) {
    if (!*names) return 1;
    for (; *names; names++)
        if (!strcmp(name, *names)) return 1;
    return 0;
}

int main(int argc, char **argv) {
    uint64_t slice = 1000000;
    char **asked = argv + 1;
    for (; *asked && !strncmp(*asked, "--", 2); asked++) {
        if (!strcmp(*asked, "--list")) slice = 0;
        else if (asked[1]) slice = strtoull(*++asked, 0, 10) * 1000000;
    }
    for (Row *row = rows, **kept = &rows; row; row = row->next) {
        if (*asked && (strcmp(*asked, row->family) || !is_named(row->name, asked + 1))) *kept = row->next;
        else kept = &row->next;
    }
    for (int pass = 0; slice && pass < 10; pass++)
        for (Row *row = rows; row; row = row->next) run_slice(row, slice);
    for (Row *row = rows; row; row = row->next) printf("row %s %.4f %s\n", row->family, row->least, row->name);
    return 0;
}

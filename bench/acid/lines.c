/* lines FILE COUNT: writes COUNT lines to FILE, reads them, sorts them, writes them again.
 *
 * Felt: fprintf, getline, strdup, qsort with strcmp and with numbers, fputs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int by_number(const void *a, const void *b) {
    unsigned long x = strtoul(strrchr(*(char *const *)a, '\t') + 1, 0, 10), y = strtoul(strrchr(*(char *const *)b, '\t') + 1, 0, 10);
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    long count = atol(argv[2]);
    uint64_t state = 88172645463325252u;
    FILE *f = fopen(argv[1], "w+");
    if (!f) return 1;
    for (long i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        fprintf(f, "%s/%08lx\t%ld\t%lu\n", state & 1 ? "usr/lib" : "home", (unsigned long)(state >> 32), i, (unsigned long)(state % 1000003));
    }
    rewind(f);
    char **all = malloc((size_t)count * sizeof *all), *line = 0;
    size_t room = 0;
    long n = 0;
    while (getline(&line, &room, f) > 0 && n < count) all[n++] = strdup(line);
    qsort(all, (size_t)n, sizeof *all, by_text);
    unsigned long sum = 0;
    for (long i = 0; i < n; i++) sum = sum * 31 + (unsigned char)all[i][5];
    qsort(all, (size_t)n, sizeof *all, by_number);
    rewind(f);
    for (long i = 0; i < n; i++) fputs(all[i], f);
    for (long i = 0; i < n; i += 1000) sum = sum * 31 + strtoul(strrchr(all[i], '\t') + 1, 0, 10);
    for (long i = 0; i < n; i++) free(all[i]);
    if (fclose(f)) return 1;
    remove(argv[1]);
    printf("%ld lines, sum %lx\n", n, sum);
    return 0;
}

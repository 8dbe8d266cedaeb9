/* Streams: short reads, long ones, seeks; and other functions that ask the kernel or the environment. */
#include "edges.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

static FILE *file, *zero, *null;
static char block[100000], *line;
static size_t room;

PREPARE {
    file = fdopen(open_temporary(), "w+");
    if (!file) abort();
    for (int i = 0; i < 100000; i++) putc(i % 81 == 80 ? '\n' : 'a' + i % 26, file);
    zero = fopen("/dev/zero", "r");
    null = fopen("/dev/null", "w");
    for (int i = 0; i < 50; i++) {
        char name[20];
        snprintf(name, sizeof name, "EDGE_%d", i);
        setenv(name, "value", 1);
    }
}

#define SIZED(n)                                                           \
    EDGE("stdio", "fread, " #n " B") { KEEP(fread(block, 1, n, zero)); }   \
    EDGE("stdio", "fwrite, " #n " B") { KEEP(fwrite(block, 1, n, null)); } \
    EDGE("stdio", "fseek, then fread, " #n " B") {                         \
        fseek(file, 100, SEEK_SET);                                        \
        KEEP(fread(block, 1, n, file));                                    \
    }
SIZED(0)
SIZED(1)
SIZED(100)
SIZED(4095)
SIZED(4096)
SIZED(4097)
SIZED(100000)
EDGE("stdio", "fseek to 1,000 and ftell") {
    fseek(file, 1000, SEEK_SET);
    KEEP(ftell(file));
}
EDGE("stdio", "fseek by 10 and ftell") {
    fseek(file, 1000, SEEK_SET);
    KEEP(getc(file));
    fseek(file, 10, SEEK_CUR);
    KEEP(ftell(file));
}
EDGE("stdio", "fseek to the end and ftell") {
    fseek(file, 0, SEEK_END);
    KEEP(ftell(file));
}
EDGE("stdio", "ftell after getc") {
    rewind(file);
    KEEP(getc(file));
    KEEP(ftell(file));
}
EDGE("stdio", "getline, 80 letters, 1,000 times") {
    rewind(file);
    for (int i = 0; i < 1000; i++) KEEP(getline(&line, &room, file));
}
EDGE("stdio", "fgets, 80 letters, 1,000 times") {
    rewind(file);
    for (int i = 0; i < 1000; i++) KEEP(fgets(block, 200, file));
}
EDGE("stdio", "fgets of 2 B, 1,000 times") {
    rewind(file);
    for (int i = 0; i < 1000; i++) KEEP(fgets(block, 2, file));
}
EDGE("stdio", "getc and ungetc, 1,000 times") {
    rewind(file);
    for (int i = 0; i < 1000; i++) ungetc(getc(file), file), getc(file);
}
EDGE("stdio", "fscanf %s, then rewind") {
    rewind(file);
    KEEP(fscanf(file, "%100s", block));
}
EDGE("stdio", "fputs of nothing") { KEEP(fputs("", null)); }
EDGE("stdio", "fputs, 10,000 B") {
    static char long_text[10001];
    if (!*long_text) memset(long_text, 'x', 10000);
    KEEP(fputs(long_text, null));
}
EDGE("stdio", "fprintf %s of nothing") { KEEP(fprintf(null, "%s", "")); }
EDGE("stdio", "fprintf %1000d") { KEEP(fprintf(null, "%1000d", 7)); }
EDGE("stdio", "fflush of nothing") { KEEP(fflush(null)); }
EDGE("stdio", "puts of unbuffered") {
    setvbuf(null, 0, _IONBF, 0);
    KEEP(fputs("words", null));
    setvbuf(null, 0, _IOFBF, 0);
}
EDGE("stdio", "feof and ferror") { KEEP(feof(file) + ferror(file)); }
EDGE("other", "getenv of the last of 50") { GIVEN("EDGE_49", getenv(x)); }
EDGE("other", "getenv of none of 50") { GIVEN("EDGE_50", getenv(x)); }
EDGE("other", "setenv, there already") { KEEP(setenv("EDGE_25", "other", 1)); }
EDGE("other", "setenv, kept") { KEEP(setenv("EDGE_25", "other", 0)); }
EDGE("other", "setenv and unsetenv, new") {
    KEEP(setenv("EDGE_NEW", "value", 1));
    KEEP(unsetenv("EDGE_NEW"));
}

static int by_int(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int by_char(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}
static int numbers[100000];
#define SORTED(n, what, value)                          \
    EDGE("sort", "qsort of " #n ", " what) {            \
        for (int i = 0; i < n; i++) numbers[i] = value; \
        qsort(numbers, n, sizeof *numbers, by_int);     \
        KEEP(numbers[0]);                               \
    }
SORTED(0, "nothing", i)
SORTED(1, "one", i)
SORTED(2, "two", -i)
SORTED(7, "turned", -i)
SORTED(1000, "sorted", i)
SORTED(1000, "turned", -i)
SORTED(1000, "all alike", 5 + i * 0)
SORTED(1000, "0 and 1", i & 1)
SORTED(1000, "up and down", i < 500 ? i : 1000 - i)
SORTED(1000, "sorted but the last", i == 999 ? 0 : i)
SORTED(100000, "scattered", (int)((unsigned)i * 2654435761u >> 8))
EDGE("sort", "qsort of 1,000 of 1 B") {
    for (int i = 0; i < 1000; i++) block[i] = (char)(i * 37);
    qsort(block, 1000, 1, by_char);
    KEEP(block[0]);
}
EDGE("sort", "qsort of 100 of 1,000 B") {
    for (int i = 0; i < 100; i++) block[i * 1000] = (char)(i * 37);
    qsort(block, 100, 1000, by_char);
    KEEP(block[0]);
}
/* By its address: glibc's header has it inline. */
static void *(*volatile search)(const void *, const void *, size_t, size_t, int (*)(const void *, const void *)) = bsearch;
EDGE("sort", "bsearch in nothing") { KEEP(search(&(int){5}, numbers, 0, sizeof *numbers, by_int)); }
EDGE("sort", "bsearch in one") { KEEP(search(&(int){5}, numbers, 1, sizeof *numbers, by_int)); }

#define DATE(what, when)                        \
    EDGE("time", "gmtime_r, " what) {           \
        time_t t = when;                        \
        HIDE(t);                                \
        KEEP(gmtime_r(&t, &(struct tm){0}));    \
    }                                           \
    EDGE("time", "localtime_r, " what) {        \
        time_t t = when;                        \
        HIDE(t);                                \
        KEEP(localtime_r(&t, &(struct tm){0})); \
    }
DATE("0", 0)
DATE("-1", -1)
DATE("the year 9999", 253402300799)
DATE("the year -5000", -220000000000)
DATE("too far", INT64_MAX)
#define MOMENT(what, ...)            \
    EDGE("time", "timegm, " what) {  \
        struct tm t = {__VA_ARGS__}; \
        KEEP((int)timegm(&t));       \
    }                                \
    EDGE("time", "mktime, " what) {  \
        struct tm t = {__VA_ARGS__}; \
        KEEP((int)mktime(&t));       \
    }
MOMENT("1970", .tm_mday = 1, .tm_year = 70)
MOMENT("the 400th day", .tm_mday = 400, .tm_year = 70)
MOMENT("the -20th month", .tm_mday = 1, .tm_mon = -20, .tm_year = 170)
EDGE("time", "strftime %c, no room") { KEEP(strftime(block, 5, "%c", &(struct tm){.tm_mday = 1})); }
EDGE("time", "strftime of 20 directives") {
    KEEP(strftime(block, 1000, "%Y%m%d%H%M%S%j%U%w%y%Y%m%d%H%M%S%j%U%w%y", &(struct tm){.tm_mday = 1, .tm_year = 99}));
}
EDGE("time", "asctime_r") { KEEP(asctime_r(&(struct tm){.tm_mday = 1, .tm_year = 99}, block)); }

// Holds the functions of payload/libc/time against the musl that this is linked with, over generated dates, zones and formats.
//
//     time [glance|long]
//
// The functions come under their own names, brawn_NAME (-DBRAWN_MEMORY_UNNAMED).  Prints what it did; wrong answers
// end it with 1, with the function, the arguments and both results.
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long rounds = 100000, trials;
static int wrong;

static uint64_t random_bits(void) {
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

extern size_t brawn_strftime(char *, size_t, const char *, const struct tm *);
extern size_t brawn_strftime_l(char *, size_t, const char *, const struct tm *, locale_t);

static const char CONVERSIONS[] = "aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%";

static void write_one(const char *format, const struct tm *date, size_t size, locale_t locale) {
    char ours[400], musls[400];
    memset(ours, '#', sizeof ours);
    memset(musls, '#', sizeof musls);
    size_t our_length = locale ? brawn_strftime_l(ours, size, format, date, locale) : brawn_strftime(ours, size, format, date);
    size_t musls_length = locale ? strftime_l(musls, size, format, date, locale) : strftime(musls, size, format, date);
    trials++;
    if (our_length != musls_length || memcmp(ours, musls, sizeof ours) != 0) {
        ours[399] = musls[399] = 0;
        printf("time: strftime of \"%s\" with %zu bytes, year %d: %zu \"%s\", and musl's %zu \"%s\"\n", format, size,
            date->tm_year, our_length, ours, musls_length, musls);
        if (++wrong >= 20) exit(1);
    }
}

static void some_format(char *format) {
    int parts = 1 + (int)(random_bits() % 5);
    for (int i = 0; i < parts; i++) {
        if (random_bits() % 4 == 0) format += sprintf(format, "%s", random_bits() % 2 ? " at " : "-");
        *format++ = '%';
        if (random_bits() % 4 == 0) *format++ = "-_0"[random_bits() % 3];
        if (random_bits() % 6 == 0) *format++ = '+';
        if (random_bits() % 6 == 0) format += sprintf(format, "%d", (int)(random_bits() % 12));
        if (random_bits() % 8 == 0) *format++ = "EO"[random_bits() % 2];
        *format++ = random_bits() % 50 ? CONVERSIONS[random_bits() % (sizeof CONVERSIONS - 1)] : 'q';
    }
    *format = 0;
}

static void some_date(struct tm *date) {
    time_t when = (time_t)(random_bits() % 8 ? random_bits() % 4102444800 : random_bits() >> 10) - 1000000;
    if (random_bits() % 2 ? !gmtime_r(&when, date) : !localtime_r(&when, date)) memset(date, 0, sizeof *date);
    // What no calendar has.
    if (random_bits() % 8 == 0) {
        int *field = &date->tm_sec + random_bits() % 9;
        *field = random_bits() % 2 ? (int)random_bits() : (int)(random_bits() % 400) - 200;
    }
    if (random_bits() % 16 == 0) date->tm_year = (int)(random_bits() % 24000) - 12000;
    if (random_bits() % 16 == 0) date->tm_gmtoff = (long)(random_bits() % 200000) - 100000;
}

extern time_t brawn_time(time_t *to);
extern int brawn_clock_getres(clockid_t clock, struct timespec *resolution);

// Also of clocks that are none, and of those of processes and files.
static void resolutions(void) {
    for (int clock = -100; clock < 100; clock++) {
        struct timespec ours = {7, 7}, musls = {7, 7};
        errno = 0;
        const int result = brawn_clock_getres(clock, &ours), error = errno;
        errno = 0;
        const int musls_result = clock_getres(clock, &musls);
        const int unasked = brawn_clock_getres(clock, 0);
        if (result != musls_result || error != errno || memcmp(&ours, &musls, sizeof ours) != 0 || unasked != musls_result) {
            printf("time: clock_getres of %d: %d, errno %d, %ld.%09ld, without a place %d, and musl's %d, %d, %ld.%09ld\n", clock, result, error,
                (long)ours.tv_sec, ours.tv_nsec, unasked, musls_result, errno, (long)musls.tv_sec, musls.tv_nsec);
            if (++wrong >= 20) exit(1);
        }
        trials++;
    }
}

// The kernel's own answer before and after: the coarse clock lies between them, and is never ahead of the fine one.
static void telling(void) {
    for (int i = 0; i < 1000; i++) {
        struct timespec coarse;
        syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &coarse);
        time_t stored = -1, now = brawn_time(i % 2 ? &stored : 0), after = time(0);
        if (now < coarse.tv_sec || now > after || (i % 2 && stored != now)) {
            printf("time: time: %lld, stored %lld, expected from %lld to %lld\n", (long long)now, (long long)stored,
                (long long)coarse.tv_sec, (long long)after);
            if (++wrong >= 20) exit(1);
        }
        trials++;
    }
}

extern char *brawn_asctime_r(const struct tm *, char *);

// Up to the years, days and names that the text has room for; what has no room ends the program.
static void written(void) {
    for (long i = 0; i < rounds; i++) {
        struct tm date = {0};
        char ours[64], musls[64];
        memset(ours, '#', sizeof ours);
        memset(musls, '#', sizeof musls);
        date.tm_year = (int)(random_bits() % (i % 8 ? 300 : 11000)) - (i % 8 ? 0 : 2899);
        if (date.tm_year > 8099) date.tm_year = 8099;
        date.tm_mon = (int)(random_bits() % 12);
        date.tm_mday = (int)(random_bits() % (i % 16 ? 32 : 100));
        date.tm_hour = (int)(random_bits() % (i % 16 ? 24 : 100));
        date.tm_min = (int)(random_bits() % (i % 16 ? 60 : 100));
        date.tm_sec = (int)(random_bits() % (i % 16 ? 61 : 100));
        date.tm_wday = (int)(random_bits() % 7);
        const char *const result = brawn_asctime_r(&date, ours);
        asctime_r(&date, musls);
        if (result != ours || memcmp(ours, musls, sizeof ours) != 0) {
            printf("time: asctime_r of year %d: %.40s and musl's %.40s\n", date.tm_year, ours, musls);
            if (++wrong >= 20) exit(1);
        }
        trials++;
    }
}

extern char *brawn_nl_langinfo(int);
extern char *brawn_nl_langinfo_l(int, locale_t);

static void one_word(int item, locale_t locale, const char *where) {
    const char *const ours = locale ? brawn_nl_langinfo_l(item, locale) : brawn_nl_langinfo(item);
    const char *const musls = locale ? nl_langinfo_l(item, locale) : nl_langinfo(item);
    trials++;
    if (strcmp(ours, musls) != 0) {
        printf("time: nl_langinfo of %#x, %s: \"%s\", and musl's \"%s\"\n", (unsigned)item, where, ours, musls);
        if (++wrong >= 20) exit(1);
    }
}

// A locale's file, as musl reads it from $MUSL_LOCPATH: GNU's "MO" format, of two words, sorted.
static void translation(char *folder) {
    static const struct {
        uint32_t magic, revision, count, originals, translations, hashes, at;
        struct {
            uint32_t length, at;
        } original[2], translation[2];
        char may[4], monday[8], mai[4], montag[8];
    } FILE_OF = {0x950412de, 0, 2, 28, 44, 0, 0, {{3, 60}, {6, 64}}, {{3, 72}, {6, 76}}, "May", "Monday", "Mai", "Montag"};
    char path[100];
    if (!mkdtemp(folder)) perror(folder), exit(1);
    snprintf(path, sizeof path, "%s/xx", folder);
    FILE *const f = fopen(path, "w");
    if (!f || fwrite(&FILE_OF, sizeof FILE_OF, 1, f) != 1 || fclose(f)) perror(path), exit(1);
    setenv("MUSL_LOCPATH", folder, 1);
}

// All items that there are and many that there are not, in the locales that musl makes without files, and in one of a
// file.
static void words(void) {
    static const char *const NAMES[] = {"C", "C.UTF-8", "POSIX", "zz_YY.UTF-8", "xx"};
    char folder[] = "/tmp/brawn-words-XXXXXX", path[100];
    translation(folder);
    for (int n = 0; n < 5; n++) {
        const locale_t other = newlocale(LC_ALL_MASK, NAMES[n], 0);
        const char *const global = setlocale(LC_ALL, NAMES[n]);
        for (int category = 0; category < 8; category++) {
            for (int index = -2; index < 60; index++) {
                const int item = category << 16 | (index & 0xffff);
                if (other) one_word(item, other, NAMES[n]);
                one_word(item, 0, global ? global : "as it was");
                if (!other) continue;
                uselocale(other);
                one_word(item, 0, "a thread's own");
                uselocale(LC_GLOBAL_LOCALE);
            }
        }
    }
    const locale_t translated = newlocale(LC_ALL_MASK, "xx", 0);
    if (strcmp(brawn_nl_langinfo_l(DAY_2, translated), "Montag") != 0) puts("time: nl_langinfo is not translated"), wrong++;
    setlocale(LC_ALL, "C");
    snprintf(path, sizeof path, "%s/xx", folder);
    unlink(path), rmdir(folder);
}

#include "time-zones.h"

static const char *const ZONES[] = {"UTC0", "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30", ""};

int main(int count, char **arguments) {
    if (count > 1) rounds = strcmp(arguments[1], "long") == 0 ? 10000000 : 5000;
    telling();
    resolutions();
    written();
    words();
    zones();
    locale_t plain = newlocale(LC_ALL_MASK, "C", 0);
    for (int zone = 0; zone < 4; zone++) {
        setenv("TZ", ZONES[zone], 1);
        for (long i = 0; i < rounds / 4; i++) {
            char format[100];
            struct tm date;
            some_format(format);
            some_date(&date);
            write_one(format, &date, random_bits() % 8 ? 300 : random_bits() % 40, i % 4 ? 0 : plain);
        }
    }
    printf("time: %ld trials, %d wrong\n", trials, wrong);
    return wrong != 0;
}

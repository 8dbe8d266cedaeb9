//# states: dates become numbers and text as C and POSIX say, in any zone, whenever the zone changes
//# case: text zones
//# link: static static-pie
#include "guarded.h"
#include <limits.h>
#include <pthread.h>
#include <time.h>
#include <wchar.h>

static void zone(const char *name) {
    NEED(name ? setenv("TZ", name, 1) == 0 : unsetenv("TZ") == 0);
    tzset();
}

static char to[256];
static void formats(const struct tm *date, const char *format, const char *expected) {
    memset(to, '#', sizeof to);
    size_t n = strftime(to, sizeof to, format, date);
    CHECK(n == strlen(expected) && strcmp(to, expected) == 0, "%s: \"%s\" (%zu), expected \"%s\"", format, to, n,
        expected);
    if (!n) return;
    /* The same in wide characters, which musl makes conversion by conversion. */
    wchar_t wide[256], wide_format[64];
    NEED(mbstowcs(wide_format, format, 64) < 64);
    CHECK_SAME(wcsftime(wide, 256, wide_format, date), n);
    for (size_t i = 0; i <= n; i++) CHECK(wide[i] == (wchar_t)to[i], "%s: wide %zu is %d", format, i, (int)wide[i]);
    /* With no more room than it needs, and with one byte less. */
    guard();
    CHECK_SAME(strftime(guarded_end - n - 1, n + 1, format, date), n);
    CHECK_TEXT(guarded_end - n - 1, expected);
    CHECK_SAME(strftime(guarded_end - n, n, format, date), 0);
}

static void clocks(void) {
    struct timespec before, after;
    for (int i = 0; i < 300; i++) {
        time_t stored = -5;
        clock_gettime(CLOCK_REALTIME, &before);
        time_t now = time(&stored);
        clock_gettime(CLOCK_REALTIME, &after);
        /* The second may be the kernel's, which begins up to a tick late. */
        CHECK(now == stored && now >= before.tv_sec - 1 && now <= after.tv_sec && time(NULL) >= now, "%lld",
            (long long)now);
    }
    CHECK_ERRNO(clock_gettime(12345, &before), -1, EINVAL);
    CHECK(clock_getres(CLOCK_MONOTONIC, &before) == 0 && before.tv_sec == 0 && before.tv_nsec >= 1, "%ld",
        before.tv_nsec);
    CHECK_ERRNO(clock_getres(12345, NULL), -1, EINVAL);
}

static void text(void) {
    clocks();
    zone("UTC0");
    struct tm date;
    time_t at = 1700000000;
    NEED(gmtime_r(&at, &date) == &date);
    formats(&date, "%Y-%m-%dT%H:%M:%S", "2023-11-14T22:13:20");
    formats(&date, "%a %A %b %B %h|%c", "Tue Tuesday Nov November Nov|Tue Nov 14 22:13:20 2023");
    formats(&date, "%C %d %D %e %F %g %G", "20 14 11/14/23 14 2023-11-14 23 2023");
    formats(&date, "%I %j %m %M %n %p %r %R", "10 318 11 13 \n PM 10:13:20 PM 22:13");
    formats(&date, "%s %S %t %T %u %U %V %w %W %x %X %y %z %%",
        "1700000000 20 \t 22:13:20 2 46 46 2 46 11/14/23 22:13:20 23 +0000 %");
    formats(&date, "%Ec|%EY|%Od|%OH", "Tue Nov 14 22:13:20 2023|2023|14|22");
    formats(&date, "%-d|%_H|%-j", "14|22|318");
    formats(&date, "", "");
    at = 1104537600 + 3600;
    gmtime_r(&at, &date);
    formats(&date, "%G-W%V-%u %U %W %j %e|%-e|%I", "2004-W53-6 00 00 001  1|1|01");
    at = -62167219200 - 86400;
    gmtime_r(&at, &date);
    CHECK(date.tm_year == -1901 && date.tm_mon == 11 && date.tm_mday == 31, "%d", date.tm_year);
    CHECK_SAME(timegm(&date), at);
    at = 253402300800;
    gmtime_r(&at, &date);
    CHECK(date.tm_year == 8100 && date.tm_wday == 6, "%d", date.tm_wday);
    CHECK_TEXT(asctime_r(
                   &(struct tm){
                       .tm_mday = 3, .tm_wday = 3, .tm_year = 73, .tm_mon = 8, .tm_hour = 1, .tm_min = 2, .tm_sec = 3},
                   to),
        "Wed Sep  3 01:02:03 1973\n");
    at = LLONG_MAX;
    CHECK_ERRNO(gmtime_r(&at, &date) == NULL, 1, EOVERFLOW);
    at = LLONG_MIN;
    CHECK_ERRNO(localtime_r(&at, &date) == NULL, 1, EOVERFLOW);
    date = (struct tm){.tm_year = INT_MAX, .tm_mon = 24};
    CHECK_ERRNO(mktime(&date), -1, EOVERFLOW);
    /* Out of its ranges, it is brought into them. */
    date = (struct tm){.tm_year = 120, .tm_mon = 13, .tm_mday = -1, .tm_hour = 25, .tm_min = -61, .tm_sec = 3601};
    CHECK_SAME(mktime(&date), 1612054741);
    CHECK(date.tm_mon == 0 && date.tm_mday == 31 && date.tm_hour == 0 && date.tm_wday == 0 && date.tm_yday == 30,
        "%d %d", date.tm_mday, date.tm_hour);
    memset(&date, 0, sizeof date);
    const char *end = strptime("2024-02-29 23:59:58 rest", "%Y-%m-%d %H:%M:%S", &date);
    CHECK(end && strcmp(end, " rest") == 0 && date.tm_mday == 29 && date.tm_sec == 58, "%d %d", date.tm_mday,
        date.tm_sec);
    CHECK(!strptime("2024-13-01", "%Y-%m", &date), "a 13th month");
}

static void local(time_t at, const char *expected) {
    struct tm date;
    NEED(localtime_r(&at, &date) == &date);
    strftime(to, sizeof to, "%F %T %Z %z", &date);
    CHECK(strcmp(to, expected) == 0, "%s: %lld is %s, expected %s", getenv("TZ"), (long long)at, to, expected);
    /* And back; an hour that is there twice is told by tm_isdst. */
    CHECK_SAME(mktime(&date), at);
}

static void *reads_dates(void *unused) {
    for (int i = 0; i < 2000; i++) {
        time_t at = 1700000000 + (time_t)i * 86400;
        struct tm date, other;
        localtime_r(&at, &date);
        gmtime_r(&at, &other);
        CHECK(date.tm_gmtoff == -4 * 3600 || date.tm_gmtoff == -5 * 3600, "%ld", date.tm_gmtoff);
        CHECK(timegm(&other) == at && mktime(&date) == at, "%lld", (long long)at);
    }
    return unused;
}

static void zones(void) {
    zone("EST5EDT,M3.2.0,M11.1.0");
    local(1700000000, "2023-11-14 17:13:20 EST -0500");
    local(1689000000, "2023-07-10 10:40:00 EDT -0400");
    local(1678604399, "2023-03-12 01:59:59 EST -0500");
    local(1678604400, "2023-03-12 03:00:00 EDT -0400");
    local(1699163999, "2023-11-05 01:59:59 EDT -0400");
    local(1699164000, "2023-11-05 01:00:00 EST -0500");
    local(-1, "1969-12-31 18:59:59 EST -0500");
    CHECK(timezone == 18000 && daylight && !strcmp(tzname[0], "EST") && !strcmp(tzname[1], "EDT"), "%ld", timezone);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) NEED(pthread_create(&threads[i], NULL, reads_dates, NULL) == 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    zone("<+0530>-5:30");
    local(1700000000, "2023-11-15 03:43:20 +0530 +0530");
    zone("NZST-12NZDT,M9.5.0,M4.1.0/3");
    local(1700000000, "2023-11-15 11:13:20 NZDT +1300");
    local(1689000000, "2023-07-11 02:40:00 NZST +1200");
    zone("XXX3YYY,J60/0,300/26:30:15");
    local(1709258399, "2024-02-29 22:59:59 XXX -0300");
    local(1709262000, "2024-03-01 01:00:00 YYY -0200");
    zone("UTC0");
    local(0, "1970-01-01 00:00:00 UTC +0000");
    /* localtime looks for the zone by itself. */
    setenv("TZ", "AAA-1", 1);
    time_t at = 0;
    CHECK_SAME(localtime(&at)->tm_hour, 1);
    setenv("TZ", "BBB2", 1);
    CHECK_SAME(localtime(&at)->tm_hour, 22);
    CHECK_TEXT(localtime(&at)->tm_zone, "BBB");
    CHECK_TEXT(ctime(&at), "Wed Dec 31 22:00:00 1969\n");
    /* What is no zone, is UTC. */
    zone("no/such:zone");
    CHECK_SAME(localtime(&at)->tm_gmtoff, 0);
    CHECK_SAME(in_child(clocks), 0);
}

RUN_CASES({"text", text}, {"zones", zones})

// What dates are computed with: struct tm, the calendar, and the time zone's answer.
#pragma once
#include "../libc.h"
#include <limits.h>

// struct tm, as musl's include/time.h has it in every version.
typedef struct {
    int second, minute, hour, day, month, year, weekday, yearday, summer;
    long offset;
    const char *zone;
} Date;
_Static_assert(sizeof(Date) == 56, "struct tm");

enum {
    DAY = 86400,
    EOVERFLOW = 75,
};
// No year of an int lies outside: the bound that musl has in localtime_r and in what it writes dates by.
#define FARTHEST (INT_MAX * 31622400LL)
#define EARLIEST (INT_MIN * 31622400LL)

// The zone at `when`, in seconds since 1970 of universal time, or of the zone's own time if `local`.  `other` may be NULL.
HIDDEN void brawn_secs_to_zone(long long when, int local, int *summer, long *offset, long *other, const char **name);

INLINE int64_t divide_down(int64_t n, int64_t by) {
    return n / by - (n % by < 0);
}

INLINE int is_leap(int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

// The days from 1970-01-01 to the first of January of that year of our calendar.
INLINE int64_t days_before(int64_t year) {
    const int64_t last = year - 1, cycle = divide_down(last, 400);
    const unsigned rest = (unsigned)(last - cycle * 400);
    return cycle * 146097 + rest * 365 + rest / 4 - rest / 100 - 719162;
}

// The days of a year before its months, without the leap day.
static const uint16_t BEFORE_MONTH[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

// Writes what `when` is, in seconds since 1970, except for the zone.  0 if an int does not hold the year.
//
// By Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2022): years begin in
// March, so that the leap day is the last, and a month's number and day are quotient and rest of one product.
INLINE int date_of(int64_t when, Date *date) {
    if (UNLIKELY(when < EARLIEST || when > FARTHEST)) return 0;
    const int64_t day = divide_down(when, DAY);
    const unsigned second = (unsigned)(when - day * DAY);
    // From the first of March of the year 0.
    const int64_t since = day + 719468, cycle = divide_down(since, 146097);
    const unsigned in_cycle = (unsigned)(since - cycle * 146097);
    const unsigned quarters = 4 * in_cycle + 3, century = quarters / 146097;
    const unsigned in_century = 4 * (quarters % 146097 / 4) + 3;
    const uint64_t product = UINT64_C(2939745) * in_century;
    const unsigned of_century = (unsigned)(product >> 32), day_of_year = (unsigned)product / 2939745 / 4;
    const unsigned month_and_day = 2141 * day_of_year + 197913, month = month_and_day >> 16;
    const int next = day_of_year >= 306;
    const int64_t year = cycle * 400 + 100 * century + of_century + next - 1900;
    if (UNLIKELY(year != (int)year)) return 0;
    const int leap = of_century % 4 == 0 && (of_century || !century);
    date->year = (int)year;
    date->month = (int)(next ? month - 13 : month - 1);
    date->day = (int)((month_and_day & 0xffff) / 2141) + 1;
    date->weekday = (int)((in_cycle + 3) % 7);
    date->yearday = (int)(next ? day_of_year - 306 : day_of_year + 59 + (unsigned)leap);
    date->hour = (int)(second / 3600);
    date->minute = (int)(second / 60 % 60);
    date->second = (int)(second % 60);
    return 1;
}

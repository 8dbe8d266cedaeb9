// mktime: the seconds of a date of the zone's own time, which is made one of the calendar.
#include "calendar.h"

static int64_t seconds_of(const Date *date) {
    int64_t year = date->year;
    int month = date->month;
    if (UNLIKELY((unsigned)month >= 12)) {
        const int years = (int)divide_down(month, 12);
        month = (int)((unsigned)month - 12 * (unsigned)years);
        year += years;
    }
    year += 1900;
    // INT_MIN is followed by INT_MAX, as in musl.
    const int day_of_month = (int)((unsigned)date->day - 1);
    const int64_t day = days_before(year) + BEFORE_MONTH[month] + (month >= 2 && is_leap(year)) + day_of_month;
    return day * DAY + date->hour * 3600LL + date->minute * 60LL + date->second;
}

HIDDEN int64_t brawn_mktime(Date *date) {
    Date found;
    long other;
    int64_t when = seconds_of(date);
    brawn_secs_to_zone(when, 1, &found.summer, &found.offset, &other, &found.zone);
    // The caller knows better which of the two kinds of time it is.
    if (date->summer >= 0 && found.summer != date->summer) when -= other - found.offset;
    when -= found.offset;
    brawn_secs_to_zone(when, 0, &found.summer, &found.offset, NULL, &found.zone);
    if (UNLIKELY(!date_of(when + found.offset, &found))) {
        ERRNO = EOVERFLOW;
        return -1;
    }
    *date = found;
    return when;
}
NAME(mktime, brawn_mktime)

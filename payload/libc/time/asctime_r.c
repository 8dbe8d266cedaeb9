// asctime_r, which asctime and ctime write with: "Sun Sep 16 01:03:52 1973\n".
#include "../libc.h"

// The beginning of struct tm, as musl's include/time.h has it in every version.
typedef struct {
    int second, minute, hour, day, month, year, weekday;
} Date;

// include/langinfo.h, and musl's locale "C".
enum {
    SHORT_DAYS = 0x20000,
    SHORT_MONTHS = 0x2000e,
};
typedef struct Locale Locale;
extern HIDDEN const char __c_locale[];
HIDDEN char *__nl_langinfo_l(int item, const void *locale);
int snprintf(char *restrict, size_t, const char *restrict, ...);

enum { SIZE = 26 };

// Dates that are none, or have a year of other than four digits.
static COLD char *odd(const Date *date, char *text) {
    const char *const day = __nl_langinfo_l(SHORT_DAYS + date->weekday, __c_locale);
    const char *const month = __nl_langinfo_l(SHORT_MONTHS + date->month, __c_locale);
    const int n = snprintf(text, SIZE, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, date->day, date->hour, date->minute,
        date->second, (int)(1900u + (unsigned)date->year));
    // C says what the text is, and how large the buffer: musl ends a program that asks for what does not fit.
    if (n >= SIZE) *(volatile char *)0 = 0;
    return text;
}

INLINE void two(char *to, unsigned number) {
    to[0] = (char)('0' + number / 10);
    to[1] = (char)('0' + number % 10);
}

HIDDEN char *brawn_asctime_r(const Date *restrict date, char *restrict text) {
    const unsigned year = (unsigned)date->year + 1900, day = (unsigned)date->day;
    const unsigned hour = (unsigned)date->hour, minute = (unsigned)date->minute, second = (unsigned)date->second;
    if (UNLIKELY((unsigned)date->weekday >= 7 || (unsigned)date->month >= 12 || day >= 100 || hour >= 100 ||
            minute >= 100 || second >= 100 || year - 1000 >= 9000)) {
        return odd(date, text);
    }
    PUT32(text, GET32(&"Sun Mon Tue Wed Thu Fri Sat "[4 * date->weekday]));
    PUT32(text + 4, GET32(&"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "[4 * date->month]));
    two(text + 8, day);
    if (day < 10) text[8] = ' ';
    text[10] = ' ';
    two(text + 11, hour);
    text[13] = ':';
    two(text + 14, minute);
    text[16] = ':';
    two(text + 17, second);
    text[19] = ' ';
    two(text + 20, year / 100);
    two(text + 22, year % 100);
    text[24] = '\n';
    text[25] = 0;
    return text;
}
NAME(asctime_r, brawn_asctime_r)
NAME(__asctime_r, brawn_asctime_r)

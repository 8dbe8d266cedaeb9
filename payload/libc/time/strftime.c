// A date as text: strftime, strftime_l, and what wcsftime makes one conversion by.
//
// As musl's (1.2.5, src/time/strftime.c) to the byte, what it leaves in a buffer that is too small included; but
// numbers are written here instead of by snprintf, and the usual forms of date and time by no second pass.
#include "calendar.h"

typedef struct Locale Locale;

// include/langinfo.h.
enum { SHORT_DAYS = 0x20000,
    DAYS = 0x20007,
    SHORT_MONTHS = 0x2000e,
    MONTHS = 0x2001a,
    AM = 0x20026,
    PM = 0x20027,
    DATE_AND_TIME = 0x20028,
    DATE = 0x20029,
    TIME = 0x2002a,
    TIME_AM_PM = 0x2002b,
    NAME_FOR_TIME = 0x2ffff };

enum { ROOM = 100 };

char *nl_langinfo(int item);
char *nl_langinfo_l(int item, Locale *locale);
HIDDEN long long __tm_to_secs(const Date *date);
HIDDEN const char *__tm_to_tzname(const Date *date);

HIDDEN size_t brawn_strftime_l(char *restrict s, size_t n, const char *restrict format, const Date *restrict date,
    Locale *locale);

INLINE const char *word(int item, Locale *locale) {
    return locale ? nl_langinfo_l(item, locale) : nl_langinfo(item);
}

// The locale "C", whose words musl would count through a list for; a musl that does not tell a locale's name says "".
static int plain(Locale *locale) {
    const char *name = word(NAME_FOR_TIME, locale);
    return name[0] == 'C' && name[1] == 0;
}

static const char WEEKDAYS[][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char YEARS_MONTHS[][10] = {"January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"};

static const char *name_of(const char *plain_name, int short_form, int item, Locale *locale, size_t *length) {
    const char *name = plain(locale) ? plain_name : word(item, locale);
    *length = short_form && name == plain_name ? 3 : brawn_strlen(name);
    return name;
}

static const char *weekday_of(const Date *date, int short_form, Locale *locale, size_t *length) {
    if ((unsigned)date->weekday > 6) return *length = 1, "-";
    int item = (short_form ? SHORT_DAYS : DAYS) + date->weekday;
    return name_of(WEEKDAYS[date->weekday], short_form, item, locale, length);
}

static const char *month_of(const Date *date, int short_form, Locale *locale, size_t *length) {
    if ((unsigned)date->month > 11) return *length = 1, "-";
    int item = (short_form ? SHORT_MONTHS : MONTHS) + date->month;
    return name_of(YEARS_MONTHS[date->month], short_form, item, locale, length);
}

// The week's number by ISO 8601: weeks begin on Monday, and the first one has the year's first Thursday.
static int week(const Date *date) {
    unsigned weekday = (unsigned)date->weekday, yearday = (unsigned)date->yearday;
    int number = (int)((yearday + 7 - (weekday + 6) % 7) / 7);
    if ((weekday + 371 - yearday - 2) % 7 <= 2) number++;
    if (number == 0) {
        unsigned last = (weekday + 7 - yearday - 1) % 7;
        return last == 4 || (last == 5 && is_leap(date->year % 400 + 1899)) ? 53 : 52;
    }
    if (number == 53) {
        unsigned first = (weekday + 371 - yearday) % 7;
        if (first != 4 && (first != 3 || !is_leap(date->year + INT64_C(1900)))) return 1;
    }
    return number;
}

static long long week_year(const Date *date) {
    long long year = date->year + 1900LL;
    if (date->yearday < 3 && week(date) != 1) return year - 1;
    if (date->yearday > 360 && week(date) == 1) return year + 1;
    return year;
}

INLINE char *two_digits(char *to, unsigned number) {
    to[0] = (char)('0' + number / 10);
    to[1] = (char)('0' + number % 10);
    return to + 2;
}

// As "%0*lld" ('0'), "%*lld" ('_') or "%lld" ('-') of printf; returns its length.
static size_t number_to(char *to, long long number, int width, int pad) {
    if (LIKELY(width == 2 && (unsigned long long)number < 100 && pad == '0')) {
        two_digits(to, (unsigned)number);
        return 2;
    }
    char digits[24];
    size_t count = 0, length = 0;
    unsigned long long rest = number < 0 ? -(unsigned long long)number : (unsigned long long)number;
    do digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    size_t all = count + (number < 0), wide = pad == '-' ? 0 : (size_t)width;
    if (pad == '_') {
        while (all + length < wide) to[length++] = ' ';
    }
    if (number < 0) to[length++] = '-';
    if (pad != '_') {
        for (size_t missing = all; missing < wide; missing++) to[length++] = '0';
    }
    while (count) to[length++] = digits[--count];
    return length;
}

// Whether a number is one that two digits tell.
INLINE int short_number(int number) {
    return (unsigned)number < 100;
}

// %D, %F, %R and %T of what has no more digits than usual; 0 for all else.
static size_t usual(char *to, int conversion, const Date *date) {
    char *start = to;
    long long year = date->year + 1900LL;
    if (conversion == 'F' || conversion == 'D') {
        if (year < 0 || year > 9999 || !short_number((int)((unsigned)date->month + 1)) || !short_number(date->day)) return 0;
        if (conversion == 'F') {
            to = two_digits(to, (unsigned)year / 100);
            to = two_digits(to, (unsigned)year % 100);
            *to++ = '-';
        }
        to = two_digits(to, (unsigned)date->month + 1);
        *to++ = conversion == 'F' ? '-' : '/';
        to = two_digits(to, (unsigned)date->day);
        if (conversion == 'F') return (size_t)(to - start);
        *to++ = '/';
        return (size_t)(two_digits(to, (unsigned)year % 100) - start);
    }
    if (!short_number(date->hour) || !short_number(date->minute) || !short_number(date->second)) return 0;
    to = two_digits(to, (unsigned)date->hour);
    *to++ = ':';
    to = two_digits(to, (unsigned)date->minute);
    if (conversion == 'R') return (size_t)(to - start);
    *to++ = ':';
    return (size_t)(two_digits(to, (unsigned)date->second) - start);
}

// What a conversion that is a number says, its width, and how it is filled up; 0 if it is none.
static int number_of(int conversion, const Date *date, long long *number, int *pad) {
    *pad = '0';
    switch (conversion) {
    case 'C': *number = (1900LL + date->year) / 100; return 2;
    case 'e':
        *pad = '_';
        *number = date->day;
        return 2;
    case 'd': *number = date->day; return 2;
    case 'g': *number = week_year(date) % 100; return 2;
    case 'G': *number = week_year(date); return 4;
    case 'H': *number = date->hour; return 2;
    case 'I': *number = date->hour == 0 ? 12 : (date->hour > 12 ? date->hour - 12 : date->hour); return 2;
    case 'j': *number = (int)((unsigned)date->yearday + 1); return 3;
    case 'm': *number = (int)((unsigned)date->month + 1); return 2;
    case 'M': *number = date->minute; return 2;
    case 's': *number = __tm_to_secs(date) - date->offset; return 1;
    case 'S': *number = date->second; return 2;
    case 'u': *number = date->weekday ? date->weekday : 7; return 1;
    case 'U': *number = ((unsigned)date->yearday + 7 - (unsigned)date->weekday) / 7; return 2;
    case 'V': *number = week(date); return 2;
    case 'w': *number = date->weekday; return 1;
    case 'W': *number = ((unsigned)date->yearday + 7 - ((unsigned)date->weekday + 6) % 7) / 7; return 2;
    case 'y':
        *number = (date->year + 1900LL) % 100;
        if (*number < 0) *number = -*number;
        return 2;
    case 'Y': *number = date->year + 1900LL; return 4;
    default: return 0;
    }
}

static const char *text(const char *s, size_t *length) {
    *length = brawn_strlen(s);
    return s;
}

// One conversion: its text, in `buffer` or anywhere, and its length; a null pointer if there is none, or no room.  Nothing ends
// the text but its length.
static const char *converted(char (*buffer)[ROOM], size_t *length, int conversion, const Date *date, Locale *locale,
    int pad) {
    long long number;
    int usual_pad, width = number_of(conversion, date, &number, &usual_pad);
    if (width) {
        if (conversion == 'Y' && number >= 10000) {
            (*buffer)[0] = '+';
            *length = 1 + number_to(*buffer + 1, number, 0, '-');
        } else {
            *length = number_to(*buffer, number, width, pad ? pad : usual_pad);
        }
        return *buffer;
    }
    const char *format;
    switch (conversion) {
    case 'a': return weekday_of(date, 1, locale, length);
    case 'A': return weekday_of(date, 0, locale, length);
    case 'h':
    case 'b': return month_of(date, 1, locale, length);
    case 'B': return month_of(date, 0, locale, length);
    case 'p': return text(word(date->hour >= 12 ? PM : AM, locale), length);
    case 'n': return text("\n", length);
    case 't': return text("\t", length);
    case '%': return text("%", length);
    case 'c': format = word(DATE_AND_TIME, locale); break;
    case 'r': format = word(TIME_AM_PM, locale); break;
    case 'x': format = word(DATE, locale); break;
    case 'X': format = word(TIME, locale); break;
    case 'D':
    case 'F':
    case 'R':
    case 'T':
        if (LIKELY((*length = usual(*buffer, conversion, date)) != 0)) return *buffer;
        format = conversion == 'D' ? "%m/%d/%y" : (conversion == 'F' ? "%Y-%m-%d" : (conversion == 'R' ? "%H:%M" : "%H:%M:%S"));
        break;
    case 'z':
        if (date->summer < 0) return text("", length);
        number = date->offset / 3600 * 100 + date->offset % 3600 / 60;
        (*buffer)[0] = number < 0 ? '-' : '+';
        *length = 1 + number_to(*buffer + 1, number < 0 ? -number : number, 4, '0');
        return *buffer;
    case 'Z': return text(date->summer < 0 ? "" : __tm_to_tzname(date), length);
    default: return 0;
    }
    *length = brawn_strftime_l(*buffer, ROOM, format, date, locale);
    return *length ? *buffer : 0;
}

// The same for musl's wcsftime (src/time/wcsftime.c), which reads the text up to its 0.
HIDDEN const char *brawn_strftime_fmt_1(char (*buffer)[ROOM], size_t *length, int conversion, const Date *date,
    Locale *locale, int pad) {
    const char *const s = converted(buffer, length, conversion, date, locale, pad);
    if (!s || (s != *buffer && s[*length] == 0)) return s;
    // The text is one of ours: a number, or the beginning of a name.
    if (s != *buffer) brawn_memcpy(*buffer, s, *length);
    (*buffer)[*length] = 0;
    return *buffer;
}

// A width, which begins at *format: as strtoul tells it, errno of one that is too large included.
static unsigned long width_of(const char *restrict *format) {
    enum { OUT_OF_RANGE = 34 };
    unsigned long width = 0;
    const unsigned long most = (unsigned long)-1;
    int too_large = 0;
    for (; (unsigned)(**format - '0') < 10; ++*format) {
        unsigned long digit = (unsigned long)(**format - '0');
        if (width > most / 10 || width * 10 > most - digit) too_large = 1;
        width = width * 10 + digit;
    }
    if (!too_large) return width;
    ERRNO = OUT_OF_RANGE;
    return most;
}

// A conversion with a width: sign and zeros in front go, then it is filled up.  Returns the new place in s; `t` and
// `length` become what is left to write.
static size_t widened(char *s, size_t l, size_t n, const char **t, size_t *length, unsigned long width, int century,
    int plus, const Date *date) {
    if (**t == '+' || **t == '-') (*t)++, (*length)--;
    for (; *length > 1 && **t == '0' && (unsigned)((*t)[1] - '0') < 10; (*t)++, (*length)--) {}
    if (width < *length) width = *length;
    size_t digits = 0;
    while (digits < *length && (unsigned)((*t)[digits] - '0') < 10) digits++;
    if (date->year < -1900) {
        s[l++] = '-';
        width--;
    } else if (plus && digits + (width - *length) >= (century ? 3 : 5)) {
        s[l++] = '+';
        width--;
    }
    for (; width > *length && l < n; width--) s[l++] = '0';
    return l;
}

// What most formats ask for, if it has two digits; else, for every other conversion, at least 100.
INLINE unsigned number_of_two(char conversion, const Date *date) {
    switch (conversion) {
    case 'd': return (unsigned)date->day;
    case 'H': return (unsigned)date->hour;
    case 'M': return (unsigned)date->minute;
    case 'S': return (unsigned)date->second;
    case 'm': return (unsigned)date->month + 1;
    default: return 100;
    }
}

// `locale` is null for the one in force.
HIDDEN size_t brawn_strftime_l(char *restrict s, size_t n, const char *restrict format, const Date *restrict date,
    Locale *locale) {
    size_t l = 0;
    while (l < n) {
        if (*format == 0) {
            s[l] = 0;
            return l;
        }
        if (*format != '%') {
            s[l++] = *format++;
            continue;
        }
        const unsigned two = number_of_two(*++format, date);
        if (LIKELY(two < 100 && n - l >= 2)) {
            two_digits(s + l, two);
            l += 2;
            format++;
            continue;
        }
        int pad = 0, plus = 0;
        unsigned long width = 0;
        if (*format == '-' || *format == '_' || *format == '0') pad = *format++;
        if (*format == '+') plus = 1, format++;
        const char *flags_end = format;
        if ((unsigned)(*format - '0') < 10) {
            width = width_of(&format);
        }
        if (*format == 'C' || *format == 'F' || *format == 'G' || *format == 'Y') {
            if (width == 0 && format != flags_end) width = 1;
        } else {
            width = 0;
        }
        const int century = *format == 'C';
        if (*format == 'E' || *format == 'O') format++;
        char buffer[ROOM];
        size_t length;
        const char *t = converted(&buffer, &length, *format, date, locale, pad);
        if (!t) break;
        format++;
        if (width) l = widened(s, l, n, &t, &length, width, century, plus, date);
        if (length > n - l) length = n - l;
        if (LIKELY(length <= 16)) {
            for (size_t i = 0; i < length; i++) s[l + i] = t[i];
        } else {
            brawn_memcpy(s + l, t, length);
        }
        l += length;
    }
    if (n) {
        if (l == n) l = n - 1;
        s[l] = 0;
    }
    return 0;
}

HIDDEN size_t brawn_strftime(char *restrict s, size_t n, const char *restrict format, const Date *restrict date) {
    return brawn_strftime_l(s, n, format, date, 0);
}
NAME(strftime, brawn_strftime)
NAME(__strftime_fmt_1, brawn_strftime_fmt_1)
NAME(strftime_l, brawn_strftime_l)
NAME(__strftime_l, brawn_strftime_l)

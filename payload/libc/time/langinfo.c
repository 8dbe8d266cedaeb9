// The words and forms of a locale: nl_langinfo, nl_langinfo_l.
//
// musl (1.2.5, src/locale/langinfo.c) counts through a list of texts, one byte after the other, to the one that is
// asked for; strptime asks for all months in turn.  Here each text's place is in a table.  What is said is the same, a
// translation of the locale's included.
#include "../libc.h"

// struct __locale_map (src/internal/locale_impl.h); struct __locale_struct is six pointers to such.
typedef struct {
    const void *map;
    size_t size;
    char name[24];
} LocaleMap;
typedef struct {
    const LocaleMap *category[6];
} Locale;
enum { CTYPE,
    NUMERIC,
    CALENDAR,
    COLLATE,
    MONETARY,
    MESSAGES,
    CATEGORIES };

// src/internal/libc.h, the same in musl 1.2.2 to 1.2.6.
extern HIDDEN struct {
    char flags[4];
    int threads_minus_1;
    void *auxv, *tls_head;
    size_t tls_size, tls_align, tls_count, page_size;
    Locale global_locale;
} __libc;
_Static_assert(offsetof(typeof(__libc), global_locale) == 56, "musl's struct __libc");

// The thread's locale, or GLOBAL.
Locale *uselocale(Locale *locale);
#define GLOBAL ((Locale *)-1)
HIDDEN const char *__lctrans(const char *text, const LocaleMap *map);

// The texts of "C", in the order of include/langinfo.h; POSIX.1-2017, 7.3.5 and 7.3.6, has what they say.
#define TEXTS(X)            \
    X(0, "Sun")             \
    X(1, "Mon")             \
    X(2, "Tue")             \
    X(3, "Wed")             \
    X(4, "Thu")             \
    X(5, "Fri")             \
    X(6, "Sat")             \
    X(7, "Sunday")          \
    X(8, "Monday")          \
    X(9, "Tuesday")         \
    X(10, "Wednesday")      \
    X(11, "Thursday")       \
    X(12, "Friday")         \
    X(13, "Saturday")       \
    X(14, "Jan")            \
    X(15, "Feb")            \
    X(16, "Mar")            \
    X(17, "Apr")            \
    X(18, "May")            \
    X(19, "Jun")            \
    X(20, "Jul")            \
    X(21, "Aug")            \
    X(22, "Sep")            \
    X(23, "Oct")            \
    X(24, "Nov")            \
    X(25, "Dec")            \
    X(26, "January")        \
    X(27, "February")       \
    X(28, "March")          \
    X(29, "April")          \
    X(30, "May")            \
    X(31, "June")           \
    X(32, "July")           \
    X(33, "August")         \
    X(34, "September")      \
    X(35, "October")        \
    X(36, "November")       \
    X(37, "December")       \
    X(38, "AM")             \
    X(39, "PM")             \
    X(40, "%a %b %e %T %Y") \
    X(41, "%m/%d/%y")       \
    X(42, "%H:%M:%S")       \
    X(43, "%I:%M:%S %p")    \
    X(44, "")               \
    X(45, "")               \
    X(46, "%m/%d/%y")       \
    X(47, "0123456789")     \
    X(48, "%a %b %e %T %Y") \
    X(49, "%H:%M:%S")       \
    X(50, "^[yY]")          \
    X(51, "^[nN]")          \
    X(52, "yes")            \
    X(53, "no")             \
    X(54, ".")
enum {
    OF_CALENDAR = 50,
    FIRST_MESSAGE = 50,
    OF_MESSAGES = 4,
    POINT = 54,
    NOTHING = 44,
};

#define X(number, text) char text_##number[sizeof text];
typedef struct {
    TEXTS(X)
} Texts;
#undef X
#define X(number, text) text,
static const Texts TEXT = {TEXTS(X)};
#undef X
#define X(number, text) offsetof(Texts, text_##number),
static const uint16_t PLACE[] = {TEXTS(X)};
#undef X

enum {
    CODESET = 14,
    NAME = 0xffff,
};

static const char *text(int item, const Locale *locale) {
    const unsigned category = (unsigned)item >> 16, index = (unsigned)item & 0xffff;
    if (item == CODESET) return locale->category[CTYPE] ? "UTF-8" : "ASCII";
    if (UNLIKELY(index == NAME && category < CATEGORIES)) {
        return locale->category[category] ? locale->category[category]->name : "C";
    }
    const char *const texts = (const char *)&TEXT;
    unsigned number = NOTHING;
    if (category == CALENDAR && index < OF_CALENDAR) number = index;
    if (category == MESSAGES && index < OF_MESSAGES) number = FIRST_MESSAGE + index;
    if (category == NUMERIC && index == 0) return texts + PLACE[POINT];
    const char *const found = texts + PLACE[number];
    if (LIKELY(!*found || !locale->category[category])) return found;
    return __lctrans(found, locale->category[category]);
}

HIDDEN char *brawn_nl_langinfo_l(int item, Locale *locale) {
    return (char *)text(item, locale);
}
NAME(__nl_langinfo_l, brawn_nl_langinfo_l)
NAME(nl_langinfo_l, brawn_nl_langinfo_l)

HIDDEN char *brawn_nl_langinfo(int item) {
    Locale *const locale = uselocale(NULL);
    return (char *)text(item, locale == GLOBAL ? &__libc.global_locale : locale);
}
NAME(__nl_langinfo, brawn_nl_langinfo)
NAME(nl_langinfo, brawn_nl_langinfo)

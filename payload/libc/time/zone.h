// A time zone: what TZ says, read into `zone`.  musl's rules to the letter (1.2.5, src/time/__tz.c), also where they
// surprise; a file or rule that musl would read beyond its end is UTC, or ends there.
#pragma once
#include "calendar.h"

enum { MOST_OF_NAME = 6,
    MOST_OF_FILE = 255,
    MOST_OF_TZ = 4096 + 1,
    LEAST_PAGE = 4096,  // the kernel's
    CELLS = 256,
    CELL_BITS = 23,
    YEARS = 128,
    FIRST_YEAR = 1970 };

// When summer time begins or ends: kind 'M' (month, week, weekday), 'J' (day without leap days) or 0 (day).
typedef struct {
    int kind, first, week, weekday, time;
} Rule;

// Nothing changes in it once it is published, except hints, which are right whoever wrote them.
typedef struct {
    // The file; NULL where TZ is a rule.
    const unsigned char *map, *times, *indexes, *types, *names, *names_end;
    size_t map_size, count, kinds;
    // How many bytes a transition has: 4 or 8.
    int width;
    // Whether transitions are in order, in universal and in the zone's own time, and no further than three days from UTC.
    int is_orderly;
    // Whether TZ is what it is taken for where there is none.
    int is_default;
    // What holds before the first transition.
    unsigned before;
    int has_summer;
    long offset, summer_offset;  // both west of UTC, as musl's timezone is
    Rule begin, end;
    // For each 97 days from 1970 on: 1 and the transition that holds when they begin, if that is known.
    uint16_t cells[CELLS];
    // For each year from 1970 on: when summer begins (low half) and ends, from the year's first second; 0 if not known.
    uint64_t years[YEARS];
    char tz[MOST_OF_TZ + 1];
} Zone;

typedef const char *Text;

INLINE unsigned get32(const unsigned char *p) {
    return __builtin_bswap32(GET32(p));
}

static int read_number(Text *p) {
    unsigned n = 0;
    for (; (unsigned)(**p - '0') < 10; ++*p) n = n * 10 + (unsigned)(**p - '0');
    return (int)n;
}

static int read_offset(Text *p) {
    const int minus = **p == '-';
    if (minus || **p == '+') ++*p;
    unsigned seconds = 3600 * (unsigned)read_number(p);
    for (unsigned unit = 60; unit && **p == ':'; unit /= 60) {
        ++*p;
        seconds += unit * (unsigned)read_number(p);
    }
    return (int)(minus ? -seconds : seconds);
}

static void skip_one(Text *p) {
    if (**p) ++*p;
}

static void read_rule(Text *p, Rule *rule) {
    rule->kind = **p == 'M' || **p == 'J' ? **p : 0;
    if (rule->kind) ++*p;
    rule->first = read_number(p);
    if (rule->kind == 'M') {
        skip_one(p);
        rule->week = read_number(p);
        skip_one(p);
        rule->weekday = read_number(p);
    }
    rule->time = 7200;
    if (**p == '/') {
        ++*p;
        rule->time = read_offset(p);
    }
}

static int is_letter(char c) {
    return (unsigned)((c | 32) - 'a') < 26;
}

// A zone's name, of letters or in angle brackets, of which `to` gets the beginning.
static void read_name(Text *p, char to[MOST_OF_NAME + 1]) {
    const int bracket = **p == '<';
    if (bracket) ++*p;
    int length = 0;
    for (; bracket ? **p && **p != '>' : is_letter(**p); ++*p) {
        if (length < MOST_OF_NAME) to[length++] = **p;
    }
    to[length] = 0;
    if (bracket) skip_one(p);
}

static int is(Text a, Text b) {
    for (; *a == *b; a++, b++) {
        if (!*a) return 1;
    }
    return 0;
}

// Whether that is a rule rather than a file's name.
static int is_rule(Text tz) {
    char name[MOST_OF_NAME + 1];
    Text p = tz;
    if (*tz == ':') return 0;
    read_name(&p, name);
    return p != tz && (*p == '+' || *p == '-' || (unsigned)(*p - '0') < 10 || is(name, "UTC") || is(name, "GMT"));
}

// src/time/__map_file.c and src/mman/munmap.c, hidden in libc.a.
HIDDEN const unsigned char *__map_file(const char *path, size_t *size);
HIDDEN int __munmap(void *start, size_t size);

// The beginning of musl's struct __libc (src/internal/libc.h), the same in musl 1.2.2 to 1.2.6.
extern HIDDEN struct {
    char can_do_threads, threaded, secure;
} __libc;

static const char FOLDERS[3][24] = {"/usr/share/zoneinfo/", "/share/zoneinfo/", "/etc/zoneinfo/"};

static const unsigned char *open_zone(Text tz, size_t *size) {
    if (*tz == ':') tz++;
    if (*tz == '/' || *tz == '.') {
        return !__libc.secure || is(tz, "/etc/localtime") ? __map_file(tz, size) : NULL;
    }
    const size_t length = brawn_strlen(tz);
    if (length > MOST_OF_FILE || brawn_memchr(tz, '.', length)) return NULL;
    const unsigned char *map = NULL;
    for (int i = 0; !map && i < 3; i++) {
        char path[24 + MOST_OF_FILE + 1];
        const size_t folder = brawn_strlen(FOLDERS[i]);
        brawn_memcpy(path, FOLDERS[i], folder);
        brawn_memcpy(path + folder, tz, length + 1);
        map = __map_file(path, size);
    }
    return map;
}

INLINE int64_t time_of(const Zone *zone, size_t i) {
    const unsigned char *p = zone->times + i * (unsigned)zone->width;
    return zone->width == 8 ? (int64_t)__builtin_bswap64(GET64(p)) : (int32_t)get32(p);
}

INLINE int offset_of(const Zone *zone, unsigned type) {
    return (int)get32(zone->types + 6 * type);
}

INLINE int is_summer(const Zone *zone, unsigned type) {
    return zone->types[6 * type + 4];
}

// The transition's time on clocks that nobody has set yet.
INLINE int64_t local_time_of(const Zone *zone, size_t i) {
    return time_of(zone, i) + offset_of(zone, zone->indexes[i - 1]);
}

// The size of the data behind a header (RFC 9636, section 3.1), with times of that width.
static size_t data_size(const unsigned char *header, unsigned width) {
    const size_t universal = get32(header + 20), standard = get32(header + 24), leaps = get32(header + 28);
    const size_t times = get32(header + 32), types = get32(header + 36), names = get32(header + 40);
    return universal + standard + leaps * (width + 4) + times * (width + 1) + types * 6 + names;
}

static int are_in_order(const Zone *zone) {
    for (size_t i = 0; i < zone->kinds; i++) {
        const int offset = offset_of(zone, (unsigned)i);
        if (offset < -3 * DAY || offset > 3 * DAY) return 0;
    }
    if (zone->count >= UINT16_MAX) return 0;
    for (size_t i = 1; i < zone->count; i++) {
        if (time_of(zone, i) <= time_of(zone, i - 1)) return 0;
        if (i > 1 && local_time_of(zone, i) < local_time_of(zone, i - 1)) return 0;
    }
    return 1;
}

// Whether the file is one, to its end.
static int read_file(Zone *zone, const unsigned char *map, size_t size) {
    if (size < 44 || brawn_memcmp(map, "TZif", 4)) return 0;
    const unsigned char *header = map;
    zone->width = 4;
    if (map[4] != '1') {
        const size_t first = 44 + data_size(map, 4);
        if (first > size || size - first < 44) return 0;
        header += first;
        zone->width = 8;
    }
    const size_t room = size - (size_t)(header + 44 - map), width = (unsigned)zone->width;
    if (data_size(header, (unsigned)zone->width) > room) return 0;
    zone->count = get32(header + 32);
    zone->kinds = get32(header + 36);
    zone->times = header + 44;
    zone->indexes = zone->times + zone->count * width;
    zone->types = zone->indexes + zone->count;
    zone->names = zone->types + 6 * zone->kinds;
    zone->names_end = zone->names + get32(header + 40);
    if (!zone->kinds) return 0;
    // The last name ends within the file, or in the zeros with which its last page is filled; and so do all.
    size_t last = 0;
    for (size_t i = 0; i < zone->kinds; i++) {
        if (zone->types[6 * i + 5] > last) last = zone->types[6 * i + 5];
    }
    const size_t in_file = (size_t)(map + size - zone->names), in_page = in_file + (-size & (LEAST_PAGE - 1));
    if (last >= in_page || (in_page == in_file && !brawn_memchr(zone->names + last, 0, in_file - last))) return 0;
    for (size_t i = 0; i < zone->count; i++) {
        if (zone->indexes[i] >= zone->kinds) return 0;
    }
    zone->before = 0;
    for (unsigned i = 0; i < zone->kinds; i++) {
        if (!is_summer(zone, i)) {
            zone->before = i;
            break;
        }
    }
    zone->map = map;
    zone->map_size = size;
    zone->is_orderly = are_in_order(zone);
    return 1;
}

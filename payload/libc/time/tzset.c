// The time zone: tzset and what localtime_r, mktime and strftime ask for.
//
// musl takes a lock in each call, also to look at what nobody changes.  Here what TZ says is read into a zone, which is
// published when it is complete: whoever finds that TZ still says the same needs no lock.  A program that changes TZ may
// not call these functions at the same time, since they look at the environment; so nobody uses the zone before the last
// one, whose place the next one takes.  Its file stays mapped that long.
#include "zone.h"

HIDDEN long brawn_timezone;
HIDDEN int brawn_daylight;
HIDDEN char *brawn_tzname[2];
HIDDEN const char brawn_utc[] = "UTC";
NAME(timezone, brawn_timezone)
NAME(__timezone, brawn_timezone)
NAME(daylight, brawn_daylight)
NAME(__daylight, brawn_daylight)
NAME(tzname, brawn_tzname)
NAME(__tzname, brawn_tzname)
// Not brawn_utc: from musl 1.2.6 on it may be another member's.
#ifdef BRAWN_MEMORY_UNNAMED
extern HIDDEN const char __utc[];
#endif
NAME(__utc, brawn_utc)

// src/thread/__lock.c, hidden in libc.a.  fork() takes the lock that this address leads to; its member has a weak NULL of
// that name for programs without a zone, before which a weak one of ours might come too late.
HIDDEN void __lock(volatile int *lock);
HIDDEN void __unlock(volatile int *lock);
static volatile int lock;
HIDDEN volatile int *const brawn_timezone_lockptr = &lock;
#ifndef BRAWN_MEMORY_UNNAMED
extern volatile int *const __timezone_lockptr __attribute__((alias("brawn_timezone_lockptr"), visibility("default")));
#endif

char *getenv(const char *name);

static const char DEFAULT_TZ[] = "/etc/localtime";
static Zone zones[2];
// Which of them holds; NULL before the first call.
static Zone *current;
// tzname's, which stay where they are.
static char standard_name[MOST_OF_NAME + 1], summer_name[MOST_OF_NAME + 1];

static void use_rule(Zone *zone, Text s) {
    read_name(&s, standard_name);
    zone->offset = read_offset(&s);
    read_name(&s, summer_name);
    brawn_tzname[0] = standard_name;
    brawn_tzname[1] = summer_name;
    zone->has_summer = summer_name[0] != 0;
    zone->summer_offset = zone->offset;
    if (zone->has_summer) {
        if (*s == '+' || *s == '-' || (unsigned)(*s - '0') < 10) zone->summer_offset = read_offset(&s);
        else zone->summer_offset = (int)(zone->offset - 3600);
    }
    if (*s == ',') s++, read_rule(&s, &zone->begin);
    if (*s == ',') s++, read_rule(&s, &zone->end);
}

// A file of the first version has no rule: names and offsets are the first of their kind.
static void use_types(Zone *zone) {
    zone->has_summer = 0;
    zone->offset = zone->summer_offset = 0;
    brawn_tzname[0] = brawn_tzname[1] = NULL;
    for (unsigned i = 0; i < zone->kinds; i++) {
        const int summer = is_summer(zone, i) != 0;
        if (brawn_tzname[summer]) continue;
        brawn_tzname[summer] = (char *)(uintptr_t)zone->names + zone->types[6 * i + 5];
        const unsigned west = -(unsigned)offset_of(zone, i);
        // musl's `timezone` is then what an unsigned int makes of it.
        if (summer) zone->summer_offset = (int)west;
        else zone->offset = west;
        zone->has_summer |= summer;
    }
    if (!brawn_tzname[0]) brawn_tzname[0] = brawn_tzname[1];
    if (!brawn_tzname[0]) brawn_tzname[0] = (char *)(uintptr_t)__utc;
    if (!zone->has_summer) {
        brawn_tzname[1] = brawn_tzname[0];
        zone->summer_offset = (int)zone->offset;
    }
}

// The file's last line, between the last two of its ends of lines.
static void use_footer(Zone *zone) {
    char rule[MOST_OF_FILE + 1];
    const char *const end = (const char *)zone->map + zone->map_size - 1, *begin = end;
    while (begin > (const char *)zone->names_end && begin[-1] != '\n') begin--;
    size_t size = (size_t)(end - begin);
    if (size > MOST_OF_FILE) size = MOST_OF_FILE;
    brawn_memcpy(rule, begin, size);
    rule[size] = 0;
    use_rule(zone, rule);
}

static void load(Zone *zone, Text tz) {
    if (zone->map) __munmap((void *)(uintptr_t)zone->map, zone->map_size);
    size_t length = brawn_strlen(tz);
    if (length > MOST_OF_TZ) tz = __utc, length = 3;
    brawn_memset(zone, 0, offsetof(Zone, tz));
    brawn_memcpy(zone->tz, tz, length + 1);
    zone->is_default = is(tz, DEFAULT_TZ);
    if (is_rule(tz)) {
        use_rule(zone, tz);
    } else {
        size_t size = 0;
        const unsigned char *map = open_zone(tz, &size);
        if (!map || !read_file(zone, map, size)) {
            if (map) __munmap((void *)(uintptr_t)map, size);
            use_rule(zone, __utc);
        } else if (map[size - 1] == '\n') {
            use_footer(zone);
        } else {
            use_types(zone);
        }
    }
    brawn_timezone = zone->offset;
    brawn_daylight = zone->has_summer;
}

static COLD Zone *changed(Text tz) {
    __lock(&lock);
    Zone *zone = current;
    if (!zone || !is(zone->tz, tz)) {
        zone = zone == zones ? zones + 1 : zones;
        load(zone, tz);
        __atomic_store_n(&current, zone, __ATOMIC_RELEASE);
    }
    __unlock(&lock);
    return zone;
}

INLINE Zone *zone_now(void) {
    Text tz = getenv("TZ");
    Zone *zone = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (!tz) {
        if (LIKELY(zone && zone->is_default)) return zone;
        tz = DEFAULT_TZ;
    } else if (!*tz) {
        tz = __utc;
    }
    return LIKELY(zone && is(zone->tz, tz)) ? zone : changed(tz);
}

// The last transition that is not after `when`, as musl finds it in a file whose transitions are out of order, too; 0 also if
// the first is after it.
static COLD size_t search(const Zone *zone, int64_t when, int local) {
    size_t from = 0, n = zone->count;
    while (n > 1) {
        const size_t half = n / 2, middle = from + half;
        if (when < (local ? local_time_of(zone, middle) : time_of(zone, middle))) {
            n = half;
        } else {
            from = middle;
            n -= half;
        }
    }
    return from;
}

// The same by what is known of the part of the century, from where it is a step or two.
INLINE size_t transition(Zone *zone, int64_t when, int local) {
    // What holds three days before on the universal clock holds, or is over, in the zone's own time.
    const uint64_t cell = (uint64_t)(local ? when - 3 * DAY : when) >> CELL_BITS;
    if (UNLIKELY(cell >= CELLS || !zone->is_orderly)) return search(zone, when, local);
    size_t at = __atomic_load_n(&zone->cells[cell], __ATOMIC_RELAXED);
    if (UNLIKELY(!at)) {
        at = search(zone, (int64_t)(cell << CELL_BITS), 0) + 1;
        __atomic_store_n(&zone->cells[cell], (uint16_t)at, __ATOMIC_RELAXED);
    }
    if (local) {
        for (; at < zone->count && local_time_of(zone, at) <= when; at++) {}
    } else {
        for (; at < zone->count && time_of(zone, at) <= when; at++) {}
    }
    return at - 1;
}

// What a rule says of the year that begins with that second.
static int64_t rule_in(const Rule *rule, int64_t year, int64_t start) {
    const int leap = is_leap(year);
    if (rule->kind != 'M') {
        unsigned day = (unsigned)rule->first;
        if (rule->kind == 'J' && (rule->first < 60 || !leap)) day--;
        return start + (int)(DAY * day) + rule->time;
    }
    const int month = rule->first >= 1 && rule->first <= 12 ? rule->first - 1 : 0;
    const int64_t first = start + DAY * (int64_t)(BEFORE_MONTH[month] + (month >= 2 && leap));
    // Rounded as musl rounds it, before 1970 too.
    const int weekday = (int)((first + 4 * DAY) % (7 * DAY)) / DAY;
    int days = rule->weekday - weekday, week = rule->week;
    if (days < 0) days += 7;
    const int length = month == 1 ? 28 + leap : (month == 3 || month == 5 || month == 8 || month == 10 ? 30 : 31);
    if (week == 5 && days + 28 >= length) week = 4;
    return first + (int)(DAY * ((unsigned)days + 7 * (unsigned)(week - 1))) + rule->time;
}

// The year of `when` as musl finds it, which goes from an estimate to it: a year's first second may belong to the one
// before.
INLINE int64_t year_at(int64_t when, int64_t *start) {
    int64_t year = when / 31556952 + FIRST_YEAR, first = days_before(year) * DAY;
    while (first > when) first = days_before(--year) * DAY;
    for (int64_t next; (next = days_before(year + 1) * DAY) < when; first = next) year++;
    *start = first;
    return year;
}

static int is_summer_by_rule(Zone *zone, int64_t when, int local) {
    int64_t start, begin, end;
    const int64_t year = year_at(when, &start);
    const uint64_t place = (uint64_t)(year - FIRST_YEAR);
    uint64_t *const known = place < YEARS ? &zone->years[place] : NULL;
    const uint64_t both = known ? __atomic_load_n(known, __ATOMIC_RELAXED) : 0;
    if (LIKELY(both)) {
        begin = start + (int32_t)both;
        end = start + (int32_t)(both >> 32);
    } else {
        // musl's rules take an int: years beyond it come out anywhere, in dates that localtime_r then refuses.
        const int64_t in_int = (int)(year - 1900) + INT64_C(1900);
        if (UNLIKELY(in_int != year)) start = days_before(in_int) * DAY;
        begin = rule_in(&zone->begin, in_int, start);
        end = rule_in(&zone->end, in_int, start);
        const int64_t from = begin - start, to = end - start;
        if (known && from == (int32_t)from && to == (int32_t)to) {
            __atomic_store_n(known, (uint32_t)from | (uint64_t)to << 32, __ATOMIC_RELAXED);
        }
    }
    if (!local) {
        begin += zone->offset;
        end += zone->summer_offset;
    }
    return begin < end ? when >= begin && when < end : when < end || when >= begin;
}

INLINE void answer(const Zone *zone, unsigned type, int *summer, long *offset, const char **name) {
    *summer = is_summer(zone, type);
    *offset = offset_of(zone, type);
    *name = (const char *)zone->names + zone->types[6 * type + 5];
}

// Another type that holds nearby, in which summer time is the other way round.
static unsigned opposite(const Zone *zone, size_t at, int is_first) {
    const unsigned char *index = zone->indexes;
    if (is_first) return index[0];
    const int summer = is_summer(zone, index[at]);
    if (at && is_summer(zone, index[at - 1]) != summer) return index[at - 1];
    if (at + 1 < zone->count && is_summer(zone, index[at + 1]) != summer) return index[at + 1];
    return index[at];
}

HIDDEN void brawn_secs_to_zone(long long when, int local, int *summer, long *offset, long *other, const char **name) {
    Zone *const zone = zone_now();
    if (zone->map) {
        if (!zone->count) {
            answer(zone, 0, summer, offset, name);
            if (other) *other = *offset;
            return;
        }
        const size_t at = transition(zone, when, local);
        if (at < zone->count - 1) {
            const int is_first = !at && when - (local ? offset_of(zone, zone->before) : 0) < time_of(zone, 0);
            answer(zone, is_first ? zone->before : zone->indexes[at], summer, offset, name);
            if (other) *other = offset_of(zone, opposite(zone, at, is_first));
            return;
        }
    }
    const int in_summer = zone->has_summer && is_summer_by_rule(zone, when, local);
    *summer = in_summer;
    *offset = -(in_summer ? zone->summer_offset : zone->offset);
    if (other) *other = -(in_summer ? zone->offset : zone->summer_offset);
    *name = brawn_tzname[in_summer];
}
NAME(__secs_to_zone, brawn_secs_to_zone)

HIDDEN void brawn_tzset(void) {
    zone_now();
}
NAME(tzset, brawn_tzset)

HIDDEN const char *brawn_tm_to_tzname(const Date *date) {
    const char *const name = date->zone;
    const Zone *const zone = zone_now();
    if (name == __utc || name == brawn_tzname[0] || name == brawn_tzname[1]) return name;
    const size_t at = (uintptr_t)name - (uintptr_t)zone->names;
    return zone->map && at < (size_t)(zone->names_end - zone->names) ? name : "";
}
NAME(__tm_to_tzname, brawn_tm_to_tzname)

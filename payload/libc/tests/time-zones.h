// localtime_r, mktime and tzset: in every zone of the system, in rules and files made up, at times near and far.
#include <dirent.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>

typedef struct tm Tm;
extern Tm *brawn_localtime_r(const time_t *restrict, Tm *restrict);
extern time_t brawn_mktime(Tm *);
extern void brawn_tzset(void);
extern const char *brawn_tm_to_tzname(const Tm *);
extern char *brawn_tzname[2];
extern long brawn_timezone;
extern int brawn_daylight;
// Hidden in libc.a.
extern struct {
    char threads, threaded, secure;
} __libc;

static const char *zone_now = "";

static void differs(const char *function, long long when, const char *what) {
    printf("time: %s in TZ=%s at %lld: %s\n", function, zone_now, when, what);
    if (++wrong >= 20) exit(1);
}

static int same_date(const Tm *a, const Tm *b) {
    const char *one = a->tm_zone ? a->tm_zone : "", *two = b->tm_zone ? b->tm_zone : "";
    return memcmp(a, b, offsetof(Tm, tm_isdst) + sizeof a->tm_isdst) == 0 && a->tm_gmtoff == b->tm_gmtoff && strcmp(one, two) == 0;
}

static void show(char *to, const Tm *t) {
    sprintf(to, "%d-%d-%d %d:%d:%d day %d of %d, summer %d, %ld %s", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min,
        t->tm_sec, t->tm_wday, t->tm_yday, t->tm_isdst, t->tm_gmtoff, t->tm_zone ? t->tm_zone : "-");
}

static void unlike(const char *function, long long when, const Tm *ours, const Tm *musls, long long result, long long musls_result) {
    char a[150], b[150], text[400];
    show(a, ours);
    show(b, musls);
    sprintf(text, "%lld, %s, and musl's %lld, %s", result, a, musls_result, b);
    differs(function, when, text);
}

static void local_at(time_t when) {
    Tm ours, musls;
    memset(&ours, 0, sizeof ours);
    memset(&musls, 0, sizeof musls);
    errno = 0;
    const int there = brawn_localtime_r(&when, &ours) != 0, our_error = errno;
    errno = 0;
    const int musls_there = localtime_r(&when, &musls) != 0, musls_error = errno;
    trials++;
    if (there != musls_there || !same_date(&ours, &musls)) unlike("localtime_r", when, &ours, &musls, there, musls_there);
    else if (!there && our_error != musls_error) differs("localtime_r", when, "errno");
    else if (there && strcmp(brawn_tm_to_tzname(&ours), ours.tm_zone)) differs("__tm_to_tzname", when, "not its zone");
    else if (*brawn_tm_to_tzname(&(Tm){.tm_zone = "nowhere"})) differs("__tm_to_tzname", when, "a name that is none");
    if (!there) return;
    // And back, of what is no date, too.
    if (random_bits() % 2) ours.tm_isdst = (int)(random_bits() % 3) - 1;
    if (random_bits() % 4 == 0) (&ours.tm_sec)[random_bits() % 5] += (int)(random_bits() % 100) - 50;
    if (random_bits() % 32 == 0) (&ours.tm_sec)[random_bits() % 6] = (int)random_bits();
    if (random_bits() % 32 == 0) (&ours.tm_sec)[random_bits() % 6] = random_bits() % 2 ? INT_MAX : INT_MIN;
    musls = ours;
    errno = 0;
    const time_t back = brawn_mktime(&ours);
    const int back_error = errno;
    errno = 0;
    const time_t musls_back = mktime(&musls);
    trials++;
    if (back != musls_back || !same_date(&ours, &musls)) unlike("mktime", when, &ours, &musls, back, musls_back);
    else if (back == -1 && back_error != errno) differs("mktime", when, "errno");
}

static time_t some_time(void) {
    switch (random_bits() % 16) {
    case 0: return (time_t)random_bits() >> random_bits() % 64;
    case 1: {  // A year's first second, and those around it.
        const long long year = (long long)(random_bits() % 3000) - 1000;
        Tm t = {.tm_year = (int)year, .tm_mday = 1};
        return timegm(&t) + (long)(random_bits() % 5) - 2;
    }
    case 2: return (random_bits() % 2 ? INT_MAX : INT_MIN) * 31622400LL + (long)(random_bits() % 100000) - 50000;
    case 3: return (random_bits() % 2 ? 67768036191676799 : -67768040609740800) + (long)(random_bits() % 100000) - 50000;
    case 4:
    case 5:
    case 6: return (time_t)(random_bits() % 17179869184) - 8589934592;
    default: return (time_t)(random_bits() % 6000000000) - 1500000000;
    }
}

static long offset_at(time_t when) {
    Tm t;
    return localtime_r(&when, &t) ? t.tm_gmtoff * 2 + t.tm_isdst : 0;
}

// The seconds before and after a change between two times, as musl has it.
static void at_change(time_t from, time_t to) {
    const long before = offset_at(from);
    if (before == offset_at(to)) return;
    while (to - from > 1) {
        const time_t middle = from + (to - from) / 2;
        if (offset_at(middle) == before) from = middle;
        else to = middle;
    }
    for (int i = -2; i < 3; i++) local_at(to + i);
    for (int i = 0; i < 4; i++) local_at(to + (long)(random_bits() % 20000) - 10000);
}

static void in_zone(const char *tz, long times) {
    if (tz) setenv("TZ", tz, 1);
    else unsetenv("TZ");
    zone_now = tz ? tz : "(none)";
    if (random_bits() % 2) brawn_tzset(), tzset();
    for (long i = 0; i < times; i++) local_at(some_time());
    for (long i = 0; i < times / 8; i++) {
        const time_t when = (time_t)(random_bits() % 7000000000) - 2500000000;
        at_change(when, when + 16000000);
    }
    if (timezone != brawn_timezone || daylight != brawn_daylight) differs("tzset", 0, "timezone or daylight");
    for (int i = 0; i < 2; i++) {
        if (strcmp(tzname[i], brawn_tzname[i])) differs("tzset", 0, "tzname");
    }
}

static long in_folder(const char *folder, size_t skip, long times, int depth) {
    DIR *open = opendir(folder);
    long seen = 0;
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char path[600];
        struct stat about;
        sprintf(path, "%.300s/%.250s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &about)) continue;
        if (S_ISDIR(about.st_mode)) {
            if (depth < 4) seen += in_folder(path, skip, times, depth + 1);
        } else {
            in_zone(random_bits() % 4 ? path + skip : path, times);
            seen++;
        }
    }
    if (open) closedir(open);
    return seen;
}

static char *some_offset(char *to) {
    if (random_bits() % 2) *to++ = "+-"[random_bits() % 2];
    to += sprintf(to, "%d", (int)(random_bits() % (random_bits() % 8 ? 25 : 400)));
    for (int i = 0; i < 2 && random_bits() % 3 == 0; i++) to += sprintf(to, ":%02d", (int)(random_bits() % 60));
    return to;
}

static char *some_name(char *to) {
    const int bracket = random_bits() % 3 == 0, length = (int)(random_bits() % 8 ? 3 + random_bits() % 3 : random_bits() % 10);
    if (bracket) *to++ = '<';
    for (int i = 0; i < length; i++) *to++ = bracket ? "+-09azAZ"[random_bits() % 8] : "EScdTZaz"[random_bits() % 8];
    if (bracket) *to++ = '>';
    return to;
}

static char *some_rule(char *to) {
    if (random_bits() % 8 == 0) return to;
    to = some_offset(some_name(to));
    if (random_bits() % 4 == 0) return *to = 0, to;
    to = some_name(to);
    if (random_bits() % 3 == 0) to = some_offset(to);
    for (int i = 0; i < 2 && random_bits() % 12; i++) {
        *to++ = ',';
        switch (random_bits() % 4) {
        case 0: to += sprintf(to, "J%d", (int)(random_bits() % 368)); break;
        case 1: to += sprintf(to, "%d", (int)(random_bits() % (random_bits() % 8 ? 367 : 100000))); break;
        default:
            to += sprintf(to, "M%d.%d.%d", (int)(random_bits() % 12) + 1, (int)(random_bits() % 5) + 1, (int)(random_bits() % 7));
        }
        if (random_bits() % 2) *to++ = '/', to = some_offset(to);
    }
    *to = 0;
    return to;
}

static unsigned char *put(unsigned char *p, int64_t value, int size) {
    for (int i = size; i--;) *p++ = (unsigned char)(value >> 8 * i);
    return p;
}

// One part of a file: its header and data.
static unsigned char *some_part(unsigned char *p, char version, int width) {
    const int times = (int)(random_bits() % (random_bits() % 2 ? 4 : 200)), types = 1 + (int)(random_bits() % 6), leaps = (int)(random_bits() % 3);
    memset(p, 0, 44);
    memcpy(p, "TZif", 4);
    p[4] = (unsigned char)version;
    put(p + 28, leaps, 4);
    put(p + 32, times, 4);
    put(p + 36, types, 4);
    put(p + 40, 12, 4);
    p += 44;
    int64_t when = -(int64_t)(random_bits() % 3000000000);
    const int is_mixed = random_bits() % 8 == 0, is_close = random_bits() % 4 == 0;
    for (int i = 0; i < times; i++) {
        p = put(p, when, width);
        when += (int64_t)(random_bits() % (is_close ? 40000 : 30000000));
        if (width == 4 && when > INT_MAX) when = INT_MAX;
        if (is_mixed && random_bits() % 8 == 0) when -= 20000000;
    }
    for (int i = 0; i < times; i++) *p++ = (unsigned char)(random_bits() % (unsigned)types);
    const int far = random_bits() % 8 == 0;
    for (int i = 0; i < types; i++) {
        p = put(p, (int)(random_bits() % (far ? 1000000 : 100000)) - (far ? 500000 : 50000), 4);
        *p++ = random_bits() % 2;
        *p++ = (unsigned char)(random_bits() % 11);
    }
    memcpy(p, "LMT\0AB\0CDEFG", 12);
    p += 12;
    memset(p, 0, (unsigned)leaps * (unsigned)(width + 4));
    return p + leaps * (width + 4);
}

static void in_files(long count, const char *folder) {
    for (long i = 0; i < count; i++) {
        static unsigned char bytes[20000];
        char path[100];
        const int is_old = random_bits() % 3 == 0;
        unsigned char *p = some_part(bytes, is_old ? 0 : '2', 4);
        if (is_old) {
            bytes[4] = '1';
        } else {
            p = some_part(p, '2', 8);
            *p++ = '\n';
            p = (unsigned char *)some_rule((char *)p);
            *p++ = '\n';
        }
        // What musl would read beyond its end, we take for no file at all: only ours, so that it does not end us.
        const int is_cut = random_bits() % 8 == 0;
        sprintf(path, "%s/%ld", folder, i);
        FILE *file = fopen(path, "w");
        if (!file) exit(2);
        const size_t size = (size_t)(p - bytes);
        fwrite(bytes, 1, is_cut ? random_bits() % size : size, file);
        fclose(file);
        if (is_cut) {
            Tm t;
            setenv("TZ", path, 1);
            for (int k = 0; k < 100; k++) {
                const time_t when = some_time();
                if (brawn_localtime_r(&when, &t)) brawn_mktime(&t);
            }
        } else {
            in_zone(path, 60);
        }
        unlink(path);
    }
}

// A file that fills its last page, and whose last name does not begin or does not end in it, is none: musl reads what lies behind the page.
static void name_at_the_end(const char *folder) {
    enum { SIZE = 4096,
        TIMES = 800,
        NAMES = 44 + 5 * TIMES + 6 };
    for (int outside = 0; outside < 2; outside++) {
        static unsigned char bytes[SIZE];
        char path[100];
        memset(bytes, 0, NAMES);
        memset(bytes + NAMES, 'A', SIZE - NAMES);
        memcpy(bytes, "TZif1", 5);
        put(bytes + 32, TIMES, 4);
        put(bytes + 36, 1, 4);
        put(bytes + 40, SIZE - NAMES, 4);
        if (outside) bytes[NAMES - 1] = 255, bytes[SIZE - 1] = 0;
        sprintf(path, "%s/end%d", folder, outside);
        FILE *const file = fopen(path, "w");
        if (!file || fwrite(bytes, 1, SIZE, file) != SIZE || fclose(file)) exit(2);
        setenv("TZ", path, 1);
        Tm t;
        const time_t when = 0;
        if (!brawn_localtime_r(&when, &t) || strcmp(t.tm_zone, "UTC")) differs("tm_zone", 0, "a name behind its file");
        trials++;
        unlink(path);
    }
}

// Threads that ask at once, after a change that all see.
static pthread_barrier_t together;
static int thread_wrong;
static const char *const IN_TURN[] = {"EST5EDT,M3.2.0,M11.1.0", "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "Asia/Kolkata", 0};

static void *ask(void *unused) {
    for (int turn = 0; turn < 400; turn++) {
        pthread_barrier_wait(&together);
        for (int i = 0; i < 200; i++) {
            const time_t when = 1000000000 + (time_t)i * 1234567;
            Tm ours, musls;
            brawn_localtime_r(&when, &ours);
            if (turn % 8 == 0 && localtime_r(&when, &musls) && !same_date(&ours, &musls)) __atomic_store_n(&thread_wrong, 1, __ATOMIC_RELAXED);
        }
        pthread_barrier_wait(&together);
    }
    return unused;
}

static void threads_ask(void) {
    pthread_t threads[4];
    pthread_barrier_init(&together, 0, 5);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, ask, 0);
    for (int turn = 0; turn < 400; turn++) {
        const char *tz = IN_TURN[turn % 5];
        tz ? setenv("TZ", tz, 1) : unsetenv("TZ");
        pthread_barrier_wait(&together);
        pthread_barrier_wait(&together);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    zone_now = "several";
    if (thread_wrong) differs("localtime_r", 0, "another thread's zone");
    trials++;
}

static void zones(void) {
    static const char *const ODD[] = {"", ":", "UTC", "GMT", "UTC0", "GMT+3", "UTC/x", ":UTC0", ":Europe/Berlin", "Nowhere/Town", "./x",
        "/", "/etc", "/etc/passwd", "../etc/localtime", "Europe", "Europe.Berlin", "EST", "EST5", "EST5EDT", "<>3", "<+03", "<A>", "5", "A5",
        "EST5EDT,", "EST5EDT,0,0", "EST5EDT,M3.2.0/2:30:15,M11.1.0", "EST5EDT,J60/0,J300", "EST5EDT,M11.1.0,M3.2.0", "EST5EDT4,0/0,J365/25",
        "EST5EDT,J1/0,J365/24", "EST5EDT,M1.1.0/-200,M12.5.0/200", "A99999999999B", "/etc/localtime", ":/etc/localtime", "/dev/null"};
    const long times = rounds / 400;
    in_zone(0, times);
    for (size_t i = 0; i < sizeof ODD / sizeof *ODD; i++) in_zone(ODD[i], times);
    static char longest[5000];
    for (int size = 4090; size < 4102; size++) {
        memset(longest, '1', (size_t)size);
        memcpy(longest, "EST", 3);
        longest[size] = 0;
        in_zone(longest, 5);
    }
    __libc.secure = 1;
    in_zone("/usr/share/zoneinfo/Europe/Berlin", times);
    in_zone("/etc/localtime", times);
    in_zone("Europe/Berlin", times);
    __libc.secure = 0;
    const char folder[] = "/usr/share/zoneinfo";
    printf("time: %ld zones of the system\n", in_folder(folder, sizeof folder, rounds / 1000, 0));
    for (long i = 0; i < rounds / 100; i++) {
        char rule[200] = "";
        some_rule(rule);
        in_zone(rule, 60);
    }
    char made[] = "/tmp/brawn-zones-XXXXXX";
    if (!mkdtemp(made)) exit(2);
    in_files(rounds / 100, made);
    name_at_the_end(made);
    rmdir(made);
    threads_ask();
}

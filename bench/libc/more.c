/* What other files of this directory have no place for: conversions that programs use less, locales, timers, lists of loaded objects. */
#include "bench.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static char out[512];
static wchar_t wide_out[512];
static locale_t c_locale;
static FILE *null;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t empty;

PREPARE {
    c_locale = newlocale(LC_ALL_MASK, "C", 0);
    null = fopen("/dev/null", "w");
    pthread_spin_init(&spin, 0);
    sem_init(&empty, 0, 0);
}

#define TEXT(call, words)      \
    do {                       \
        const char *x = words; \
        HIDE(x);               \
        KEEP(call);            \
    } while (0)
#define VALUE(type, value, call)        \
    do {                                \
        type v = value;                 \
        __asm__ volatile("" : "+m"(v)); \
        KEEP(call);                     \
    } while (0)

/* printf's other conversions. */
ROW("numbers", u, "snprintf %u") { VALUE(unsigned, 3000000000u, snprintf(out, sizeof out, "%u", v)); }
ROW("numbers", lld, "snprintf %lld") { VALUE(long long, -1234567890123456789, snprintf(out, sizeof out, "%lld", v)); }
ROW("numbers", octal, "snprintf %o") { VALUE(unsigned, 0755, snprintf(out, sizeof out, "%o", v)); }
ROW("numbers", llx, "snprintf %llx") { VALUE(unsigned long long, 0xfeedfacecafebeef, snprintf(out, sizeof out, "%llx", v)); }
ROW("numbers", literal, "snprintf of words only") { KEEP(snprintf(out, sizeof out, "nothing to convert, only words")); }
ROW("numbers", star, "snprintf %.*s") { VALUE(int, 5, snprintf(out, sizeof out, "%.*s", v, "some words")); }
ROW("numbers", a_hex, "snprintf %a") { VALUE(double, 3.14159, snprintf(out, sizeof out, "%a", v)); }
ROW("numbers", lf_long, "snprintf %Lf") { VALUE(long double, 3.14159L, snprintf(out, sizeof out, "%Lf", v)); }
ROW("numbers", f0, "snprintf %.0f") { VALUE(double, 123456.0, snprintf(out, sizeof out, "%.0f", v)); }
ROW("numbers", g_small, "snprintf %g of 1e-300") { VALUE(double, 1e-300, snprintf(out, sizeof out, "%g", v)); }
ROW("numbers", asprintf1, "asprintf and free") {
    char *p;
    VALUE(int, 42, asprintf(&p, "%d %s", v, "a word"));
    free(p);
}
ROW("numbers", dprintf0, "sprintf %d.%d.%d.%d") { VALUE(int, 192, sprintf(out, "%d.%d.%d.%d", v, 168, 10, 254)); }
/* Text to numbers. */
ROW("numbers", strtold1, "strtold 3.14159") { TEXT((int)strtold(x, 0), "3.14159"); }
ROW("numbers", strtod_zero, "strtod 0") { TEXT((int)strtod(x, 0), "0"); }
ROW("numbers", strtod_small, "strtod of 1e-310, subnormal") { TEXT((int)(strtod(x, 0) > 1), "1e-310"); }
ROW("numbers", strtod_many, "strtod of 40 digits") { TEXT((int)strtod(x, 0), "0.1234567890123456789012345678901234567890"); }
ROW("numbers", atof1, "atof -73.98") { TEXT((int)atof(x), "-73.98"); }
ROW("numbers", imax, "strtoimax 99") { TEXT(strtoimax(x, 0, 10), "99"); }
ROW("numbers", scan_x, "sscanf %x:%x") {
    unsigned a, b;
    TEXT(sscanf(x, "%x:%x", &a, &b), "be:ef");
}
ROW("numbers", scan_set, "sscanf %[^=]=%s") {
    char k[32], v[32];
    TEXT(sscanf(x, "%31[^=]=%31s", k, v), "name=value");
}
ROW("numbers", aton, "inet_addr") { TEXT(inet_addr(x), "10.0.0.1"); }
ROW("numbers", a64, "a64l") { TEXT(a64l(x), "abcdef"); }
/* Wide numbers and text. */
ROW("wide", wcstol1, "wcstol 12345") {
    const wchar_t *x = L"12345";
    HIDE(x);
    KEEP(wcstol(x, 0, 10));
}
ROW("wide", wcstod1, "wcstod 3.14") {
    const wchar_t *x = L"3.14";
    HIDE(x);
    KEEP((int)wcstod(x, 0));
}
ROW("wide", swprintf1, "swprintf %d") { VALUE(int, 4711, swprintf(wide_out, 512, L"%d", v)); }
ROW("wide", wcwidth1, "wcwidth, 16") {
    for (int i = 0; i < 16; i++) {
        wchar_t c = (wchar_t)(0x4e00 + i);
        HIDE(c);
        KEEP(wcwidth(c));
    }
}
ROW("wide", iswalpha16, "iswalpha, 16") {
    for (int i = 0; i < 16; i++) {
        wint_t c = (wint_t)(0xe0 + i);
        HIDE(c);
        KEEP(iswalpha(c));
    }
}
ROW("wide", wcrtomb1, "wcrtomb, 2 B") {
    mbstate_t s = {0};
    wchar_t c = 0xe4;
    HIDE(c);
    KEEP(wcrtomb(out, c, &s));
}
ROW("wide", wcscasecmp1, "wcscasecmp, 12") {
    const wchar_t *x = L"content-type", *y = L"Content-Type";
    HIDE(x);
    HIDE(y);
    KEEP(wcscasecmp(x, y));
}
ROW("wide", wcstok1, "wcstok, 3 words") {
    wchar_t words[] = L"some more words", *rest;
    for (wchar_t *t = wcstok(words, L" ", &rest); t; t = wcstok(0, L" ", &rest)) KEEP(t);
}
/* Locales. */
ROW("wide", uselocale1, "uselocale, there and back") {
    locale_t old = uselocale(c_locale);
    KEEP(uselocale(old));
}
ROW("wide", newlocale1, "newlocale and freelocale") {
    locale_t l = newlocale(LC_ALL_MASK, "C", 0);
    KEEP(l);
    freelocale(l);
}
ROW("wide", localeconv1, "localeconv") { KEEP(localeconv()); }
/* Strings. */
ROW("strings", xfrm, "strxfrm, 12 B") { TEXT(strxfrm(out, x, sizeof out), "twelve bytes"); }
ROW("strings", stpcpy12, "stpcpy, 12 B") { TEXT(stpcpy(out, x), "twelve bytes"); }
ROW("strings", strncpy32, "strncpy, 12 B of 32") { TEXT(strncpy(out, x, 32), "twelve bytes"); }
ROW("strings", strcat12, "strcat, 12 B to 12") {
    strcpy(out, "twelve bytes");
    TEXT(strcat(out, x), "twelve bytes");
}
ROW("strings", strncmp5, "strncmp, 5 B") { TEXT(strncmp(x, "HTTP/1.1", 5), "HTTP/1.0"); }
ROW("strings", swab64, "swab, 64 B") {
    swab(out, out + 128, 64);
    KEEP(out);
}
ROW("strings", ndup, "strndup and free, 8 B") { TEXT((free(strndup(x, 8)), 0), "twelve bytes"); }
/* Searching. */
ROW("sort", insert, "insque and remque") {
    static struct {
        void *next, *before;
    } first, second;
    insque(&first, 0);
    insque(&second, &first);
    remque(&second);
}
/* Time. */
ROW("time", nsleep, "nanosleep of 0") {
    struct timespec t = {0};
    KEEP(nanosleep(&t, 0));
}
ROW("time", cputime, "clock") { KEEP(clock()); }
ROW("time", diff, "clock_getres") {
    struct timespec t;
    KEEP(clock_getres(CLOCK_MONOTONIC, &t));
}
ROW("time", local_past, "localtime_r, a day further each") {
    static time_t m = 1000000000;
    struct tm t;
    m += 86400;
    if (m > 2000000000) m = 1000000000;
    KEEP(localtime_r(&m, &t));
}
/* Files and names. */
static int visited(const char *path, const struct stat *s, int kind, struct FTW *f) {
    KEEP(path);
    return 0;
}
ROW("other", walk, "nftw of /etc/default") { KEEP(nftw("/etc/default", visited, 8, FTW_PHYS)); }
ROW("other", scan, "scandir of /etc, sorted") {
    struct dirent **found;
    int n = scandir("/etc", &found, 0, alphasort);
    for (int i = 0; i < n; i++) free(found[i]);
    if (n >= 0) free(found);
}
ROW("other", temporary, "mkstemp, unlink, close") {
    int fd = open_temporary();
    if (fd >= 0) close(fd);
}
/* Threads. */
ROW("threads", spin1, "spin lock, alone") {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
}
ROW("threads", key_made, "pthread_key_create and delete") {
    pthread_key_t k;
    pthread_key_create(&k, 0);
    pthread_key_delete(k);
}
ROW("threads", attributes, "pthread_attr_init and destroy") {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_destroy(&a);
}
ROW("threads", init, "pthread_mutex_init and destroy") {
    pthread_mutex_t m;
    pthread_mutex_init(&m, 0);
    pthread_mutex_destroy(&m);
}
ROW("threads", late, "pthread_cond_timedwait, late") {
    struct timespec past = {1, 0};
    pthread_mutex_lock(&lock);
    KEEP(pthread_cond_timedwait(&never, &lock, &past));
    pthread_mutex_unlock(&lock);
}
ROW("threads", semtry, "sem_trywait, none") { KEEP(sem_trywait(&empty)); }
ROW("threads", cancel, "pthread_setcancelstate, there and back") {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_setcancelstate(old, 0);
}
/* Not inlined: it may use setjmp. */
__attribute__((noinline)) static void cleaned(void) {
    pthread_cleanup_push(free, 0);
    pthread_cleanup_pop(0);
}
ROW("threads", cleanup, "pthread_cleanup_push and pop") { cleaned(); }
ROW("threads", timer, "timer_create and delete") {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    timer_t t;
    if (!timer_create(CLOCK_MONOTONIC, &none, &t)) timer_delete(t);
}
static void *allocating(void *n) {
    for (long i = (long)n; i--;) {
        void *p = malloc(16 + (size_t)(i & 255));
        KEEP(p);
        free(p);
    }
    return 0;
}
ROW_N("threads", malloc2, "malloc and free, two threads") {
    pthread_t other;
    pthread_create(&other, 0, allocating, (void *)(n / 2 + 1));
    allocating((void *)(n / 2 + 1));
    pthread_join(other, 0);
}
static int object(struct dl_phdr_info *info, size_t size, void *p) {
    KEEP(info);
    return 0;
}
/* What a C++ exception and a panic of Rust's begin with in a program of musl. */
static void *listing(void *n) {
    for (long i = (long)n; i--;) KEEP(dl_iterate_phdr(object, 0));
    return 0;
}
ROW("threads", objects, "dl_iterate_phdr") { KEEP(dl_iterate_phdr(object, 0)); }
#define LISTING(COUNT)                                                                                \
    ROW_N("threads", objects##COUNT, "dl_iterate_phdr, " #COUNT " threads") {                         \
        pthread_t all[COUNT];                                                                         \
        for (int i = 0; i < COUNT; i++) pthread_create(&all[i], 0, listing, (void *)(n / COUNT + 1)); \
        for (int i = 0; i < COUNT; i++) pthread_join(all[i], 0);                                      \
    }
LISTING(2)
LISTING(8)
/* Streams. */
ROW("stdio", fprintf_plain, "fprintf of words only") { KEEP(fprintf(null, "nothing to convert\n")); }
ROW("stdio", flush, "putc and fflush") {
    putc('x', null);
    KEEP(fflush(null));
}
ROW("stdio", locking, "flockfile and funlockfile") {
    flockfile(null);
    funlockfile(null);
}
ROW("stdio", setting, "ferror, feof, clearerr") {
    KEEP(ferror(null));
    KEEP(feof(null));
    clearerr(null);
}
ROW("stdio", wide_put, "ungetc and getc") {
    static FILE *f;
    if (!f) f = fopen("/dev/zero", "r");
    ungetc('x', f);
    KEEP(getc(f));
}

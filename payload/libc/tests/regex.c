// Holds brawn's regexec against the musl that this is linked with, over patterns and texts that are made up.
//
//     regex [glance|sparse|long ROUNDS [SEED]]
//
// Both search with the same compiled pattern.  The function comes under its own name, brawn_regexec (-DBRAWN_MEMORY_UNNAMED).  What
// differs ends the program with 1, with the pattern, the text and both results.
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include "regex-patterns.h"

int brawn_regexec(const regex_t *, const char *, size_t, regmatch_t *, int);

enum { GROUPS = 12 };

static unsigned long trials, matches, made;
// For texts around which musl reads.
static char among_zeros[3 * TEXT];
static char *edge;

// How many seconds of a processor a pattern may take at a glance, emulated ones too: what takes longer does not end.
static int limit;
static void begin(void) {
    if (limit) setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = limit}, NULL);
}

// musl's `have_approx`, by which brawn's counts how much was searched: so a table comes with the next call.
static void want_table(const regex_t *r) {
    ((int *)r->__opaque)[24] = 1 << 28;
    begin();
}

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "regex: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

static void show(const char *s) {
    for (; *s; s++) {
        if (*s == '\n' || (unsigned char)*s >= 0x7f) fprintf(stderr, "\\x%02x", (unsigned char)*s);
        else fputc(*s, stderr);
    }
}

// What is searched with now, and whether it is musl that may read outside of all memory.
static const char *now;
static volatile int may_fault;
static sigjmp_buf behind_fault;

static void fault(int number) {
    if (may_fault && number == SIGSEGV) siglongjmp(behind_fault, 1);
    fprintf(stderr, "regex: pattern \"");
    show(now);
    fprintf(stderr, "\": signal %d\n", number);
    _exit(1);
}

static void compare(const regex_t *r, const char *pattern, const char *text, size_t count, int flags) {
    regmatch_t ours[GROUPS], musls[GROUPS];
    memset(ours, 0x5a, sizeof ours);
    memset(musls, 0x5a, sizeof musls);
    now = pattern;
    trials++;
    // Where musl faults, it gives nothing to be held against.
    may_fault = text >= among_zeros && text < among_zeros + sizeof among_zeros;
    if (may_fault && sigsetjmp(behind_fault, 1)) {
        may_fault = 0;
        return;
    }
    const int musls_result = regexec(r, text, count, musls, flags);
    may_fault = 0;
    const int our_result = brawn_regexec(r, text, count, ours, flags);
    matches += musls_result == 0;
    if (our_result == musls_result && !memcmp(ours, musls, sizeof ours)) return;
    fprintf(stderr, "regex: pattern \"");
    show(pattern);
    fprintf(stderr, "\", text \"");
    show(text);
    fprintf(stderr, "\", %zu groups, flags %d, locale %s\n", count, flags, setlocale(LC_ALL, NULL));
    for (size_t i = 0; i < count && i < GROUPS; i++)
        fprintf(stderr, "  group %zu: %td to %td, and musl's %td to %td\n", i, ours[i].rm_so, ours[i].rm_eo, musls[i].rm_so, musls[i].rm_eo);
    fail("result %d, and musl's %d", our_result, musls_result);
}

static void set_locale(int utf8) {
    if (!setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C")) fail("no locale");
}

// One pattern with some texts, each of which ends where a page ends that no other follows.  With back references and characters of more
// than one byte, musl loses count of the place and reads what lies around a text: those texts have zeros around them, and not all such searches end.
static void try_pattern(long round) {
    const int is_extended = below(3) != 0;
    set_locale(below(3) != 0);
    Made pattern;
    make_pattern(&pattern, is_extended);
    const int flags = (is_extended ? REG_EXTENDED : 0) | (below(4) ? 0 : REG_ICASE) | (below(3) ? 0 : REG_NEWLINE) | (below(4) ? 0 : REG_NOSUB);
    regex_t r;
    if (regcomp(&r, pattern.text, flags)) return;
    made++;
    if (below(4)) want_table(&r);
    for (unsigned k = below(20) + 1; k; k--) {
        static char made_text[TEXT + 1];
        const size_t most = pattern.has_references ? 14 : below(40) ? 40
                                                                    : 600;
        const size_t size = make_text(made_text, below((unsigned)most), below(4));
        char *const text = pattern.has_references ? among_zeros + TEXT : edge - size - 1;
        if (pattern.has_references) memset(among_zeros, 0, sizeof among_zeros);
        memcpy(text, made_text, size + 1);
        static const size_t counts[] = {0, 1, 1, 2, 3, GROUPS};
        compare(&r, pattern.text, text, ONE_OF(counts), (int)below(4));
        // A pattern serves in another locale than that it was compiled in.
        if (round % 64 == 0 && k % 4 == 0) set_locale(below(2));
    }
    regfree(&r);
}

// Back references that match often, and several ways to the same end.
static void references(int rounds) {
    static const char *const patterns[] = {"\\(a*\\)\\(a*\\)\\(b\\)\\3", "\\(a\\|b\\)*\\1", "\\(a*\\)*b\\1", "\\(\\(a\\)\\|b\\)*\\2", "\\(.*\\)\\(.*\\)\\1", "\\(\\)*\\1\\(a\\)*\\2"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int flags = 0; flags < 8; flags += 2) {
            regex_t r;
            set_locale(flags < 4);
            if (regcomp(&r, patterns[i], flags)) fail("%s: not compiled", patterns[i]);
            made++;
            for (int k = 0; k < rounds; k++) {
                memset(among_zeros, 0, sizeof among_zeros);
                make_text(among_zeros + TEXT, below(12), below(3));
                compare(&r, patterns[i], among_zeros + TEXT, GROUPS, (int)below(4));
            }
            regfree(&r);
        }
}

// Patterns whose tables grow large, or that are too large for one.
static void large_patterns(int rounds) {
    static const char *const patterns[] = {
        "(a|b)*a(a|b){10}",
        "(a|b)*a(a|b){6}c",
        "((a{20}){20}b|a)*c",
        "(a{1,255}){2}b",
        "(.{1,40}){3}",
        "([abcABC_ ]{0,60}[0-9]){0,12}x",
        "(a?){60}a{60}",
        "(a*)*(b*)*c",
        "(x+x+)+y",
        "((a)|b)*",
        "((a)*|(b)|x)*y?",
        "a(\\<)?b",
        "(^|x|\\>)*b",
        "a(\\B|\\b)*(x|_)",
        "[^[:alpha:][:digit:]]x|[^[:alpha:][:space:]]y",
        "\\<needle\\>",
        "a.{0,200}z",
        "aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz|0123456789|[А-я]{3}|€|é|ж|😀|AB|CD|EF|GH|IJ|KL|MN|OP|QR|ST|UV|WX|YZ",
        "[a][b][c][d][e][f]|А|Б|В|Г|Д|Е|Ж|З|И|Й|К|Л|М|Н|О|П|Р|С|Т|У|Ф|Х|Ц|Ч|Ш|Щ|Ъ|Ы|Ь|Э|Ю|Я|а|б|в|г|д|е|ж|з|и|й|к|л|м|н|о|п|р",
    };
    static char text[TEXT + 1];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int flags = 0; flags < 16; flags += 2) {
            regex_t r;
            set_locale(flags / 4 != 1);
            if (regcomp(&r, patterns[i], REG_EXTENDED | flags)) fail("%s: not compiled", patterns[i]);
            want_table(&r);
            made++;
            for (int k = 0; k < rounds; k++) {
                make_text(text, below(k % 8 ? k % 2 ? 8 : 200 : 2000), below(4));
                compare(&r, patterns[i], text, (size_t)k % 5, (int)below(4));
            }
            regfree(&r);
        }
}

// Every character, and what is none, against classes.
static void characters(unsigned stride) {
    static const char *const patterns[] = {"^.$", "^[[:alpha:]]$", "^[[:upper:]]$", "^[^[:punct:][:space:]]$", "\\<", "[à-ÿА-Я]"};
    set_locale(1);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (int flags = 0; flags <= REG_ICASE; flags += REG_ICASE) {
            regex_t r;
            if (regcomp(&r, patterns[i], REG_EXTENDED | flags)) fail("%s: not compiled", patterns[i]);
            want_table(&r);
            made++;
            for (unsigned c = 0x80 + below(stride); c < 0x110000; c += 1 + below(2 * stride)) {
                const unsigned char text[] = {(unsigned char)(0xf0 | c >> 18), (unsigned char)(0x80 | (c >> 12 & 63)), (unsigned char)(0x80 | (c >> 6 & 63)), (unsigned char)(0x80 | (c & 63)), 0};
                char *s = (char *)text, shorter[4] = {(char)(0xe0 | c >> 12), (char)text[2], (char)text[3], 0}, shortest[3] = {(char)(0xc0 | c >> 6), (char)text[3], 0};
                // Those that are longer than they need to be are none.
                if (c < 0x10000 && below(16)) s = shorter;
                if (c < 0x800 && below(16)) s = shortest;
                compare(&r, patterns[i], s, 1, 0);
            }
            for (unsigned k = 0; k < 0x200000 / stride; k++) {
                const unsigned bits = (unsigned)random_bits();
                const char text[] = {(char)(0xc0 | bits), (char)(bits >> 8), (char)(bits >> 16 | (bits & 1 ? 0x80 : 0)), (char)(bits >> 24 | (bits & 2 ? 0x80 : 0)), 0};
                compare(&r, patterns[i], text, 1, 0);
            }
            regfree(&r);
        }
}

// Threads that search with one pattern at once.
typedef struct {
    regex_t r;
    char text[64][400];
    int result[64];
    regmatch_t match[64];
} Shared;

static void *search(void *of) {
    const Shared *const shared = of;
    for (int k = 0; k < 640; k++) {
        regmatch_t m = {-7, -7};
        const int i = k * 7 % 64, result = brawn_regexec(&shared->r, shared->text[i], (size_t)k & 1, &m, 0);
        if (result != shared->result[i] || (k & 1 && !result && memcmp(&m, &shared->match[i], sizeof m)))
            fail("a thread's result is another one");
    }
    return NULL;
}

static void threads(int rounds) {
    static const char *const patterns[] = {"(a|b)*a(a|b){5}c", "[[:alpha:]]+[0-9]+", "foo|needle|é+", "\\<ab[^_]*\\>$", "x.*y.*z"};
    static Shared shared;
    set_locale(1);
    for (int k = 0; k < rounds; k++) {
        begin();
        if (regcomp(&shared.r, patterns[k % 5], REG_EXTENDED | (k % 2 ? REG_ICASE : 0))) fail("not compiled");
        for (int i = 0; i < 64; i++) {
            make_text(shared.text[i], below(399), below(2));
            shared.result[i] = regexec(&shared.r, shared.text[i], 1, &shared.match[i], 0);
        }
        pthread_t thread[4];
        for (int i = 0; i < 4; i++)
            if (pthread_create(&thread[i], NULL, search, &shared)) fail("no thread");
        for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
        regfree(&shared.r);
        trials += 4 * 640;
    }
}

// regfree frees what a pattern got.
static void memory(void) {
    const struct rlimit limit = {256 << 20, RLIM_INFINITY};
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    if (setrlimit(RLIMIT_AS, &limit)) return;
    for (int k = 0; k < 20000; k++) {
        regex_t r;
        if (regcomp(&r, "a[bc]d|x", REG_EXTENDED | REG_NOSUB)) fail("no memory");
        want_table(&r);
        if (brawn_regexec(&r, "abcd abd", 0, NULL, 0) || !((void **)r.__opaque)[5]) fail("pattern \"a[bc]d|x\": no table");
        regfree(&r);
    }
    setrlimit(RLIMIT_AS, &before);
}

int main(int argc, char **argv) {
    long rounds = 12000;
    unsigned stride = 40;
    if (argc > 1 && !strcmp(argv[1], "glance")) rounds = 1500, stride = 2000, limit = 5;
    else if (argc > 1 && !strcmp(argv[1], "sparse")) rounds = 2500, stride = 1000;
    else if (argc > 2 && !strcmp(argv[1], "long")) rounds = atol(argv[2]), stride = 1;
    else if (argc > 1) return printf("expected glance, sparse or long ROUNDS [SEED]\n"), 1;
    if (argc > 3) random_state += (uint64_t)atol(argv[3]) * 0x9e3779b97f4a7c15;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const room = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + 3 * page, page, PROT_NONE)) return printf("regex: no memory\n"), 1;
    edge = room + 3 * page;
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGPROF};
    for (int i = 0; i < 4; i++) signal(signals[i], fault);
    memory();
    for (long k = 0; k < rounds; k++) try_pattern(k);
    references(stride < 1000 ? 400 : 100);
    large_patterns(stride < 1000 ? 64 : 8);
    characters(stride);
    threads(stride < 1000 ? 100 : 10);
    printf("regex: %lu patterns, %lu searches, %lu of them found something\n", made, trials, matches);
    return 0;
}

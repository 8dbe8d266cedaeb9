//# states: functions of strings answer at the edges as C, POSIX and musl say, and read nothing behind the end
//# link: static static-pie line
//# not-covered: rewritten@zig-0.15.2: zig's own strncasecmp, in libzigc.a, compares a byte where it is to compare none
//# not-covered: brawn@zig-0.15.2: the same strncasecmp, which brawn does not change
#include "guarded.h"
#include <strings.h>

#if !defined __GLIBC__ || __GLIBC_MINOR__ >= 38
#define HAS_STRLCPY 1
#endif

extern char **environ;

static int small(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* ASCII's letters are the same in both cases and no other byte is, though half of a letter's neighbours look like one. */
static void letters(void) {
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++) {
            char x[2] = {(char)a, 0}, y[2] = {(char)b, 0};
            int expected = sign(small(a) - small(b));
            if (sign(strcasecmp(x, y)) != expected || sign(strncasecmp(x, y, 9)) != expected)
                CHECK(0, "bytes %d and %d compare as %d and %d", a, b, strcasecmp(x, y), strncasecmp(x, y, 9));
        }
    CHECK_SAME(strncasecmp("a", "B", 0), 0);
    CHECK_SAME(strncasecmp("abcX", "ABCy", 3), 0);
    CHECK(strcasecmp("abc", "ABCD") < 0 && strcasecmp("", "a") < 0 && strcasecmp("B", "a") > 0, "wrong order");
    /* As unsigned bytes, and the end before all of them. */
    CHECK(strcasecmp("\xff", "z") > 0 && strcasecmp("\x80", "") > 0, "signed bytes");
}

/* Every length up to some vectors, each as the last bytes there are. */
static void lengths(void) {
    static char text[600], other[600];
    for (size_t n = 0; n < 300; n = n < 70 ? n + 1 : n + 17) {
        for (size_t i = 0; i < n; i++) text[i] = "aBcDeFgH"[i % 8], other[i] = "AbCdEfGh"[i % 8];
        text[n] = other[n] = 0;
        const char *s = text_at_end(text);
        CHECK_SAME(strcasecmp(s, other), 0);
        CHECK_SAME(strncasecmp(other, s, n + 100), 0);
        CHECK_SAME(strspn(s, "aBcDeFgH"), n);
        CHECK_SAME(strcspn(s, "xyz"), n);
        CHECK(!strpbrk(s, "\x80\xff."), "found at %zu", n);
        CHECK(strcasestr(s, "hA.") == NULL, "found in %zu", n);
        if (n) {
            CHECK(strcasestr(s, other + n - 1) != NULL, "the last letter of %zu", n);
            CHECK(strcasestr(s, other) == s, "all of %zu", n);
            other[n - 1] = '.';
            CHECK_SAME(sign(strcasecmp(s, other)), 1);
            CHECK_SAME(strncasecmp(s, other, n - 1), 0);
        }
        /* memccpy reads as far as the byte that it looks for, and writes no further. */
        char to[700];
        memset(to, '#', sizeof to);
        CHECK(memccpy(to, s, 0, sizeof to) == to + n + 1 && to[n] == 0 && to[n + 1] == '#', "of %zu bytes", n);
        memset(to, '#', sizeof to);
        CHECK(memccpy(to, s, '.', n) == NULL && to[n] == '#', "of %zu bytes", n);
        CHECK(memcmp(to, s, n) == 0, "of %zu bytes", n);
    }
    char to[4] = "abc";
    CHECK(memccpy(to, "xyz", 'y' + 256, 3) == to + 2, "the byte is one");
    CHECK_TEXT(to, "xyc");
    CHECK(memccpy(to, guarded_end, 0, hidden_size(0)) == NULL, "nothing to copy");
}

static void sets(void) {
    char all[256], *p = all;
    for (int c = 255; c > 0; c--) *p++ = (char)c;
    *p = 0;
    char text[300];
    for (int i = 0; i < 299; i++) text[i] = (char)(1 + i * 7 % 255);
    text[299] = 0;
    CHECK_SAME(strspn(text_at_end(text), all), 299);
    CHECK_SAME(strcspn(text, all), 0);
    CHECK_SAME(strspn(text, ""), 0);
    CHECK_SAME(strcspn(text, ""), 299);
    CHECK_SAME(strspn("", all), 0);
    CHECK_SAME(strcspn("", all), 0);
    CHECK(strpbrk("", all) == NULL && strpbrk(text, "") == NULL, "found nothing");
    for (int c = 1; c < 256; c++) {
        char one[2] = {(char)c, 0}, without[256], *q = without;
        for (int other = 1; other < 256; other++)
            if (other != c) *q++ = (char)other;
        *q = 0;
        size_t at = strcspn(text, one);
        CHECK((unsigned char)text[at] == c || at == 299, "byte %d at %zu", c, at);
        CHECK_SAME(strspn(text, without), at);
        char *found = strpbrk(text, one);
        CHECK(found == (at < 299 ? text + at : NULL), "byte %d", c);
    }
    CHECK_SAME(strspn("aaab", "aa"), 3);
    CHECK_SAME(strcspn("aaab", "bb"), 3);
}

/* Text that nearly fits at every place: of one letter, and of two in turn. */
static void parts_that_nearly_fit(void) {
    enum { LENGTH = 9000 };
    static char text[LENGTH + 1], part[400];
    for (size_t turn = 1; turn <= 2; turn++) {
        for (size_t size = 3; size < sizeof part; size += 1 + size / 3) {
            for (size_t i = 0; i < LENGTH; i++) text[i] = "aBAb"[i % turn + (i / 7 & 1) * 2];
            for (size_t i = 0; i < size; i++) part[i] = "AB"[i % turn];
            text[LENGTH] = part[size] = 0;
            CHECK(strcasestr(text, part) == text, "%zu of %zu: not at the beginning", size, turn);
            for (size_t odd = 0; odd < size; odd += 1 + size / 5) {
                const char was = part[odd];
                part[odd] = 'c';
                CHECK(!strcasestr(text, part), "%zu of %zu, odd at %zu: found", size, turn, odd);
                const size_t at = (LENGTH - size) / 2 * 2 - 2;
                text[at + odd] = 'C';
                CHECK(strcasestr(text, part) == text + at, "%zu of %zu, odd at %zu: not found", size, turn, odd);
                text[at + odd] = "aB"[(at + odd) % turn];
                part[odd] = was;
            }
        }
    }
}

static void parts(void) {
    parts_that_nearly_fit();
    const char *text = "The QUICK brown fox";
    CHECK(strcasestr(text, "quick") == text + 4, "not found");
    CHECK(strcasestr(text, "FOX") == text + 16, "not found");
    CHECK(strcasestr(text, "foxx") == NULL && strcasestr("fo", "fox") == NULL, "found");
    CHECK(strcasestr(text, "") == text, "an empty part");
    CHECK(strcasestr("aaaaaaaaab", "AAB") != NULL, "not found after many that begin so");
    /* '@' and '`', '[' and '{' differ by the same bit as letters do. */
    CHECK(strcasestr("x@y", "`") == NULL && strcasestr("x[y", "{") == NULL, "no letters");
    /* musl before 1.2.6 looks at no place of an empty text. */
    const char *nothing = "", *found = strcasestr(nothing, "");
    CHECK(found == nothing || !found, "found elsewhere");
}

#ifdef HAS_STRLCPY
static void copies(void) {
    char to[8];
    memset(to, '#', sizeof to);
    CHECK_SAME(strlcpy(to, "abc", 0), 3);
    CHECK(to[0] == '#', "wrote into nothing");
    CHECK_SAME(strlcpy(to, "abcdef", 4), 6);
    CHECK(strcmp(to, "abc") == 0 && to[4] == '#', "%.8s", to);
    CHECK_SAME(strlcpy(to, "abc", 4), 3);
    CHECK_SAME(strlcat(to, "defgh", 8), 8);
    CHECK_TEXT(to, "abcdefg");
    CHECK_SAME(strlcat(to, "xy", 8), 9);
    CHECK_TEXT(to, "abcdefg");
    memset(to, '#', sizeof to);
    /* No end in what there is: nothing is written. */
    CHECK_SAME(strlcat(to, "xyz", 8), 11);
    CHECK(to[7] == '#', "wrote");
    CHECK_SAME(strlcat(to, "xyz", 0), 3);
    /* All of the source is read for its length, and no more. */
    CHECK_SAME(strlcpy(to, text_at_end("a longer text than that"), 3), 23);
}
#endif

static void environment(void) {
    char *before[] = {"", "=odd", "A", "AB=1", "A=2", "A=3", "ABC=4", "E=", "X=a=b", NULL};
    char **kept = environ;
    environ = before;
    CHECK_TEXT(getenv("A"), "2");
    CHECK_TEXT(getenv("AB"), "1");
    CHECK_TEXT(getenv("ABC"), "4");
    CHECK_TEXT(getenv("E"), "");
    CHECK_TEXT(getenv("X"), "a=b");
    CHECK(!getenv("ABCD") && !getenv("B"), "found");
#ifndef __GLIBC__
    /* What has a '=' is no name; glibc finds "X=a". */
    CHECK(!getenv("") && !getenv("A=") && !getenv("X=a") && !getenv("=odd"), "found");
#endif
    environ = (char *[]){NULL};
    CHECK(!getenv("A"), "found in nothing");
    environ = NULL;
    CHECK(!getenv("A"), "found in nothing");
    environ = kept;
    NEED(setenv("BRAWN_TEST", "1", 1) == 0 && setenv("BRAWN_TEST", "2", 0) == 0);
    CHECK_TEXT(getenv("BRAWN_TEST"), "1");
    static char own[] = "BRAWN_TEST=own";
    NEED(putenv(own) == 0);
    CHECK(getenv("BRAWN_TEST") == own + 11, "not the program's own");
    own[11] = 'O';
    CHECK_TEXT(getenv("BRAWN_TEST"), "Own");
    unsetenv("BRAWN_TEST");
    CHECK(!getenv("BRAWN_TEST"), "still there");
    NEED(clearenv() == 0);
    CHECK(!getenv("PATH"), "still there");
    environ = kept;
}

int main(void) {
    errno = 77;
    letters();
    lengths();
    sets();
    parts();
#ifdef HAS_STRLCPY
    copies();
#endif
    CHECK(errno == 77, "none of these sets errno, and it is %d", errno);
    environment();
    return check_result();
}

// Patterns and texts that are made up, of few characters, so that many match.
#pragma once
#include <stdint.h>
#include <string.h>

enum {
    PATTERN = 2000,
    TEXT = 6000,
};

static uint64_t random_state = 88172645463325252;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1d >> 11;
}
static unsigned below(unsigned n) { return (unsigned)(random_bits() % n); }

typedef struct {
    char text[PATTERN];
    size_t size;
    int is_extended, has_references, groups, open_groups, repeats;
} Made;

static void put(Made *to, const char *s) {
    const size_t n = strlen(s);
    if (to->size + n >= PATTERN - 8) return;
    memcpy(to->text + to->size, s, n);
    to->text[to->size += n] = 0;
}

#define ONE_OF(list) ((list)[below(sizeof(list) / sizeof *(list))])

static void put_character(Made *to) {
    static const char *const all[] = {"a", "a", "b", "b", "c", "A", "B", "_", " ", "0", "1", "-", "\n", "é", "É", "Ж", "ж", "€", "𝒳", "ß", "x", "y", "z", "\\.", "\\x61"};
    put(to, ONE_OF(all));
}

static void put_set(Made *to) {
    static const char *const parts[] = {"a", "b", "a-c", "A-C", "0-9", "[:alpha:]", "[:upper:]", "[:lower:]", "[:digit:]", "[:space:]", "[:punct:]", "[:alnum:]", "é", "а-я", "€", "_", " ", "\n", "x-z", "[:cntrl:]", "[:xdigit:]"};
    put(to, below(3) ? "[" : "[^");
    for (unsigned n = 1 + below(3); n; n--) put(to, ONE_OF(parts));
    put(to, "]");
}

static void put_alternatives(Made *to, unsigned depth);

static void put_atom(Made *to, unsigned depth) {
    static const char *const words[] = {"ab", "abc", "foo", "Жа", "needle", "aaa", "é€"};
    static const char *const escapes[] = {"\\w", "\\W", "\\s", "\\d", "\\S", "\\D"};
    static const char *const places[] = {"\\<", "\\>", "\\b", "\\B", "^", "$"};
    const unsigned kind = below(24);
    if (kind < 10) put_character(to);
    else if (kind < 12) put(to, ".");
    else if (kind < 14) put_set(to);
    else if (kind < 15) put(to, ONE_OF(escapes));
    else if (kind < 16) put(to, ONE_OF(words));
    else if (kind < 18) put(to, ONE_OF(places));
    else if (kind < 18 + 3u * (unsigned)to->has_references && to->groups) put(to, (const char *[]){"\\1", "\\2", "\\3"}[below(to->groups < 3 ? (unsigned)to->groups : 3)]);
    else if (depth) {
        put(to, to->is_extended ? "(" : "\\(");
        to->groups++;
        put_alternatives(to, depth - 1);
        put(to, to->is_extended ? ")" : "\\)");
    } else put_character(to);
}

static void put_sequence(Made *to, unsigned depth) {
    static const char *const extended[] = {"*", "*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0}", "{4,9}"};
    static const char *const basic[] = {"*", "*", "\\+", "\\?", "\\{2\\}", "\\{0,2\\}", "\\{1,3\\}", "\\{2,\\}", "\\{0\\}", "\\{4,9\\}"};
    for (unsigned n = below(8) ? 1 + below(4) : 0; n; n--) {
        put_atom(to, depth);
        if (below(3) == 0 && to->repeats < (to->has_references ? 2 : 6)) {
            to->repeats++;
            put(to, to->is_extended ? ONE_OF(extended) : ONE_OF(basic));
        }
    }
}

static void put_alternatives(Made *to, unsigned depth) {
    for (unsigned n = below(4) ? 1 : 2 + below(2); n; n--) {
        put_sequence(to, depth);
        if (n > 1) put(to, to->is_extended ? "|" : "\\|");
    }
}

static void make_pattern(Made *to, int is_extended) {
    *to = (Made){.is_extended = is_extended};
    to->has_references = !is_extended && below(2) == 0;
    if (below(8) == 0) put(to, "^");
    if (below(10) == 0) put(to, below(2) ? "ab" : "Жб");
    put_alternatives(to, below(4));
    if (below(8) == 0) put(to, "needle");
    if (below(8) == 0) put(to, "$");
}

// Writes a text of about that many bytes behind `to`, and gives its size.
static size_t make_text(char *to, size_t wanted, unsigned odd) {
    static const char *const plain[] = {"a", "a", "a", "b", "b", "c", "A", "B", "_", " ", "0", "1", "-", "\n", "x", "y", "z", "ab", "abc", "needle", "foo"};
    static const char *const wide[] = {"é", "É", "Ж", "ж", "€", "𝒳", "ß", "Жб", "а", "\u2003", "\uff21"};
    static const char *const invalid[] = {"\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9d", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"};
    size_t n = 0;
    // With few letters, long repetitions come about.
    const unsigned letters = below(3) ? sizeof plain / sizeof *plain : 1 + below(5);
    while (n < wanted) {
        const unsigned kind = below(200);
        const char *s = plain[below(letters)];
        if (odd && kind < 30) s = ONE_OF(wide);
        if (odd > 1 && kind == 199) s = ONE_OF(invalid);
        const size_t size = strlen(s);
        if (n + size > wanted) break;
        memcpy(to + n, s, size);
        n += size;
    }
    to[n] = 0;
    return n;
}

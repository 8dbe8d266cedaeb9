// What musl's regcomp makes of a pattern, and how a text is read.  The structures are the same in musl 1.2.2 to 1.2.6
// (src/regex/tre.h, include/regex.h): an automaton whose states are lists of steps.  Each step takes one character.
#pragma once
#include "../libc.h"

// musl's wctype_t and regoff_t.
typedef unsigned long Class;
typedef long Offset;

typedef struct Step Step;
struct Step {
    // The characters that it takes, from the first to the last.
    unsigned first, last;
    // The state that it leads to, and that state's number.  A state is a list of steps, which ends with one that leads nowhere.
    const Step *to;
    int number;
    // Numbers of the marks that are set to the place behind the character; a negative one ends them.
    const int *marks;
    int asserted;
    union {
        Class class;
        int group;
    } of;
    const Class *not_of;
};
_Static_assert(offsetof(Step, to) == 8 && offsetof(Step, marks) == 24 && offsetof(Step, of) == 40, "musl's tre_tnfa_transition_t");
_Static_assert(offsetof(Step, not_of) == 48 && sizeof(Step) == 56, "musl's tre_tnfa_transition_t");

// What may be asserted of a step.
enum {
    AT_BEGIN = 1,
    AT_END = 2,
    IN_CLASS = 4,
    IN_NO_CLASS = 8,
    AT_WORD = 16,
    BEHIND_WORD = 32,
    AT_EDGE = 64,
    AT_NO_EDGE = 128,
    REPEATS = 256,
    OF_WORDS = AT_WORD | BEHIND_WORD | AT_EDGE | AT_NO_EDGE,
    OF_PLACE = AT_BEGIN | AT_END | OF_WORDS,
};

typedef struct {
    // The marks where a group begins and ends, and the groups around it; a negative number ends them.
    int begin, end;
    const int *around;
} Group;

typedef struct Table Table;
typedef struct {
    const Step *steps;
    unsigned count;
    const Step *initial, *final;
    const Group *group;
    // musl's `firstpos_chars`.  regcomp leaves it empty, nothing of musl's reads it, and regfree frees it.  So what brawn knows of a
    // pattern lives there, exactly as long as the pattern.
    Table *table;
    int unused;
    unsigned groups;
    // Whether the larger of two marks wins.
    const int *larger_wins;
    const int *never_used;
    int marks, none_of_them;
    // The mark that stands for the end of the match.
    int end_mark;
    int states;
    int flags;
    int repeats;
    // musl's `have_approx`, which is always 0 there and which nothing reads: how much text was searched without a table, or NO_TABLE.
    int searched;
} Automaton;
_Static_assert(offsetof(Automaton, table) == 40 && offsetof(Automaton, marks) == 72 && offsetof(Automaton, end_mark) == 80, "musl's tre_tnfa_t");
_Static_assert(offsetof(Automaton, searched) == 96 && sizeof(Automaton) == 104, "musl's tre_tnfa_t");

typedef struct {
    size_t groups;
    Automaton *automaton;
} Pattern;
typedef struct {
    Offset begin, end;
} Match;

enum {
    // Of a pattern.
    IGNORES_CASE = 2,
    HAS_LINES = 4,
    NO_GROUPS = 8,
    // Of a call.
    NOT_BEGIN = 1,
    NOT_END = 2,
    // Results: musl's REG_OK, REG_NOMATCH and REG_ESPACE.
    FOUND = 0,
    NOT_FOUND = 1,
    NO_MEMORY = 12,
    // Ours: what was tried does not decide; it did not come to its end.
    UNDECIDED = -1,
    STOPPED = -2,
    INVALID = -1,
    NO_TABLE = -1,
};

// musl's wchar_t, by the compiler's.
int mbtowc(__WCHAR_TYPE__ *restrict to, const char *restrict from, size_t n);
// Its first class is that of letters and digits, [:alnum:], since 0.9.
enum { ALNUM = 1 };
int iswctype(unsigned c, Class class);
unsigned towlower(unsigned c);
unsigned towupper(unsigned c);
void *malloc(size_t n);
void free(void *p);

typedef struct {
    const Automaton *of;
    const unsigned char *text;
    int flags, is_utf8;
} Search;

// Whether the thread's characters are UTF-8: else each byte is one.  musl has no name for this that every program has.
INLINE int asks_utf8(void) {
    __WCHAR_TYPE__ c;
    return mbtowc(&c, "\xc2\x80", 2) == 2;
}

// One character of more than one byte; INVALID where mbtowc gives an error.
static int long_character(const unsigned char *s, int *size) {
    const unsigned a = s[0];
    if (a < 0xc2 || a > 0xf4) return INVALID;
    const unsigned b = s[1] ^ 0x80;
    if (b > 0x3f) return INVALID;
    if (a < 0xe0) return *size = 2, (int)((a & 0x1f) << 6 | b);
    const unsigned c = s[2] ^ 0x80;
    if (c > 0x3f) return INVALID;
    if (a < 0xf0) {
        const unsigned all = (a & 0xf) << 12 | b << 6 | c;
        if (all < 0x800 || all - 0xd800 < 0x800) return INVALID;
        return *size = 3, (int)all;
    }
    const unsigned d = s[3] ^ 0x80;
    const unsigned all = (a & 7) << 18 | b << 12 | c << 6 | d;
    if (d > 0x3f || all - 0x10000 > 0xfffff) return INVALID;
    return *size = 4, (int)all;
}

// The character at s, as mbtowc reads it; the text's end is one byte.
INLINE int character(const unsigned char *s, int is_utf8, int *size) {
    *size = 1;
    if (LIKELY(*s < 0x80)) return *s;
    // Bytes of the C locale: musl's CODEUNIT (src/multibyte/internal.h).
    if (!is_utf8) return 0xdf00 | *s;
    return long_character(s, size);
}

// The character in front of a place in a valid text; 0 at its begin.
static int character_before(const Search *search, size_t at) {
    if (!at) return 0;
    const unsigned char *s = search->text + at - 1;
    if (search->is_utf8)
        while ((*s & 0xc0) == 0x80) s--;
    int size;
    return character(s, search->is_utf8, &size);
}

static int is_word(int c) {
    if (c < 0x80) return c == '_' || (unsigned)(c | 32) - 'a' < 26 || (unsigned)c - '0' < 10;
    return !!iswctype((unsigned)c, ALNUM);
}

static int holds_at_words(int asserted, int before, int after, Offset at) {
    const int left = is_word(before), right = is_word(after), is_end = at == 0 || !after;
    if (asserted & AT_WORD && (left || !right)) return 0;
    if (asserted & BEHIND_WORD && (!left || right)) return 0;
    if (asserted & AT_EDGE && !is_end && left == right) return 0;
    if (asserted & AT_NO_EDGE && (is_end || left != right)) return 0;
    return 1;
}

// Whether what is asserted of a place between two characters holds.
INLINE int holds_at(const Search *search, int asserted, int before, int after, Offset at) {
    const int has_lines = search->of->flags & HAS_LINES;
    if (asserted & AT_BEGIN && (at > 0 || search->flags & NOT_BEGIN) && !(has_lines && before == '\n')) return 0;
    if (asserted & AT_END && (after || search->flags & NOT_END) && !(has_lines && after == '\n')) return 0;
    return !(asserted & OF_WORDS) || holds_at_words(asserted, before, after, at);
}

// Whether the step takes the character as far as classes go.  Of the two cases, the one that decides more often comes first.
INLINE int is_in_classes(const Step *step, unsigned c, int ignores_case) {
    if (step->asserted & IN_CLASS) {
        const Class class = step->of.class;
        if (!ignores_case && !iswctype(c, class)) return 0;
        if (ignores_case && !iswctype(towlower(c), class) && !iswctype(towupper(c), class)) return 0;
    }
    if (!(step->asserted & IN_NO_CLASS)) return 1;
    for (const Class *excluded = step->not_of; *excluded; excluded++) {
        if (!ignores_case && iswctype(c, *excluded)) return 0;
        if (ignores_case && (iswctype(towupper(c), *excluded) || iswctype(towlower(c), *excluded))) return 0;
    }
    return 1;
}

INLINE int takes(const Step *step, unsigned c) {
    return step->first <= c && c <= step->last;
}

// Whether a step that takes the character can be gone.  `at` is the place behind the character.
INLINE int is_open(const Search *search, const Step *step, int c, int after, Offset at) {
    if (LIKELY(!step->asserted)) return 1;
    if (!holds_at(search, step->asserted, c, after, at)) return 0;
    return !(step->asserted & (IN_CLASS | IN_NO_CLASS)) || is_in_classes(step, (unsigned)c, search->of->flags & IGNORES_CASE);
}

// Whether the marks `a` come before the marks `b`.
static int is_better(const Automaton *of, int marks, const Offset *a, const Offset *b) {
    for (int i = 0; i < marks; i++)
        if (a[i] != b[i]) return (a[i] > b[i]) == (of->larger_wins[i] != 0);
    return 0;
}

static void set_marks(Offset *to, int marks, const int *which, Offset at) {
    if (which)
        for (; *which >= 0; which++)
            if (*which < marks) to[*which] = at;
}

// The groups of a match, by its marks and its end.
static void fill_groups(const Automaton *of, const Offset *marks, Offset end, size_t count, Match *to) {
    const size_t groups = of->groups < count ? of->groups : count;
    for (size_t i = 0; i < groups; i++) {
        const Group *const group = &of->group[i];
        to[i].begin = group->begin == of->end_mark ? end : marks[group->begin];
        to[i].end = group->end == of->end_mark ? end : marks[group->end];
        if (to[i].begin == -1 || to[i].end == -1) to[i] = (Match){-1, -1};
    }
    // A group that lies outside of one around it was set earlier in a repetition.
    for (size_t i = 0; i < groups; i++) {
        const int *around = of->group[i].around;
        for (; around && *around >= 0; around++)
            if (to[i].begin < to[*around].begin || to[i].end > to[*around].end) to[i] = (Match){-1, -1};
    }
    for (size_t i = groups; i < count; i++) to[i] = (Match){-1, -1};
}

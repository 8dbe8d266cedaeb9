// What the directives of a format say, and their arguments: in turn, or by number.
#pragma once
#include "sink.h"

enum { NUMBERS = 10 };

// How an argument is passed.
enum { NOTHING,
    INT,
    LONG,
    DOUBLE,
    LONG_DOUBLE };

typedef union {
    uint64_t bits;
    void *pointer;
    double of_double;
    long double of_long_double;
} Value;

typedef struct {
    Spec spec;
    // The argument's kind, its number (0: the next one), and how many bytes of an integer count.
    unsigned char kind, number, size;
    // A wide character or string.
    unsigned char wide;
} Directive;

typedef struct {
    va_list list;
    // Whether an argument was taken in turn; whether they have numbers; whether only their kinds are looked for.
    int taken, numbered, collecting, collected;
    unsigned char kinds[NUMBERS];
    Value values[NUMBERS];
} Arguments;

static int refused(int error) {
    ERRNO = error;
    return -1;
}

static void next(Arguments *arguments, int kind, Value *to) {
    Value value;
    switch (kind) {
    case INT: value.bits = (uint64_t)(int64_t)va_arg(arguments->list, int); break;
    case LONG: value.bits = va_arg(arguments->list, uint64_t); break;
    case DOUBLE: value.of_double = va_arg(arguments->list, double); break;
    case LONG_DOUBLE: value.of_long_double = va_arg(arguments->list, long double); break;
    default: value.bits = 0;
    }
    *to = value;
}

INLINE int is_digit(char c) {
    return (unsigned)(unsigned char)c - '0' < 10;
}

// A number, or -1 for one that is too large; `*f` goes behind it.
static int number_at(const char **f) {
    int64_t number = 0;
    for (; is_digit(**f); ++*f) {
        if (number <= MOST) number = number * 10 + (**f - '0');
    }
    return number > MOST ? -1 : (int)number;
}

INLINE int is_numbered(const char *f) {
    return is_digit(f[0]) && f[1] == '$';
}

// The argument of a `*` in front of f; returns 0 if it has none.
static int asterisk(const char **f, Arguments *arguments, int *value) {
    *value = 0;
    if (is_numbered(*f)) {
        const int number = **f - '0';
        arguments->numbered = 1;
        *f += 2;
        if (arguments->collecting) arguments->kinds[number] = INT;
        else *value = (int)arguments->values[number].bits;
        return 1;
    }
    if (arguments->numbered) return 0;
    arguments->taken = 1;
    *value = va_arg(arguments->list, int);
    return 1;
}

static const char *length_of(const char *f, Directive *directive) {
    directive->size = 4;
    switch (*f) {
    case 'h':
        directive->size = f[1] == 'h' ? 1 : 2;
        return f + (f[1] == 'h' ? 2 : 1);
    case 'l':
        directive->size = 8;
        return f + (f[1] == 'l' ? 2 : 1);
    case 'j':
    case 'z':
    case 't': directive->size = 8; return f + 1;
    case 'L': return f + 1;
    }
    return f;
}

// What a directive's length and conversion say; returns 0 if they do not go together.
static int conversion_of(const char *f, const char *end, Directive *directive) {
    const int bare = f == end, l = end == f + 1 && *f == 'l', L = *f == 'L' && !bare;
    directive->wide = 0;
    directive->spec.conversion = *end;
    switch (*end) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': directive->kind = directive->size == 8 ? LONG : INT; return !L;
    case 'n': directive->kind = LONG; return !L;
    case 'C':
    case 'S':
        directive->wide = 1;
        directive->kind = *end == 'C' ? INT : LONG;
        return bare;
    case 'c':
    case 's':
        directive->wide = (unsigned char)l;
        directive->kind = *end == 'c' ? INT : LONG;
        return bare || l;
    case 'p':
        directive->kind = LONG;
        directive->size = 8;
        return bare;
    case 'm': directive->kind = NOTHING; return bare;
    case 'a':
    case 'e':
    case 'f':
    case 'g':
    case 'A':
    case 'E':
    case 'F':
    case 'G': directive->kind = L ? LONG_DOUBLE : DOUBLE; return bare || l || L;
    }
    return 0;
}

// Reads the directive behind the % in front of f; returns where it ends, or NULL for one that there is not, and sets
// errno.
static const char *parsed(const char *f, Directive *directive, Arguments *arguments) {
    Spec *const spec = &directive->spec;
    spec->flags = 0;
    directive->number = 0;
    if (UNLIKELY(is_numbered(f))) {
        arguments->numbered = 1;
        directive->number = (unsigned char)(*f - '0');
        // There is no argument 0.
        if (!directive->number) goto invalid;
        f += 2;
    }
    for (;; f++) {
        if (*f == '-') spec->flags |= LEFT;
        else if (*f == '0') spec->flags |= ZEROS;
        else if (*f == '+') spec->flags |= PLUS;
        else if (*f == ' ') spec->flags |= BLANK;
        else if (*f == '#') spec->flags |= ALTERNATE;
        else if (*f != '\'') break;
    }
    if (*f == '*') {
        f++;
        if (!asterisk(&f, arguments, &spec->width)) goto invalid;
        if (spec->width < 0) {
            spec->flags |= LEFT;
            spec->width = spec->width == INT32_MIN ? 0 : -spec->width;
        }
    } else {
        spec->width = number_at(&f);
        if (spec->width < 0) return refused(OVERFLOW), NULL;
    }
    spec->precision = NONE;
    if (*f == '.') {
        f++;
        if (*f == '*') {
            f++;
            if (!asterisk(&f, arguments, &spec->precision)) goto invalid;
            if (spec->precision < 0) spec->precision = NONE;
        } else {
            spec->precision = number_at(&f);
            if (spec->precision < 0) spec->precision = TOO_MUCH;
        }
    }
    if (spec->flags & LEFT) spec->flags &= ~(unsigned)ZEROS;
    const char *const end = length_of(f, directive);
    if (!conversion_of(f, end, directive)) goto invalid;
    if (directive->kind == NOTHING) {
        if (directive->number) goto invalid;
    } else if (directive->number) {
        if (arguments->collecting) arguments->kinds[directive->number] = directive->kind;
    } else if (arguments->numbered) {
        goto invalid;
    }
    return end + 1;
invalid:
    refused(INVALID);
    return NULL;
}

// Takes the arguments of a format that gives them numbers, `f` its first directive.
static COLD int collected(const char *f, Arguments *arguments) {
    Directive directive;
    if (arguments->taken) return refused(INVALID);
    brawn_memset(arguments->kinds, NOTHING, sizeof arguments->kinds);
    arguments->numbered = arguments->collecting = 1;
    while (*f) {
        if (*f++ != '%') continue;
        if (*f == '%') {
            f++;
            continue;
        }
        f = parsed(f, &directive, arguments);
        if (!f) return -1;
    }
    arguments->collecting = 0;
    arguments->collected = 1;
    int i = 1;
    for (; i < NUMBERS && arguments->kinds[i]; i++) {
        next(arguments, arguments->kinds[i], &arguments->values[i]);
    }
    for (; i < NUMBERS; i++) {
        if (arguments->kinds[i]) return refused(INVALID);
    }
    return 0;
}

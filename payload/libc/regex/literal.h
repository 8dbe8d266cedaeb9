// A text that every match has, found in the automaton: a chain of states each of which takes one character alone and leads to the
// next one alone, behind a state that no way goes around.
#pragma once
#include "automaton.h"

enum {
    // Of a literal, in bytes; the states of an automaton that is looked at; how many chains are tried.
    LITERAL = 48,
    STATES = 1024,
    CHAINS = 6,
};

typedef struct {
    unsigned char text[LITERAL];
    int size;
    // Whether every match begins with it, at any place.
    int is_first;
} Literal;

// Where each state's steps are, by its number: how many steps are in front, or MISSING.
enum { MISSING = 0xffff };
typedef struct {
    const Automaton *of;
    const uint16_t *begins;
} States;

INLINE const Step *steps_of(const States *states, unsigned number) {
    return states->of->steps + states->begins[number];
}

// The one state behind a state that takes one character alone, or -1.
static int only_next(const States *states, unsigned number) {
    if (states->begins[number] == MISSING) return -1;
    const Step *const first = steps_of(states, number);
    if (!first->to || first->first != first->last || !first->first || first->asserted & REPEATS) return -1;
    for (const Step *step = first + 1; step->to; step++)
        if (step->first != first->first || step->last != first->last || step->number != first->number) return -1;
    return first->number;
}

static int encode(unsigned c, int is_utf8, unsigned char *to) {
    if (c < 0x80) return to[0] = (unsigned char)c, 1;
    if (!is_utf8) return c - 0xdf80 < 0x80 ? (to[0] = (unsigned char)c, 1) : 0;
    if (c < 0x800) return to[0] = (unsigned char)(0xc0 | c >> 6), to[1] = (unsigned char)(0x80 | (c & 0x3f)), 2;
    // Rare ones end a literal, as what is no character does.
    if (c > 0xffff || c - 0xd800 < 0x800) return 0;
    to[0] = (unsigned char)(0xe0 | c >> 12);
    to[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
    to[2] = (unsigned char)(0x80 | (c & 0x3f));
    return 3;
}

static int chain_from(const States *states, unsigned number, int is_utf8, unsigned char *to) {
    int size = 0;
    for (int next; size < LITERAL - 3 && (next = only_next(states, number)) >= 0; number = (unsigned)next) {
        const int more = encode(steps_of(states, number)->first, is_utf8, to + size);
        if (!more) break;
        size += more;
    }
    return size;
}

// Whether every way to the end goes through a state.  `seen` and `open` have room for all states.
static int is_on_every_way(const States *states, unsigned through, unsigned char *seen, uint16_t *open) {
    const Automaton *const of = states->of;
    size_t count = 0;
    for (int i = 0; i < of->states; i++) seen[i] = 0;
    seen[through] = 1;
    const Step *step = of->initial;
    for (;;) {
        for (; step->to; step++) {
            if (seen[step->number]) continue;
            if (step->to == of->final) return 0;
            seen[step->number] = 1;
            open[count++] = (uint16_t)step->number;
        }
        if (!count) return 1;
        step = steps_of(states, open[--count]);
    }
}

// Finds the longest of the first ones that are tried.  `room` has three bytes for each state, and one for each more.
static void find_literal(const States *states, int is_utf8, Literal *to, uint16_t *open, unsigned char *seen, unsigned char *refused) {
    const Automaton *const of = states->of;
    const int count = of->states;
    to->size = to->is_first = 0;
    for (int i = 0; i < count; i++) refused[i] = 0;
    for (int chains = 0; chains < CHAINS; chains++) {
        unsigned char text[LITERAL];
        int best = 0, at = 0;
        for (int i = 0; i < count; i++) {
            const int size = refused[i] ? 0 : chain_from(states, (unsigned)i, is_utf8, text);
            if (size > best) best = size, at = i;
        }
        if (!best) return;
        if (is_on_every_way(states, (unsigned)at, seen, open)) {
            to->size = chain_from(states, (unsigned)at, is_utf8, to->text);
            const Step *const first = of->initial;
            to->is_first = first->to && first->number == at && !first[1].to && !(first->asserted & AT_BEGIN);
            return;
        }
        refused[at] = 1;
    }
}

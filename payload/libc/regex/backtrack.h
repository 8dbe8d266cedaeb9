// Tries one way after the other, which patterns with back references need.  The order of the tries, and what is left from one try to
// the next, are musl's: with characters of more than one byte, and with groups that did not match, its results come from that.
#pragma once
#include "automaton.h"

// A way that was not gone yet, with the marks behind it.
typedef struct {
    Offset at;
    // Behind the next character.
    const unsigned char *rest;
    const Step *state;
    int number, after;
    Offset marks[];
} Choice;

typedef struct {
    const Search *search;
    Offset at;
    const unsigned char *rest;
    // The characters around the place, and how many bytes were read last.
    int before, after, size;
    const Step *state;
    // The marks of this try and of the best one, if those are asked for; which states were reached by an empty reference.
    Offset *marks, *best;
    int *empty;
    Match *groups;
    Offset end;
    char *choices, *first_choices;
    size_t one, used, room;
} Try;

static int read_next(Try *try) {
    try->before = try->after;
    try->at += try->size;
    try->after = character(try->rest, try->search->is_utf8, &try->size);
    try->rest += try->size;
    return try->after >= 0;
}

// Keeps a way for later; 0 without memory.
static int keep(Try *try, const Step *step) {
    const int marks = try->search->of->marks;
    if (try->used == try->room) {
        const size_t room = 2 * try->room + 16;
        char *const more = malloc(room * try->one);
        if (!more) return 0;
        brawn_memcpy(more, try->choices, try->used * try->one);
        if (try->choices != try->first_choices) free(try->choices);
        try->choices = more;
        try->room = room;
    }
    Choice *const choice = (Choice *)(try->choices + try->used++ * try->one);
    *choice = (Choice){try->at, try->rest, step->to, step->number, try->after};
    for (int i = 0; i < marks; i++) choice->marks[i] = try->marks[i];
    set_marks(choice->marks, marks, step->marks, try->at);
    return 1;
}

// Goes back to the last way that was kept, if there is one.
static void go_back(Try *try) {
    if (!try->used) {
        try->state = NULL;
        return;
    }
    const Choice *const choice = (const Choice *)(try->choices + --try->used * try->one);
    if (choice->state->asserted & REPEATS) try->empty[choice->number] = 0;
    try->at = choice->at;
    try->rest = choice->rest;
    try->state = choice->state;
    try->after = choice->after;
    for (int i = 0; i < try->search->of->marks; i++) try->marks[i] = choice->marks[i];
}

// Goes the first step that can be gone, and keeps all others.  The first steps of all take no character.
static int go_on(Try *try, const Step *steps, int is_first) {
    const Step *gone = NULL;
    for (const Step *step = steps; step->to; step++) {
        if (is_first) {
            if (step->asserted && !holds_at(try->search, step->asserted, try->before, try->after, try->at)) continue;
        } else if (!takes(step, (unsigned)try->before) || !is_open(try->search, step, try->before, try->after, try->at)) {
            continue;
        }
        if (!gone) gone = step;
        else if (!keep(try, step)) return NO_MEMORY;
    }
    if (gone) {
        try->state = gone->to;
        set_marks(try->marks, try->search->of->marks, gone->marks, try->at);
    } else {
        go_back(try);
    }
    return FOUND;
}

static void end_try(Try *try) {
    const Automaton *const of = try->search->of;
    if (try->end < try->at || (try->end == try->at && try->best && is_better(of, of->marks, try->marks, try->best))) {
        try->end = try->at;
        for (int i = 0; try->best && i < of->marks; i++) try->best[i] = try->marks[i];
    }
}

// Goes over what a back reference stands for; 0 if the text differs or the reference would be gone without end.
static int repeat_group(Try *try) {
    const Automaton *const of = try->search->of;
    const int group = try->state->of.group;
    fill_groups(of, try->marks, try->at, (size_t)group + 1, try->groups);
    const Offset begin = try->groups[group].begin, size = try->groups[group].end - begin;
    // The next character's last byte, which is its first one in the C locale.
    if (brawn_strncmp((const char *)try->search->text + begin, (const char *)try->rest - 1, (size_t)size)) return 0;
    int *const empty = &try->empty[try->state->number];
    if (!size && *empty) return 0;
    *empty = !size;
    try->rest += size - 1;
    try->at += size - 1;
    return 1;
}

// All ways from one place on.
static int try_from_here(Try *try) {
    const Automaton *const of = try->search->of;
    int outcome = go_on(try, of->initial, 1);
    while (outcome == FOUND && try->state) {
        const Step *const state = try->state;
        int goes = 0;
        if (state == of->final) end_try(try);
        else if (state->to && state->asserted & REPEATS) goes = repeat_group(try);
        else goes = try->after != 0;
        if (!goes) {
            go_back(try);
            continue;
        }
        if (!read_next(try)) return NOT_FOUND;
        outcome = go_on(try, state, 0);
    }
    return outcome;
}

static int try_all(Try *try) {
    const Automaton *const of = try->search->of;
    const unsigned char *rest = try->rest;
    Offset at = -1;
    for (;;) {
        for (int i = 0; i < of->marks; i++) {
            try->marks[i] = -1;
            if (try->best) try->best[i] = -1;
        }
        for (int i = 0; i < of->states; i++) try->empty[i] = 0;
        try->at = at;
        try->rest = rest;
        if (!read_next(try)) return NOT_FOUND;
        at = try->at;
        rest = try->rest;
        const int after = try->after, outcome = try_from_here(try);
        if (outcome != FOUND) return outcome;
        if (try->end >= 0) return FOUND;
        if (!try->after) return NOT_FOUND;
        try->after = after;
    }
}

static int search_backtracking(const Search *search, Offset *best, Offset *end) {
    enum { SMALL = 2048 };
    const Automaton *const of = search->of;
    const size_t marks = (size_t)of->marks * sizeof(Offset), groups = of->groups * sizeof(Match), states = (size_t)of->states * sizeof(int);
    const size_t all = (marks + groups + states + sizeof(Offset) - 1) / sizeof(Offset) * sizeof(Offset);
    Offset small[SMALL / sizeof(Offset)];
    const size_t left = all <= SMALL ? SMALL - all : 0;
    char *const room = left ? (char *)small : malloc(all);
    if (!room) return NO_MEMORY;
    Try try = {.search = search, .rest = search->text, .size = 1, .best = best, .end = -1};
    try.marks = (Offset *)room;
    try.groups = (Match *)(room + marks);
    try.empty = (int *)(room + marks + groups);
    try.one = sizeof(Choice) + marks;
    try.choices = try.first_choices = room + all;
    try.room = left / try.one;
    const int result = try_all(&try);
    *end = try.end;
    if (try.choices != try.first_choices) free(try.choices);
    if (!left) free(room);
    return result;
}

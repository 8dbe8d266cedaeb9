// Goes all ways through the automaton at once, as musl does: in every step in musl's order, so that the same way wins.  It ends where
// musl ends, so that it sees the same invalid character.
#pragma once
#include "automaton.h"

typedef struct {
    const Step *state;
    Offset *marks;
} Way;

// The way by which a state was reached, and the place.
typedef struct {
    Offset at;
    Way *way;
} Reached;

typedef struct {
    const Search *search;
    // The ways that lead to the place, and those behind the next character.
    Way *ways, *next;
    Reached *reached;
    // Marks of a way that is being looked at; the best match's.
    Offset *tried, *best;
    size_t count;
    Offset end;
    // Where it is.
    size_t at;
} Run;

// There are few marks: a loop of vectors takes longer to begin than one mark after the other.
INLINE void copy_marks(Offset *to, const Offset *from, int marks) {
    for (int i = 0; i < marks; i++) {
        to[i] = from[i];
        __asm__("");
    }
}

INLINE void take_as_best(Run *run, int marks, const Offset *way, Offset at) {
    run->end = at;
    copy_marks(run->best, way, marks);
}

// Adds the ways that begin here.
INLINE void begin_ways(Run *run, int marks, int before, int after, Offset at) {
    const Automaton *const of = run->search->of;
    for (const Step *step = of->initial; step->to; step++) {
        Reached *const reached = &run->reached[step->number];
        if (reached->at >= at) continue;
        if (step->asserted && !holds_at(run->search, step->asserted, before, after, at)) continue;
        Way *const way = &run->ways[run->count++];
        way->state = step->to;
        for (int i = 0; i < marks; i++) way->marks[i] = -1;
        if (marks) set_marks(way->marks, marks, step->marks, at);
        if (step->to == of->final) take_as_best(run, marks, way->marks, at);
        *reached = (Reached){at, way};
    }
}

// Goes one step of a way.  0 if one mark alone cannot tell which way wins.
INLINE int go(Run *run, int marks, const Way *from, const Step *step, Offset at) {
    const Automaton *const of = run->search->of;
    Reached *const reached = &run->reached[step->number];
    Offset *const tried = run->tried;
    copy_marks(tried, from->marks, marks);
    if (marks) set_marks(tried, marks, step->marks, at);
    if (reached->at < at) {
        Way *const way = &run->next[run->count++];
        way->state = step->to;
        run->tried = way->marks;
        way->marks = tried;
        *reached = (Reached){at, way};
        if (step->to == of->final && (run->end == -1 || (marks && tried[0] <= run->best[0]))) take_as_best(run, marks, tried, at);
        return 1;
    }
    Way *const way = reached->way;
    if (marks && is_better(of, marks, tried, way->marks)) {
        run->tried = way->marks;
        way->marks = tried;
        if (step->to == of->final) take_as_best(run, marks, tried, at);
    } else if (UNLIKELY(marks == 1 && of->marks > 1 && step->to == of->final) && tried[0] == way->marks[0] && tried[0] > run->best[0]) {
        // musl lets the other marks decide, and then takes a match that begins later.
        return 0;
    }
    return 1;
}

// With `marks` known when this is compiled, what they take is left out or unrolled.
INLINE int run_ways(Run *run, int marks, size_t from, size_t stop) {
    const Search *const search = run->search;
    const unsigned char *s = search->text + from;
    Offset at = (Offset)from;
    int size, before = character_before(search, from), after = character(s, search->is_utf8, &size);
    while (LIKELY(after >= 0)) {
        run->at = (size_t)at;
        if (run->end < 0) begin_ways(run, marks, before, after, at);
        else if (!marks || !run->count) break;
        if (!after) break;
        if (UNLIKELY((size_t)at >= stop)) return STOPPED;
        before = after;
        at += size;
        s += size;
        after = character(s, search->is_utf8, &size);
        if (UNLIKELY(after < 0)) break;
        const size_t count = run->count;
        run->count = 0;
        for (size_t i = 0; i < count; i++)
            for (const Step *step = run->ways[i].state; step->to; step++)
                if (takes(step, (unsigned)before) && is_open(search, step, before, after, at) && UNLIKELY(!go(run, marks, &run->ways[i], step, at)))
                    return UNDECIDED;
        Way *const ways = run->ways;
        run->ways = run->next;
        run->next = ways;
    }
    return after < 0 || run->end < 0 ? NOT_FOUND : FOUND;
}

// Searches from a place on to which no way leads, up to `stop`, which gets the place where the search ended.  `best` gets as many of the marks as
// are asked for, and `end` the match's end.
static int search_parallel(const Search *search, size_t from, size_t *stop, int marks, Offset *best, Offset *end) {
    enum { SMALL = 2048 };
    const size_t states = (size_t)search->of->states, one = (size_t)marks * sizeof(Offset);
    size_t all;
    if (__builtin_mul_overflow(2 * states + 1, one, &all)) return NO_MEMORY;
    const size_t lists = states * sizeof(Reached) + 2 * states * sizeof(Way);
    if (__builtin_add_overflow(all, lists, &all)) return NO_MEMORY;
    Offset small[SMALL / sizeof(Offset)];
    char *const room = LIKELY(all <= SMALL) ? (char *)small : malloc(all);
    if (!room) return NO_MEMORY;
    Run run = {.search = search, .best = best, .end = -1, .at = from};
    run.reached = (Reached *)room;
    run.ways = (Way *)(run.reached + states);
    run.next = run.ways + states;
    Offset *free_marks = (Offset *)(run.next + states);
    run.tried = free_marks;
    for (size_t i = 0; i < states; i++) {
        run.reached[i].at = -1;
        run.ways[i].marks = free_marks += marks;
        run.next[i].marks = free_marks += marks;
    }
    int result;
    if (marks == 0) result = run_ways(&run, 0, from, *stop);
    else if (marks == 1) result = run_ways(&run, 1, from, *stop);
    else result = run_ways(&run, marks, from, *stop);
    *stop = run.at;
    *end = run.end;
    if (room != (char *)small) free(room);
    return result;
}

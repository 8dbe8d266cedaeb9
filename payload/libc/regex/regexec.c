// regexec, by a table of the automaton that musl's regcomp made (table.h).  The table says whether there is a match, and up to where none
// begins.  If groups are asked for, all ways are gone at once from there on (parallel.h).  Patterns with back references are tried way by
// way (backtrack.h).
//
// All gives musl's results, also where those are odd: a text with an invalid character has no match if musl's search reads that character.
// An invalid character leaves errno as it was.
#include "prepare.h"
#include "parallel.h"
#include "backtrack.h"

enum {
    // How much text is searched before a table is made, in bytes, with so many for each call and each step of the automaton.  Making one
    // takes a tenth of that time at most, so a pattern that is used once loses nothing.
    CALL = 64,
    ENOUGH = 12 << 10,
    ENOUGH_OF_STEP = 16,
};

// How much was searched, or NO_TABLE for a pattern that is too large for one.
INLINE int searched_so_far(const Automaton *of) {
    return of->states <= STATES && of->count < MISSING ? __atomic_load_n(&of->searched, __ATOMIC_RELAXED) : NO_TABLE;
}

INLINE size_t enough_for(const Automaton *of) {
    return ENOUGH + (size_t)of->count * ENOUGH_OF_STEP;
}

// The pattern's table, if there is one or enough was searched to make one.
INLINE Table *table_of(Automaton *of) {
    Table *const table = __atomic_load_n(&of->table, __ATOMIC_ACQUIRE);
    if (LIKELY(table != NULL)) return table;
    const int searched = searched_so_far(of);
    return searched != NO_TABLE && (size_t)searched >= enough_for(of) ? make_table(of) : NULL;
}

// Whether no invalid character begins between two places of a text.
static int is_valid(const unsigned char *p, const unsigned char *end) {
    int size;
    for (; p < end; p += size)
        if (character(p, 1, &size) < 0) return 0;
    return 1;
}

typedef struct {
    const unsigned char *at;
    unsigned row;
} Place;

// From a row without states on to where a match may begin: 0 if that is nowhere.
INLINE int skip(Table *table, const Search *search, Place *place) {
    const unsigned char *p = place->at;
    if (!table->literal.is_first) {
        const Cell *const row = cells_of(table) + place->row;
        while (__atomic_load_n(&row[table->class_of[*p]], __ATOMIC_RELAXED) == place->row) p++;
        place->at = p;
        return 1;
    }
    const unsigned char *const found = (const unsigned char *)brawn_strstr((const char *)p, (const char *)table->literal.text);
    if (!found || (search->is_utf8 && !is_valid(p, found))) return 0;
    if (found == p) return 1;
    place->at = found;
    place->row = table->empty[table->has_lines || table->has_words ? kind_of(table, character_before(search, (size_t)(found - search->text))) : ANY];
    return 1;
}

// The entry for what lies at a place, and its size.  NEVER for an invalid character.
static unsigned look(Table *table, const Search *search, const Place *place, int *size) {
    unsigned class = table->class_of[*place->at];
    *size = 1;
    if (class == LOOKED_AT && !*place->at) {
        class = search->flags & NOT_END ? NO_END : THE_END;
    } else if (class == LOOKED_AT) {
        const int c = long_character(place->at, size);
        if (c < 0) return NEVER;
        class = class_of_long(table, search->of, c);
        if (!class) return UNKNOWN;
    }
    const unsigned entry = __atomic_load_n(&cells_of(table)[place->row + class], __ATOMIC_ACQUIRE);
    return entry ? entry : make_known(table, search->of, place->row, class);
}

// Whether there is a match, and where the first one to end does so.  No way that matters leads to `from`.
static int search_by_table(Table *table, const Search *search, size_t *from, Offset *end) {
    const Literal *const literal = &table->literal;
    const unsigned char *const text = search->text, *const classes = table->class_of;
    if (literal->size && !literal->is_first && !brawn_strstr((const char *)text, (const char *)literal->text)) return NOT_FOUND;
    // A row's number comes out of a load, and the row is read by that number: so it is as complete as when the number was stored, without
    // a barrier.
    const Cell *const cells = cells_of(table);
    const unsigned behind_empty = table->behind_empty;
    Place place = {text, table->begin[!!(search->flags & NOT_BEGIN)]};
    for (;;) {
        if (place.row < behind_empty) {
            if (!skip(table, search, &place)) return NOT_FOUND;
            *from = (size_t)(place.at - text);
        }
        unsigned entry;
        do {
            entry = __atomic_load_n(&cells[place.row + classes[*place.at]], __ATOMIC_RELAXED);
            if (entry - 1 >= LAST_ROW) break;
            place.row = entry;
            place.at++;
        } while (place.row >= behind_empty);
        if (entry - 1 < LAST_ROW) continue;
        int size;
        entry = look(table, search, &place, &size);
        if (entry == UNKNOWN) return UNDECIDED;
        if (entry == NEVER) return NOT_FOUND;
        if (entry == MATCH || entry == EMPTY_MATCH) {
            *end = place.at - text;
            // musl reads one character more behind a match without a step.
            return entry == EMPTY_MATCH && *place.at && character(place.at + size, search->is_utf8, &size) < 0 ? NOT_FOUND : FOUND;
        }
        place.row = entry;
        place.at += size;
    }
}

// Goes all ways from a place on.
static int search_ways(const Search *search, size_t from, size_t *stop, size_t count, Offset *marks, Offset *end) {
    const Automaton *const of = search->of;
    const int all = marks ? of->marks : 0;
    // The whole match mostly needs the mark of its begin alone.
    if (all && count == 1 && of->group->begin == 0 && of->group->end == of->end_mark && !of->larger_wins[0]) {
        size_t stopped = *stop;
        const int outcome = search_parallel(search, from, &stopped, 1, marks, end);
        if (LIKELY(outcome != UNDECIDED)) {
            *stop = stopped;
            return outcome;
        }
    }
    return search_parallel(search, from, stop, all, marks, end);
}

// The same from the text's begin on, without a table: STOPPED if enough was searched for one.
static int search_and_count(const Search *search, size_t count, Offset *marks, Offset *end, Automaton *of) {
    const int searched = searched_so_far(of);
    const size_t enough = enough_for(of), before = searched == NO_TABLE ? 0 : (size_t)searched;
    size_t stop = searched == NO_TABLE || before > enough ? SIZE_MAX : enough - before;
    const int outcome = search_ways(search, 0, &stop, count, marks, end);
    const size_t all = before + CALL + stop;
    if (searched != NO_TABLE) __atomic_store_n(&of->searched, (int)(all < enough ? all : enough), __ATOMIC_RELAXED);
    return outcome;
}

HIDDEN int brawn_regexec(const Pattern *restrict pattern, const char *restrict text, size_t count, Match *restrict to, int flags) {
    enum { SMALL = 16 };
    Automaton *const of = pattern->automaton;
    if (of->flags & NO_GROUPS) count = 0;
    const Search search = {of, (const unsigned char *)text, flags, asks_utf8()};
    Offset small[SMALL], *marks = NULL, end = -1;
    if (of->marks && count) {
        marks = of->marks <= SMALL ? small : malloc((size_t)of->marks * sizeof *marks);
        if (!marks) return NO_MEMORY;
    }
    int outcome = of->repeats ? search_backtracking(&search, marks, &end) : STOPPED;
    while (outcome == STOPPED) {
        size_t from = 0;
        Table *const table = table_of(of);
        if (LIKELY(table && table->is_utf8 == search.is_utf8)) outcome = search_by_table(table, &search, &from, &end);
        if (outcome == NOT_FOUND || (outcome == FOUND && !marks)) break;
        size_t stop = SIZE_MAX;
        outcome = table ? search_ways(&search, from, &stop, count, marks, &end) : search_and_count(&search, count, marks, &end, of);
    }
    if (outcome == FOUND && count) fill_groups(of, marks, end, count, to);
    if (marks != small) free(marks);
    return outcome;
}
NAME(regexec, brawn_regexec)

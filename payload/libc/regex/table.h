// A table of what each character leads to from each set of states, made as texts ask for it.
//
// A row stands for what is known between two characters: the states that the last step led to, with what is asserted of the place and
// can be told by the next character only, and what the last character was.  So a match is known when the character behind it was read,
// as with musl.  A column is a class of characters that no step tells apart.
//
// All lies in one block, which is never moved: threads share it without a lock.  A row, a class and an entry are complete before others
// can see them.  If two threads make the same row at once, one of the two is used.  If the block is full, no more is made, and who needs
// more goes all ways at once.
#pragma once
#include "literal.h"

enum {
    // Classes, steps that tell characters apart, long characters whose class is kept, and places for rows.
    CLASSES = 96,
    QUESTIONS = 120,
    KEPT = 256,
    HASHED = 1024,
    ROWS = HASHED / 4 * 3,
    // Of a block, in bytes.
    LEAST_BLOCK = 24 << 10,
    BLOCK_OF_STATE = 512,
    LARGEST_BLOCK = 64 << 10,
    // Columns: the text's end, the same with NOT_END, and what more than a byte decides.
    THE_END = 0,
    NO_END = 1,
    LOOKED_AT = 2,
    FIRST_CLASS = 3,
    // Entries: rows, from 1 on; not known yet; a match by a step or without one; no match any more; more than a byte decides.
    UNKNOWN = 0,
    LAST_ROW = 0x7fff,
    MATCH = 0x8001,
    EMPTY_MATCH = 0x8002,
    NEVER = 0x8003,
    LOOK = 0x8004,
    // What the last character was, as far as it matters.
    ANY = 0,
    LINE_END = 1,
    WORD = 2,
    BEGIN = 3,
    NOT_BEGUN = 4,
};

typedef uint16_t __attribute__((may_alias)) Cell;
// Which steps take a character.
typedef struct {
    uint64_t bits[2];
} Answers;

struct Table {
    // In cells, from the table's begin on.
    unsigned size, used, rows, classes, columns, behind_empty;
    int is_utf8, is_full, questions, asserted, has_lines, has_words, begins_once;
    unsigned final;
    // Rows without states: where a text begins, by NOT_BEGIN, and by what the last character was.
    Cell begin[2], empty[3];
    Literal literal;
    const Step *question[QUESTIONS];
    Answers answers[CLASSES];
    int sample[CLASSES];
    unsigned char kind[CLASSES], is_ready[CLASSES];
    unsigned char class_of[256];
    uint32_t kept[KEPT];
    Cell hashed[HASHED];
    // Of each state; rows are behind them.
    uint16_t begins[];
};

// A state that a step leads to, and what is asserted of the place.
typedef struct {
    uint16_t number, asserted;
    // Another one with the same number, or 0.
    uint16_t next;
} Item;

// What a row is made in.
typedef struct {
    uint16_t *heads, *open;
    unsigned char *is_open;
    Item *items;
    unsigned count, room, opened;
} Scratch;

INLINE Cell *cells_of(Table *table) {
    return (Cell *)table;
}

static int kind_of(const Table *table, int c) {
    if (table->has_lines && c == '\n') return LINE_END;
    return table->has_words && is_word(c) ? WORD : ANY;
}

// holds_at, by what is known of the two characters.
static int holds_between(const Table *table, int asserted, unsigned before, unsigned class) {
    const int is_end = class < LOOKED_AT;
    const unsigned kind = is_end ? ANY : table->kind[class];
    if (asserted & AT_BEGIN && before != BEGIN && before != LINE_END) return 0;
    if (asserted & AT_END && class != THE_END && kind != LINE_END) return 0;
    const int left = before == WORD, right = kind == WORD, is_edge = before >= BEGIN || is_end;
    if (asserted & AT_WORD && (left || !right)) return 0;
    if (asserted & BEHIND_WORD && (!left || right)) return 0;
    if (asserted & AT_EDGE && !is_edge && left == right) return 0;
    if (asserted & AT_NO_EDGE && (is_edge || left != right)) return 0;
    return 1;
}

static Answers answers_to(const Table *table, const Automaton *of, int c) {
    Answers answers = {{0, 0}};
    for (int i = 0; i < table->questions; i++)
        if (takes(table->question[i], (unsigned)c) && is_in_classes(table->question[i], (unsigned)c, of->flags & IGNORES_CASE))
            answers.bits[i / 64] |= (uint64_t)1 << (i % 64);
    return answers;
}

// The class of a character, which is made if there is none; 0 if there is no room for one more.
static unsigned find_class(Table *table, const Answers *answers, int c) {
    const unsigned kind = (unsigned)kind_of(table, c);
    const unsigned known = __atomic_load_n(&table->classes, __ATOMIC_RELAXED);
    for (unsigned i = FIRST_CLASS; i < known && i < table->columns; i++) {
        if (!__atomic_load_n(&table->is_ready[i], __ATOMIC_ACQUIRE)) continue;
        const Answers *const others = &table->answers[i];
        if (others->bits[0] == answers->bits[0] && others->bits[1] == answers->bits[1] && table->kind[i] == kind) return i;
    }
    if (known >= table->columns) return 0;
    const unsigned class = __atomic_fetch_add(&table->classes, 1, __ATOMIC_RELAXED);
    if (class >= table->columns) return 0;
    table->answers[class] = *answers;
    table->sample[class] = c;
    table->kind[class] = (unsigned char)kind;
    __atomic_store_n(&table->is_ready[class], 1, __ATOMIC_RELEASE);
    return class;
}

static unsigned class_of_long(Table *table, const Automaton *of, int c) {
    uint32_t *const kept = &table->kept[(unsigned)c % KEPT];
    const uint32_t known = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (LIKELY(known >> 8 == (uint32_t)c)) return known & 0xff;
    const Answers answers = answers_to(table, of, c);
    const unsigned class = find_class(table, &answers, c);
    if (class) __atomic_store_n(kept, (uint32_t)c << 8 | class, __ATOMIC_RELEASE);
    return class;
}

static int is_row(Table *table, unsigned row, const Cell *head, const Cell *items) {
    const Cell *const cells = cells_of(table) + row;
    if (cells[-2] != head[0] || cells[-1] != head[1]) return 0;
    return !brawn_memcmp(cells + table->columns, items, head[0] * 2 * sizeof(Cell));
}

// A new row; 0 if there is no room.
static unsigned new_row(Table *table, const Cell *head, const Cell *items) {
    const unsigned size = 2 + table->columns + 2 * head[0];
    unsigned at = table->size;
    if (__atomic_fetch_add(&table->rows, 1, __ATOMIC_RELAXED) < ROWS) at = __atomic_fetch_add(&table->used, size, __ATOMIC_RELAXED);
    if (at + size > table->size) {
        __atomic_store_n(&table->is_full, 1, __ATOMIC_RELAXED);
        return 0;
    }
    Cell *const row = cells_of(table) + at + 2;
    row[-2] = head[0];
    row[-1] = head[1];
    for (unsigned i = 0; i < table->columns; i++) row[i] = UNKNOWN;
    row[LOOKED_AT] = LOOK;
    brawn_memcpy(row + table->columns, items, head[0] * 2 * sizeof(Cell));
    return at + 2;
}

// The row of these states; `head` is how many they are, and what the last character was.
static unsigned find_row(Table *table, const Cell *head, const Cell *items) {
    uint32_t hash = head[1] * 0x9e3779b1u;
    for (unsigned i = 0; i < 2u * head[0]; i++) hash = (hash ^ items[i]) * 0x01000193u;
    unsigned own = 0;
    for (unsigned i = hash ^ hash >> 15;; i++) {
        Cell *const place = &table->hashed[i % HASHED];
        Cell there = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (!there) {
            if (!own && !(own = new_row(table, head, items))) return 0;
            if (__atomic_compare_exchange_n(place, &there, (Cell)own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return own;
        }
        if (is_row(table, there, head, items)) return there;
    }
}

static int add_item(Scratch *scratch, const Step *step) {
    const uint16_t asserted = step->asserted & OF_PLACE;
    uint16_t *const head = &scratch->heads[step->number];
    for (unsigned i = *head; i; i = scratch->items[i].next)
        if (scratch->items[i].asserted == asserted) return 1;
    if (scratch->count == scratch->room) return 0;
    scratch->items[scratch->count] = (Item){(uint16_t)step->number, asserted, *head};
    *head = (uint16_t)scratch->count++;
    return 1;
}

static void open_state(Scratch *scratch, unsigned number) {
    if (scratch->is_open[number]) return;
    scratch->is_open[number] = 1;
    scratch->open[scratch->opened++] = (uint16_t)number;
}

// The items in an order that is the same for the same ones.
static unsigned put_in_order(const Scratch *scratch, int states, Cell *to) {
    unsigned count = 0;
    for (int number = 0; number < states; number++) {
        const unsigned begin = count;
        for (unsigned i = scratch->heads[number]; i; i = scratch->items[i].next) {
            unsigned at = count++;
            to[2 * at] = (Cell)number;
            for (; at > begin && to[2 * at - 1] > scratch->items[i].asserted; at--) to[2 * at + 1] = to[2 * at - 1];
            to[2 * at + 1] = scratch->items[i].asserted;
        }
    }
    return count;
}

// The states that are reached at a row's place, if the next character is of the class: a match, or UNKNOWN.
static unsigned open_states(Table *table, const Automaton *of, unsigned row, unsigned class, Scratch *scratch) {
    const Cell *const cells = cells_of(table) + row, *const items = cells + table->columns;
    const unsigned before = cells[-1];
    for (unsigned i = 0; i < cells[-2]; i++)
        if (holds_between(table, items[2 * i + 1], before, class)) open_state(scratch, items[2 * i]);
    if (table->final != MISSING && scratch->is_open[table->final]) return MATCH;
    for (const Step *step = of->initial; step->to; step++)
        if (holds_between(table, step->asserted, before, class)) open_state(scratch, (unsigned)step->number);
    return table->final != MISSING && scratch->is_open[table->final] ? EMPTY_MATCH : UNKNOWN;
}

static unsigned make_entry(Table *table, const Automaton *of, unsigned row, unsigned class, Scratch *scratch) {
    const unsigned match = open_states(table, of, row, class, scratch);
    if (match) return match;
    if (class < LOOKED_AT) return NEVER;
    const unsigned c = (unsigned)table->sample[class];
    const States states = {of, table->begins};
    for (unsigned i = 0; i < scratch->opened; i++)
        for (const Step *step = steps_of(&states, scratch->open[i]); step->to; step++)
            if (takes(step, c) && is_in_classes(step, c, of->flags & IGNORES_CASE) && !add_item(scratch, step)) return UNKNOWN;
    // The lists of states are no longer used, and have room for it.
    Cell *const items = (Cell *)(scratch->items + scratch->room);
    Cell head[2] = {0, table->kind[class] == LINE_END && !(table->asserted & AT_BEGIN) ? ANY : table->kind[class]};
    head[0] = (Cell)put_in_order(scratch, of->states, items);
    // No way begins any more.
    if (!head[0] && table->begins_once) return NEVER;
    return find_row(table, head, items);
}

// Makes the entry of a row for a class; UNKNOWN if there is no room for it.
static COLD unsigned make_known(Table *table, const Automaton *of, unsigned row, unsigned class) {
    if (__atomic_load_n(&table->is_full, __ATOMIC_RELAXED)) return UNKNOWN;
    const size_t states = (size_t)of->states;
    const unsigned items = (unsigned)(2 * states + 16);
    const size_t lists = states * (2 * sizeof(uint16_t) + 1) / 2 * 2 + 2;
    char *const room = malloc(lists + items * (sizeof(Item) + 2 * sizeof(Cell)));
    if (!room) return UNKNOWN;
    // The first item's number would be 0, which stands for none.
    Scratch scratch = {.heads = (uint16_t *)room, .count = 1, .room = items};
    scratch.open = scratch.heads + states;
    scratch.is_open = (unsigned char *)(scratch.open + states);
    scratch.items = (Item *)(room + lists);
    brawn_memset(room, 0, lists);
    const unsigned entry = make_entry(table, of, row, class, &scratch);
    free(room);
    if (entry) __atomic_store_n(&cells_of(table)[row + class], (Cell)entry, __ATOMIC_RELEASE);
    return entry;
}

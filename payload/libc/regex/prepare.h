// Makes a pattern's table, without any row but those where a text begins.
#pragma once
#include "table.h"

static int asks_the_same(const Step *a, const Step *b) {
    const int classes = IN_CLASS | IN_NO_CLASS;
    if (a->first != b->first || a->last != b->last || (a->asserted ^ b->asserted) & classes) return 0;
    if (a->asserted & IN_CLASS && a->of.class != b->of.class) return 0;
    if (!(a->asserted & IN_NO_CLASS)) return 1;
    const Class *x = a->not_of, *y = b->not_of;
    while (*x && *x == *y) x++, y++;
    return *x == *y;
}

// Collects the steps that tell characters apart; 0 if they are too many.
static int collect_questions(Table *table, const Automaton *of) {
    int last = 0;
    for (unsigned i = 0; i < of->count; i++) {
        const Step *const step = &of->steps[i];
        if (!step->to) continue;
        table->asserted |= step->asserted;
        table->begins[step->number] = (uint16_t)(step->to - of->steps);
        if (step->to == of->final) table->final = (unsigned)step->number;
        // Steps of one state mostly ask the same.
        if (table->questions && asks_the_same(step, table->question[last])) continue;
        for (last = 0; last < table->questions && !asks_the_same(step, table->question[last]);) last++;
        if (last < table->questions) continue;
        if (last == QUESTIONS) return 0;
        table->question[table->questions++] = step;
    }
    table->begins_once = !(of->flags & HAS_LINES);
    for (const Step *step = of->initial; step->to; step++) {
        table->asserted |= step->asserted;
        table->begins[step->number] = (uint16_t)(step->to - of->steps);
        if (step->to == of->final) table->final = (unsigned)step->number;
        if (!(step->asserted & AT_BEGIN)) table->begins_once = 0;
    }
    return 1;
}

// The classes of all characters of one byte; 0 if they are too many.
static int collect_classes(Table *table, const Automaton *of) {
    const int bytes = table->is_utf8 ? 128 : 256;
    for (int c = 1; c < 256; c++) {
        if (c >= bytes) {
            table->class_of[c] = LOOKED_AT;
            continue;
        }
        const int as_wide = c < 128 ? c : 0xdf00 | c;
        const Answers answers = answers_to(table, of, as_wide);
        const unsigned class = find_class(table, &answers, as_wide);
        if (!class) return 0;
        table->class_of[c] = (unsigned char)class;
    }
    table->class_of[0] = LOOKED_AT;
    return 1;
}

static int make_first_rows(Table *table) {
    static const unsigned char contexts[] = {ANY, LINE_END, WORD};
    const int edges = AT_EDGE | AT_NO_EDGE;
    Cell head[2] = {0, ANY};
    for (int i = 0; i < 3; i++) {
        head[1] = contexts[i];
        const int is_used = i == 0 || (i == 1 && table->has_lines) || (i == 2 && table->has_words);
        table->empty[i] = is_used ? (Cell)find_row(table, head, NULL) : table->empty[0];
    }
    head[1] = table->asserted & (AT_BEGIN | edges) ? BEGIN : ANY;
    table->begin[0] = (Cell)find_row(table, head, NULL);
    head[1] = table->asserted & edges ? NOT_BEGUN : ANY;
    table->begin[1] = (Cell)find_row(table, head, NULL);
    table->behind_empty = table->used;
    return table->begin[1] != 0;
}

static int fill_table(Table *table, const Automaton *of, size_t size) {
    const size_t states = (size_t)of->states, header = sizeof(Table) + states * sizeof(uint16_t);
    brawn_memset(table, 0, header);
    for (size_t i = 0; i < states; i++) table->begins[i] = MISSING;
    table->final = MISSING;
    if (!collect_questions(table, of)) return 0;
    table->has_lines = of->flags & HAS_LINES && table->asserted & (AT_BEGIN | AT_END);
    table->has_words = !!(table->asserted & OF_WORDS);
    table->is_utf8 = asks_utf8();
    table->classes = FIRST_CLASS;
    table->columns = CLASSES;
    if (!collect_classes(table, of)) return 0;
    if (table->is_utf8) {
        // As many as the steps for long characters can tell apart, and the same for words.
        unsigned more = 2;
        for (int i = 0; i < table->questions; i++) more += table->question[i]->last > 127 ? 2 : 0;
        more += table->classes;
        table->columns = more < CLASSES ? more : CLASSES;
    } else {
        table->columns = table->classes;
    }
    table->size = (unsigned)(size / sizeof(Cell));
    table->used = (unsigned)((header + 1) / sizeof(Cell));
    // The room of the rows to come is free.
    char *const room = (char *)(cells_of(table) + table->used);
    const States all = {of, table->begins};
    unsigned char *const seen = (unsigned char *)room + 2 * states;
    // Where a match begins at the text's begin alone, the first row tells that there is none sooner.
    if (!table->begins_once) find_literal(&all, table->is_utf8, &table->literal, (uint16_t *)room, seen, seen + states);
    return make_first_rows(table);
}

// Makes a table for the pattern, unless another thread does so first. None comes for a pattern with too many classes.
static COLD Table *make_table(Automaton *of) {
    const size_t states = (size_t)of->states, wanted = LEAST_BLOCK + states * BLOCK_OF_STATE;
    const size_t size = wanted < LARGEST_BLOCK ? wanted : LARGEST_BLOCK;
    Table *const table = malloc(size);
    if (!table || !fill_table(table, of, size)) {
        free(table);
        __atomic_store_n(&of->searched, NO_TABLE, __ATOMIC_RELAXED);
        return NULL;
    }
    Table *there = NULL;
    if (__atomic_compare_exchange_n(&of->table, &there, table, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return table;
    free(table);
    return there;
}

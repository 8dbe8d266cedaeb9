/* Sorting and searching. */
#include "bench.h"
#include <search.h>

enum { MANY = 20000 };
static int numbers[MANY], ordered[MANY], pipe_shaped[MANY], work[MANY];
static char *words[2000], *shuffled[2000], *work_words[2000];
typedef struct {
    uint64_t key;
    char more[56];
} Record;
static Record records[2000], work_records[2000], equals[2000];
typedef struct {
    uint64_t key;
    char more[1016];
} Large;
static Large large[1000], work_large[1000];
static uint64_t state = 12345;

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int by_word(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int by_key(const void *a, const void *b) {
    uint64_t x = ((const Record *)a)->key, y = ((const Record *)b)->key;
    return (x > y) - (x < y);
}
static int by_large_key(const void *a, const void *b) {
    uint64_t x = ((const Large *)a)->key, y = ((const Large *)b)->key;
    return (x > y) - (x < y);
}
static int as_strings(const void *a, const void *b) { return strcmp(a, b); }

PREPARE {
    for (int i = 0; i < MANY; i++) {
        numbers[i] = (int)draw(&state);
        ordered[i] = i;
        pipe_shaped[i] = i < MANY / 2 ? 2 * i : 2 * (MANY - i) - 1;
    }
    for (int i = 0; i < 2000; i++) {
        char word[32];
        snprintf(word, sizeof word, "key/%llx", (unsigned long long)draw(&state) % 1000000);
        words[i] = shuffled[i] = strdup(word);
        records[i].key = draw(&state);
    }
    // Apart, so that the inputs of the rows above are what they were.
    uint64_t other = 54321;
    for (int i = 0; i < 2000; i++) {
        equals[i].key = draw(&other) % 100;
        equals[i].more[0] = (char)i;
    }
    for (int i = 0; i < 1000; i++) large[i].key = draw(&other);
    hcreate(4096);
    for (int i = 0; i < 1000; i++) hsearch((ENTRY){words[i], words[i]}, ENTER);
}

ROW("sort", ints, "qsort, 20,000 ints") {
    memcpy(work, numbers, sizeof work);
    qsort(work, MANY, sizeof *work, by_number);
    KEEP(work);
}
ROW("sort", ints100, "qsort, 100 ints") {
    memcpy(work, numbers, 400);
    qsort(work, 100, sizeof *work, by_number);
    KEEP(work);
}
ROW("sort", ints10, "qsort, 10 ints") {
    memcpy(work, numbers, 40);
    qsort(work, 10, sizeof *work, by_number);
    KEEP(work);
}
ROW("sort", sorted, "qsort, 20,000 ints in order") {
    memcpy(work, ordered, sizeof work);
    qsort(work, MANY, sizeof *work, by_number);
    KEEP(work);
}
ROW("sort", strings, "qsort, 2,000 strings") {
    memcpy(work_words, shuffled, sizeof work_words);
    qsort(work_words, 2000, sizeof *work_words, by_word);
    KEEP(work_words);
}
ROW("sort", structs, "qsort, 2,000 structs of 64 B") {
    memcpy(work_records, records, sizeof work_records);
    qsort(work_records, 2000, sizeof *work_records, by_key);
    KEEP(work_records);
}
ROW("sort", pipe, "qsort, 20,000 ints that rise, then fall") {
    memcpy(work, pipe_shaped, sizeof work);
    qsort(work, MANY, sizeof *work, by_number);
    KEEP(work);
}
ROW("sort", equals, "qsort, 2,000 structs of 64 B by 100 keys") {
    memcpy(work_records, equals, sizeof work_records);
    qsort(work_records, 2000, sizeof *work_records, by_key);
    KEEP(work_records);
}
ROW("sort", large, "qsort, 1,000 structs of 1 KiB") {
    memcpy(work_large, large, sizeof work_large);
    qsort(work_large, 1000, sizeof *work_large, by_large_key);
    KEEP(work_large);
}
ROW("sort", search, "bsearch in 20,000 ints") {
    int key = (int)(draw(&state) % MANY);
    KEEP(bsearch(&key, ordered, MANY, sizeof *ordered, by_number));
}
ROW("sort", hash, "hsearch, 1,000 entries") { KEEP(hsearch((ENTRY){words[draw(&state) % 1000], 0}, FIND)); }
ROW("sort", tree, "tsearch and tdelete, 100 entries") {
    void *root = 0;
    for (int i = 0; i < 100; i++) KEEP(tsearch(words[i], &root, as_strings));
    for (int i = 0; i < 100; i++) KEEP(tdelete(words[i], &root, as_strings));
}
ROW("sort", linear, "lfind in 50 ints") {
    size_t n = 50;
    int key = numbers[40];
    KEEP(lfind(&key, numbers, &n, sizeof *numbers, by_number));
}

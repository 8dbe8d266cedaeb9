/* A ledger: ledger TRANSACTIONS realloc|copy
 *
 * Reads TRANSACTIONS, each with a description, now and then a tag, and two to four postings.  They go into five vectors side
 * by side, of 8 to 72 bytes an element, two of which grow by a half and three double, until the largest has 20 MB;
 * descriptions and tags are small blocks of their own.  `realloc` grows as C and Rust do, `copy` as C++ does: a new block, a
 * copy, and the old one goes.  Then a report sorts references to all postings and makes a line for each hundredth, which it
 * keeps.  The peak is what this is about. */
#include "workload.h"

enum { TRANSACTIONS,
    POSTINGS,
    AMOUNTS,
    INDEX,
    PRICES,
    VECTORS };
static const size_t sizes[VECTORS] = {72, 40, 24, 8, 16};
/* In quarters of the capacity. */
static const size_t growth[VECTORS] = {4, 2, 4, 4, 2};

struct vector {
    unsigned char *data;
    size_t length, capacity;
};

static struct vector all[VECTORS];
static int copies;
static double grown;

static void grow(struct vector *v, size_t size, size_t quarters) {
    size_t more = v->capacity * quarters / 4;
    v->capacity += more > 4 ? more : 4;
    grown++;
    if (!copies) {
        v->data = must(realloc(v->data, v->capacity * size));
        return;
    }
    unsigned char *data = must(malloc(v->capacity * size));
    if (v->length) memcpy(data, v->data, v->length * size);
    free(v->data);
    v->data = data;
}

static void *push(int which) {
    struct vector *v = &all[which];
    if (v->length == v->capacity) grow(v, sizes[which], growth[which]);
    void *place = v->data + v->length++ * sizes[which];
    memset(place, which + 1, sizes[which]);
    return place;
}

static char *words(uint64_t *state, size_t most) {
    size_t length = 8 + random_below(state, most);
    char *text = must(malloc(length));
    memset(text, 'x', length);
    return text;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)*(void *const *)a, y = *(const uint64_t *)*(void *const *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    long transactions = argument(argc, argv, 1, 150000);
    copies = argc > 2 && !strcmp(argv[2], "copy");
    uint64_t state = random_state(7), begin = now_ns();
    for (long i = 0; i < transactions; i++) {
        char **transaction = push(TRANSACTIONS);
        transaction[0] = words(&state, 48);
        transaction[1] = random_below(&state, 8) ? 0 : words(&state, 24);
        for (size_t n = 2 + random_below(&state, 3); n; n--) {
            *(uint64_t *)push(POSTINGS) = next_random(&state);
            push(AMOUNTS);
            push(INDEX);
            if (!random_below(&state, 4)) push(PRICES);
        }
    }
    size_t count = all[POSTINGS].length, lines = 0;
    void **sorted = must(malloc(count * sizeof *sorted));
    for (size_t i = 0; i < count; i++) sorted[i] = all[POSTINGS].data + i * sizes[POSTINGS];
    qsort(sorted, count, sizeof *sorted, compare);
    char **report_lines = must(calloc(count / 100 + 1, sizeof *report_lines));
    for (size_t i = 0; i < count; i += 100) report_lines[lines++] = words(&state, 80);
    uint64_t wall = now_ns() - begin;
    uint64_t sum = *(uint64_t *)sorted[count / 2];
    for (size_t i = 0; i < lines; i++) free(report_lines[i]);
    free(report_lines);
    free(sorted);
    for (size_t i = 0; i < all[TRANSACTIONS].length; i++) {
        char **transaction = (char **)(void *)(all[TRANSACTIONS].data + i * sizes[TRANSACTIONS]);
        free(transaction[0]);
        free(transaction[1]);
    }
    for (int i = 0; i < VECTORS; i++) free(all[i].data);
    report((double)wall / (double)transactions, wall, (double)transactions, "grown=%.0f sum=%llu", grown, (unsigned long long)sum);
    return 0;
}

// The order of equal elements against libc's qsort: a part of sort.c.

static int key_order(const void *a, const void *b) {
    const uint32_t x = key(a), y = key(b);
    return (x > y) - (x < y);
}
// What programs have in its place: with these, equal elements are never equal, or never less.
static int less_or_greater(const void *a, const void *b) { return key(a) < key(b) ? -1 : 1; }
static int greater_or_less(const void *a, const void *b) { return key(a) > key(b) ? 1 : -1; }
static int is_greater(const void *a, const void *b) { return key(a) > key(b); }
static int is_less(const void *a, const void *b) { return key(a) < key(b); }
static int not_less(const void *a, const void *b) { return key(a) >= key(b); }
static int not_greater(const void *a, const void *b) { return key(a) <= key(b); }
static int less_or_not(const void *a, const void *b) { return -(key(a) < key(b)); }
static int backwards(const void *a, const void *b) { return key_order(b, a); }

static const struct {
    const char *name;
    int (*f)(const void *, const void *);
} comparisons[] = {{"(x > y) - (x < y)", key_order}, {"x < y ? -1 : 1", less_or_greater}, {"x > y ? 1 : -1", greater_or_less}, {"x > y", is_greater},
    {"x < y", is_less}, {"x >= y", not_less}, {"x <= y", not_greater}, {"-(x < y)", less_or_not}, {"(x < y) - (x > y)", backwards}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

static void with_context(char *a) {
    brawn_qsort_r(a, count, width, compare_with, &calls);
}

// One array, with every comparison.
static void same_order(const char *what, char *musls) {
    for (size_t c = 0; c < COMPARISONS; c++) {
        memcpy(array, before, count * width);
        memcpy(musls, before, count * width);
        qsort(musls, count, width, comparisons[c].f);
        brawn_qsort(array, count, width, comparisons[c].f);
        if (memcmp(array, musls, count * width)) FAIL("%s: %zu of %zu bytes by %s: not libc's order", what, count, width, comparisons[c].name);
        check_edges(what);
    }
    memcpy(array, before, count * width);
    memcpy(musls, before, count * width);
    qsort(musls, count, width, key_order);
    with_context(array);
    if (memcmp(array, musls, count * width)) FAIL("%s: %zu of %zu bytes by qsort_r: not libc's order", what, count, width);
}

// The example that showed it: records by the first field of two.
static void records(void) {
    struct {
        int key, number;
    } ours[20], musls[20];
    for (int i = 0; i < 20; i++) {
        ours[i].key = musls[i].key = i % 3;
        ours[i].number = musls[i].number = i;
    }
    key_size = 4;
    brawn_qsort(ours, 20, sizeof *ours, key_order);
    qsort(musls, 20, sizeof *musls, key_order);
    if (memcmp(ours, musls, sizeof ours)) FAIL("20 records {i %% 3, i}: not libc's order");
}

// Where there is no memory, too.
static void without_memory(void (*f)(char *musls), char *musls) {
    struct rlimit before_it, none;
    if (getrlimit(RLIMIT_AS, &before_it)) FAIL("getrlimit");
    none = before_it;
    none.rlim_cur = 1;
    if (setrlimit(RLIMIT_AS, &none)) FAIL("setrlimit");
    f(musls);
    if (setrlimit(RLIMIT_AS, &before_it)) FAIL("setrlimit");
}

static void same_alone(char *musls) { same_order("without memory", musls); }

// `--sort stable`: equal elements as they came.
static int by_key_and_place(const void *a, const void *b) {
    const char *const x = *(char *const *)a, *const y = *(char *const *)b;
    const int order = key_order(x, y);
    return order ? order : (x > y) - (x < y);
}

static void stable_order(char *places) {
    char **const all = (char **)(void *)places;
    for (size_t i = 0; i < count; i++) all[i] = before + i * width;
    qsort(all, count, sizeof *all, by_key_and_place);
    for (int odd = 0; odd < 2; odd++) {
        memcpy(array, before, count * width);
        brawn_qsort_stable(array, count, width, odd ? is_greater : key_order);
        for (size_t i = 0; i < count; i++) {
            if (memcmp(array + i * width, all[i], width)) FAIL("%zu of %zu bytes, stable%s: not as they came at %zu", count, width, odd ? ", by x > y" : "", i);
        }
        check_edges("stable");
    }
}

static void equals(int few) {
    static const size_t widths[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 100, 256, 257, 600};
    char *const musls = malloc(MOST * 16);
    records();
    for (size_t n = 0; n <= 300; n += few ? 1 + n / 8 : 1) {
        for (int kind = 0; kind < KINDS; kind += few ? 4 : 1) {
            count = n;
            width = widths[(n + kind) % (sizeof widths / sizeof *widths)];
            key_size = width < 3 ? 1 : 2;
            fill(kind);
            // Keys of a few bits, so that there are equal ones everywhere.
            for (size_t i = 0; i < n && n % 2; i++) before[i * width] &= 15, before[i * width + key_size - 1] &= 1;
            same_order(kinds[kind], musls);
            stable_order(musls);
        }
    }
    // Around where an array no longer fits on the stack, and where its elements change places.
    static const size_t counts[] = {287, 288, 289, 290, 400, 513, 777, 1000, 3000, 5000, 20000, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t w = 1; w < sizeof widths / sizeof *widths; w++) {
            for (int kind = (int)(c % 2); kind < KINDS; kind += few ? 5 : 2) {
                count = counts[c];
                width = widths[w];
                key_size = 2;
                if (count * width > (few ? 12000 : 320000)) continue;
                fill(kind);
                same_order(kinds[kind], musls);
                stable_order(musls);
                // Fewer have room in a mapping that was kept.
                if (count != 5000) continue;
                without_memory(same_alone, musls);
                without_memory(stable_order, musls);
            }
        }
    }
    free(musls);
}

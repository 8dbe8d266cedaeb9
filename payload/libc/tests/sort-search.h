// bsearch, tsearch and tdelete against libc's: a part of sort.c.
#include <search.h>

void *brawn_bsearch(const void *key, const void *base, size_t n, size_t size, int (*f)(const void *, const void *));
void *brawn_tsearch(const void *key, void **root, int (*f)(const void *, const void *));
void *brawn_tdelete(const void *key, void **root, int (*f)(const void *, const void *));

static uint64_t compared;
static int by_int(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    // Which were compared, in which order.
    compared = (compared ^ (uint64_t)(x * 31 + y)) * 0x9e3779b97f4a7c15u;
    return x < y ? -7 : (x > y ? 9 : 0);
}

static void searched(void) {
    static struct {
        int key;
        char rest[20];
    } wide[500];
    static int narrow[500];
    for (int n = 0; n < 500; n++) {
        for (int i = 0; i < n; i++) narrow[i] = wide[i].key = i / (1 + n % 3) * 2;
        for (int key = -1; key < n * 2 + 2; key += 1 + n / 100) {
            compared = 0;
            const void *const musls = bsearch(&key, narrow, n, sizeof *narrow, by_int);
            const uint64_t order = compared;
            compared = 0;
            if (brawn_bsearch(&key, narrow, n, sizeof *narrow, by_int) != musls || compared != order) FAIL("bsearch of %d in %d", key, n);
            if (brawn_bsearch(&key, wide, n, sizeof *wide, by_int) != bsearch(&key, wide, n, sizeof *wide, by_int)) FAIL("bsearch of %d in %d structs", key, n);
        }
    }
}

// Two trees by the same calls: the same shape.  What libc walks is what brawn built.
typedef struct branch {
    const void *key;
    struct branch *side[2];
    int height;
} branch;
static void same_tree(const branch *a, const branch *b) {
    if (!a != !b) FAIL("trees of different shapes");
    if (!a) return;
    if (a->key != b->key || a->height != b->height) FAIL("trees differ at %d and %d", *(const int *)a->key, *(const int *)b->key);
    same_tree(a->side[0], b->side[0]);
    same_tree(a->side[1], b->side[1]);
}

static void trees(void) {
    static int keys[3000];
    for (int i = 0; i < 3000; i++) keys[i] = i;
    for (int turn = 0; turn < 60; turn++) {
        void *ours = NULL, *musls = NULL;
        const int most = (int[]){3, 20, 300, 3000}[turn % 4], in_order = turn % 3;
        for (int step = 0; step < 3 * most; step++) {
            const int *const k = &keys[in_order && step < most ? (in_order == 1 ? step : most - 1 - step) : (int)(next() % (unsigned)most)];
            if ((in_order && step < most) || next() % 2) {
                branch *const a = brawn_tsearch(k, &ours, by_int), *const b = tsearch(k, &musls, by_int);
                if (!a || a->key != k || b->key != k || brawn_tsearch(k, &ours, by_int) != a) FAIL("tsearch of %d", *k);
            } else {
                const branch *const was = ours;
                const branch *const a = brawn_tdelete(k, &ours, by_int), *const b = tdelete(k, &musls, by_int);
                if (!a != !b) FAIL("tdelete of %d", *k);
                // The root's own parent is no more than not NULL.
                if (a && a != was && b && a->key != b->key) FAIL("tdelete of %d: another parent", *k);
            }
            if (most < 1000 || step % 100 == 0) same_tree(ours, musls);
        }
        for (int i = 0; i < most; i++) {
            if (!tfind(&keys[i], &ours, by_int) != !tfind(&keys[i], &musls, by_int)) FAIL("tfind of %d", i);
            brawn_tdelete(&keys[i], &ours, by_int), tdelete(&keys[i], &musls, by_int);
        }
        if (ours || musls) FAIL("a tree is left");
    }
    if (brawn_tsearch(keys, NULL, by_int) || brawn_tdelete(keys, NULL, by_int)) FAIL("no root");
}

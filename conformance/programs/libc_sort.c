//# states: sorting and searching hold whatever a comparison says: no element is lost, nothing outside is touched, and it ends
//# link: static static-pie
//# timeout: 60
#include "guarded.h"
#include <pthread.h>
#include <search.h>
#include <setjmp.h>

enum { MOST = 3000 };
static size_t width, count;
static char *array;
static unsigned long calls;

static unsigned key(const void *p) {
    const unsigned char *bytes = p;
    return width == 1 ? bytes[0] : bytes[0] | (unsigned)bytes[1] << 8;
}
static void inside(const void *p) {
    size_t at = (size_t)((const char *)p - array);
    /* Or a copy of the sort's own, which is not in the guarded room at all. */
    if ((const char *)p >= guarded_start && (const char *)p < guarded_end)
        CHECK(at < count * width, "outside, by %zu", at);
}
static int by_key(const void *a, const void *b) {
    calls++;
    inside(a);
    inside(b);
    return (int)key(a) - (int)key(b);
}
static uint64_t random_state = 7;
static int lies(const void *a, const void *b) {
    return inside(a), inside(b), (int)(next_random(&random_state) % 3) - 1;
}
static int greater(const void *a, const void *b) { return inside(a), inside(b), 1; }
static int less(const void *a, const void *b) { return inside(a), inside(b), -1; }

/* Elements that differ: a key, and the element's number behind it where there is room. */
static unsigned long long start(size_t n, size_t size, int kind) {
    guard();
    count = n;
    width = size;
    array = guarded_end - n * size;
    unsigned long long sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned k = kind == 0 ? (unsigned)(next_random(&random_state) % 60000)
            : kind == 1        ? (unsigned)i
            : kind == 2        ? (unsigned)(n - i)
                               : (unsigned)i % 7;
        for (size_t at = 0; at < size; at++)
            array[i * size + at] = (char)(at == 0 ? k : (at == 1 ? k >> 8 : k * 31 + at));
        sum += key(array + i * size) * 2654435761ull;
    }
    return sum;
}
static void whole(unsigned long long sum, int sorted) {
    for (size_t i = 0; i < count; i++) {
        unsigned k = key(array + i * width);
        sum -= k * 2654435761ull;
        for (size_t at = 2; at < width; at++)
            CHECK(array[i * width + at] == (char)(k * 31 + at), "%zu of %zu bytes: %zu is torn", count, width, i);
        if (sorted && i)
            CHECK(key(array + (i - 1) * width) <= k, "%zu of %zu bytes: not in order at %zu", count, width, i);
    }
    CHECK(sum == 0, "%zu of %zu bytes: not the same elements", count, width);
}

static void orders(void) {
    static const size_t widths[] = {1, 2, 3, 4, 8, 12, 16, 20, 40, 300},
                        counts[] = {0, 1, 2, 3, 5, 9, 17, 33, 64, 100, 600, MOST};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int kind = 0; kind < 4; kind++) {
                if (counts[c] * widths[w] > GUARDED_ROOM || (widths[w] == 1 && counts[c] > 200)) continue;
                unsigned long long sum = start(counts[c], widths[w], kind);
                qsort(array, count, width, by_key);
                whole(sum, 1);
                if (kind == 3) {
                    int (*const liars[])(const void *, const void *) = {lies, greater, less};
                    for (int i = 0; i < 3; i++) {
                        sum = start(counts[c], widths[w], 0);
                        qsort(array, count, width, liars[i]);
                        whole(sum, 0);
                    }
                }
            }
    qsort(guarded_end, hidden_size(0), 4, by_key);
}

/* McIlroy, A killer adversary for quicksort, 1999. */
static int values[MOST], gas = MOST, solid, candidate;
static int kills(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    calls++;
    if (values[x] == gas && values[y] == gas) values[x == candidate ? x : y] = solid++;
    if (values[x] == gas) candidate = x;
    else if (values[y] == gas) candidate = y;
    return values[x] < values[y] ? -1 : values[x] > values[y];
}

static void killer(void) {
    static int numbers[MOST];
    for (int i = 0; i < MOST; i++) numbers[i] = i, values[i] = gas;
    calls = 0;
    qsort(numbers, MOST, sizeof *numbers, kills);
    CHECK(calls < MOST * 12 * 5, "%lu comparisons", calls);
}

/* A comparison may leave, and may sort something itself. */
__attribute__((unused)) static jmp_buf out;
__attribute__((unused)) static int leaves(const void *a, const void *b) {
    int result = by_key(a, b);
    if (calls > 500) longjmp(out, 1);
    return result;
}
static int sorts(const void *a, const void *b) {
    unsigned char bytes[8];
    memcpy(bytes, a, 4);
    memcpy(bytes + 4, b, 4);
    size_t kept = width;
    width = 1;
    char *kept_array = array;
    array = (char *)bytes;
    qsort(bytes, 8, 1, by_key);
    array = kept_array;
    width = kept;
    return by_key(a, b);
}

static void calls_out(void) {
    unsigned long long sum = start(200, 4, 0);
    qsort(array, count, width, sorts);
    whole(sum, 1);
#ifndef __GLIBC__
    /* glibc's has elements elsewhere meanwhile. */
    for (size_t size = 2; size < 20; size += 3) {
        unsigned long long before = start(400, size, 0);
        calls = 0;
        if (!setjmp(out)) qsort(array, count, width, leaves);
        whole(before, 0);
    }
#endif
}

/* In a thread that has little room. */
static void *sorts_all(void *unused) {
    unsigned long long sum = start(MOST, 20, 0);
    qsort(array, count, width, by_key);
    whole(sum, 1);
    return unused;
}

static void little_stack(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    NEED(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 16384) == 0);
    NEED(pthread_create(&thread, &attributes, sorts_all, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int last_seen;
static void in_order(const void *node, VISIT when, int depth) {
    (void)depth;
    int number = **(const int *const *)node;
    if (when != postorder && when != leaf) return;
    CHECK(number > last_seen, "%d after %d", number, last_seen);
    last_seen = number;
}

static void searches(void) {
    static int numbers[1000];
    for (int i = 0; i < 1000; i++) numbers[i] = i * 2;
    for (size_t n = 0; n < 40; n++)
        for (int wanted = -1; wanted < 82; wanted++) {
            int *found = bsearch(&wanted, at_end(numbers, n * sizeof(int)), n, sizeof(int), by_number);
            CHECK(wanted >= 0 && wanted % 2 == 0 && wanted / 2 < (int)n ? found && *found == wanted : !found,
                "%d of %zu", wanted, n);
        }
    void *root = NULL;
    for (int i = 0; i < 1000; i++) NEED(tsearch(&numbers[i * 7 % 1000], &root, by_number));
    CHECK(**(int **)tsearch(&(int){500}, &root, by_number) == 500 && tfind(&(int){501}, &root, by_number) == NULL,
        "the tree");
    last_seen = -1;
    twalk(root, in_order);
    CHECK_SAME(last_seen, 1998);
    for (int i = 0; i < 1000; i++)
        CHECK(tdelete(&numbers[i * 3 % 1000], &root, by_number) != NULL, "%d is not there", i);
    CHECK(root == NULL && tdelete(numbers, &root, by_number) == NULL, "not empty");
    size_t n = 3;
    int list[8] = {5, 3, 1}, four = 4;
    CHECK(lfind(&four, list, &n, sizeof(int), by_number) == NULL &&
            lsearch(&four, list, &n, sizeof(int), by_number) == list + 3 && n == 4,
        "%zu", n);
    static char names[300][8];
    NEED(hcreate(300));
    for (int i = 0; i < 300; i++) {
        snprintf(names[i], sizeof *names, "n%d", i);
        ENTRY *entry = hsearch((ENTRY){names[i], names[i] + 1}, ENTER);
        CHECK(entry && entry->data == names[i] + 1, "%d", i);
    }
    CHECK(hsearch((ENTRY){"n299", NULL}, FIND)->data == names[299] + 1 && !hsearch((ENTRY){"n300", NULL}, FIND),
        "hsearch");
    hdestroy();
}

int main(void) {
    orders();
    killer();
    calls_out();
    little_stack();
    searches();
    return check_result();
}

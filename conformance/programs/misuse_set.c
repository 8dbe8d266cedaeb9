//# states: misuse of blocks in four sizes ends a program by a signal, or lets it go on: no other end
//# case: freed_twice overflow underflow after_free after_reuse given_back not_a_block
//# profile: secure
//# timeout: 60
/* tests/misuse_table.rs makes the table of docs/security.md from what this prints, and holds profile secure to
 * what musl's own heap ends. */
#include "misused.h"

/* Freed twice */

static void direct(size_t n) {
    char *p = block(n);
    free(p);
    free(hidden(p));
}
static void delayed(size_t n) {
    char *p = block(n);
    free(p);
    for (size_t i = 0; i < 32; i++) free(block(i * 100 + 1));
    free(hidden(p));
}
static void interleaved(size_t n) {
    char *p = block(n), *q = block(n);
    free(p);
    free(q);
    free(hidden(p));
}
static void among_others(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    free(hidden(p));
    free(a);
    free(b);
}
static void after_another(size_t n) {
    char *p = block(n);
    free(p);
    char *q = block(n);
    free(hidden(p));
    free(hidden(q));
}
static void freed_twice(void) {
    misused("direct", direct);
    misused("delayed", delayed);
    misused("interleaved", interleaved);
    misused("among-others", among_others);
    misused("after-another", after_another);
}

/* Written in front of a block or behind it, by stores and by memcpy.  The block is freed before its neighbours are. */

static char source[262144 + 64];

static void store(char *p, size_t n) {
    volatile char *at = (volatile char *)hidden(p);
    for (size_t i = 0; i < n; i++) at[i] = 0x5a;
}
static void copied(char *p, size_t n) {
    for (size_t i = 0; i < n; i++) source[i] = (char)~((volatile char *)hidden(p))[i];
    memcpy(hidden(p), hidden(source), hidden_size(n));
}
/* Other bytes than are there: a fixed one is what it was once in 256 times. */
static void changed(char *p, size_t n) {
    volatile char *at = (volatile char *)hidden(p);
    for (size_t i = 0; i < n; i++) at[i] = (char)~at[i];
}
static void beside(size_t n, void (*write)(char *, size_t), ptrdiff_t from, size_t length) {
    char *a = block(n), *p = block(n), *b = block(n);
    write(p + from, length);
    free(hidden(p));
    free(a);
    free(b);
}
static void over_1_store(size_t n) { beside(n, changed, (ptrdiff_t)n, 1); }
static void over_1_memcpy(size_t n) { beside(n, copied, 0, n + 1); }
static void over_32_store(size_t n) { beside(n, changed, (ptrdiff_t)n, 32); }
static void over_32_memcpy(size_t n) { beside(n, copied, 0, n + 32); }
static void under_1_store(size_t n) { beside(n, changed, -1, 1); }
static void under_1_memcpy(size_t n) { beside(n, copied, -1, n + 1); }
static void under_32_store(size_t n) { beside(n, changed, -32, 32); }
static void under_32_memcpy(size_t n) { beside(n, copied, -32, n + 32); }
static void alone_under_1(size_t n) {
    char *p = block(n);
    changed(p - 1, 1);
    free(hidden(p));
}
static void overflow(void) {
    misused("over-1-store", over_1_store);
    misused("over-1-memcpy", over_1_memcpy);
    misused("over-32-store", over_32_store);
    misused("over-32-memcpy", over_32_memcpy);
}
static void underflow(void) {
    misused("under-1-store", under_1_store);
    misused("under-1-memcpy", under_1_memcpy);
    misused("under-1-alone", alone_under_1);
    misused("under-32-store", under_32_store);
    misused("under-32-memcpy", under_32_memcpy);
}

/* Used after it was freed: alone, so that a heap may have given its memory back, and between neighbours. */

static void write_alone(size_t n) {
    char *p = block(n);
    free(p);
    store(p, n);
}
static void write_among(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    store(p, n);
    free(a);
    free(b);
}
static void write_first(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    store(p, 1);
    free(a);
    free(b);
}
static void write_last(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    store(p + n - 1, 1);
    free(a);
    free(b);
}
static void zero(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    memset(hidden(p), 0, hidden_size(n));
    free(a);
    free(b);
}
static void read_of(char *p, size_t n) {
    for (size_t i = 0; i < n; i++) (void)((volatile char *)hidden(p))[i];
}
static void read_alone(size_t n) {
    char *p = block(n);
    free(p);
    read_of(p, n);
}
static void read_among(size_t n) {
    char *a = block(n), *p = block(n), *b = block(n);
    free(p);
    read_of(p, n);
    free(a);
    free(b);
}
static void after_free(void) {
    misused("write", write_among);
    misused("write-first", write_first);
    misused("write-last", write_last);
    misused("zero", zero);
    misused("read", read_among);
}
static void given_back(void) {
    misused("write-alone", write_alone);
    misused("read-alone", read_alone);
}

/* The same when another block of that size was asked for in between. */

static void reused(size_t n, void (*use)(char *, size_t)) {
    char *p = block(n);
    free(p);
    char *q = block(n);
    use(p, n);
    free(hidden(q));
}
static void zeroed(char *p, size_t n) { memset(hidden(p), 0, hidden_size(n)); }
static void reused_write(size_t n) { reused(n, store); }
static void reused_zero(size_t n) { reused(n, zeroed); }
static void reused_read(size_t n) { reused(n, read_of); }
static void after_reuse(void) {
    misused("reused-write", reused_write);
    misused("reused-zero", reused_zero);
    misused("reused-read", reused_read);
}

/* What is freed is no block */

/* Heaps look for headers below, at a multiple of 1 MiB or more. They are not in these bytes, wherever the stack is. */
enum { LOCAL_BYTES = 4096,
    HEADER_BYTES = 1 << 16 };
static void stack(size_t n) {
    char place[2 * HEADER_BYTES + LOCAL_BYTES] __attribute__((aligned(16)));
    char *local = place + 2 * HEADER_BYTES;
    if ((((uintptr_t)local + LOCAL_BYTES) & ((1 << 20) - 1)) < HEADER_BYTES) local = place;
    memset(local, (int)n, LOCAL_BYTES);
    free(hidden(local + 1024));
}
static char data[65536] __attribute__((aligned(16)));
static void in_data(size_t n) { free(hidden(data + 4096 + n % 16)); }
static void far(size_t n) { free(hidden((void *)(((uintptr_t)1 << 44) + n * 16))); }
static void unaligned(size_t n) { free(hidden(block(n) + 1)); }
static void inner(size_t n) { free(hidden(block(n) + n / 2)); }
static void inner_near(size_t n) { free(hidden(block(n + 16) + 16)); }
static void not_a_block(void) {
    misused("stack", stack);
    misused("data", in_data);
    misused("far", far);
    misused("unaligned", unaligned);
    misused("inner", inner);
    misused("inner-near", inner_near);
}

RUN_CASES({"freed_twice", freed_twice}, {"overflow", overflow}, {"underflow", underflow}, {"after_free", after_free},
    {"after_reuse", after_reuse}, {"given_back", given_back}, {"not_a_block", not_a_block})

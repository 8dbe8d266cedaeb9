//# states: what each call answers at its edges, errno included: musl's answers
//# link: static static-pie lld lld-pie gc gc-lld lto-gcc lto-clang line line-lld zig
//# case: malloc_huge malloc_max calloc_overflow calloc_huge realloc_huge realloc_null_huge
//# case: reallocarray_overflow reallocarray_works aligned_alloc_odd memalign_odd aligned_alloc_huge
//# case: memalign_huge_alignment aligned_alloc_zero_alignment posix_memalign_small
//# case: posix_memalign_odd posix_memalign_huge malloc_zero calloc_zero realloc_zero
//# case: aligned_alloc_zero usable_size_null free_null free_keeps_errno success_keeps_errno
//# case: valloc_works distinct huge_after_growth
//# fails: glibc/*/aligned_alloc_odd: glibc rounds the alignment up
//# fails: glibc/*/memalign_odd: glibc rounds the alignment up
//# fails: glibc/*/realloc_zero: glibc frees the block and answers NULL
#include "check.h"
#include <malloc.h>

#define FAILS(call, error)                                                   \
    do {                                                                     \
        errno = 0;                                                           \
        void *failed = hidden(call);                                         \
        int found_errno = errno;                                             \
        CHECK(failed == NULL, "%s gave %p", #call, failed);                  \
        CHECK(found_errno == error, "%s left errno %d", #call, found_errno); \
    } while (0)

#define HUGE_SIZE hidden_size((size_t)PTRDIFF_MAX + 1)
#define MAX_SIZE hidden_size(SIZE_MAX)

static void malloc_huge(void) { FAILS(malloc(HUGE_SIZE), ENOMEM); }
static void malloc_max(void) {
    FAILS(malloc(MAX_SIZE), ENOMEM);
    for (size_t less = 1; less < 8192; less += 7) FAILS(malloc(hidden_size(SIZE_MAX - less)), ENOMEM);
    for (size_t less = 0; less < 4096; less += 5)
        FAILS(malloc(hidden_size((size_t)PTRDIFF_MAX - less)), ENOMEM);
}
static void calloc_overflow(void) {
    FAILS(calloc(HUGE_SIZE, 2), ENOMEM);
    FAILS(calloc(2, HUGE_SIZE), ENOMEM);
    FAILS(calloc(hidden_size((size_t)1 << 32), hidden_size((size_t)1 << 32)), ENOMEM);
    FAILS(calloc(MAX_SIZE, MAX_SIZE), ENOMEM);
}
static void calloc_huge(void) {
    FAILS(calloc(1, HUGE_SIZE), ENOMEM);
    FAILS(calloc(MAX_SIZE, 1), ENOMEM);
}
static void realloc_huge(void) {
    size_t sizes[] = {1, 100, 5000, 200000, 5000000};
    for (size_t i = 0; i < 5; i++) {
        void *p = malloc(sizes[i]);
        NEED(p);
        fill(p, sizes[i], i);
        FAILS(realloc(p, MAX_SIZE), ENOMEM);
        FAILS(realloc(p, HUGE_SIZE), ENOMEM);
        CHECK_FILLED(p, sizes[i], i);
        free(p);
    }
}
static void realloc_null_huge(void) { FAILS(realloc(NULL, MAX_SIZE), ENOMEM); }
static void reallocarray_overflow(void) {
    void *p = malloc(100);
    NEED(p);
    fill(p, 100, 1);
    FAILS(reallocarray(p, MAX_SIZE, 2), ENOMEM);
    FAILS(reallocarray(p, hidden_size((size_t)1 << 33), hidden_size((size_t)1 << 33)), ENOMEM);
    CHECK_FILLED(p, 100, 1);
    free(p);
}
static void reallocarray_works(void) {
    char *p = reallocarray(NULL, 10, 10);
    NEED(p);
    fill(p, 100, 3);
    NEED(p = reallocarray(p, 1000, 10));
    CHECK_FILLED(p, 100, 3);
    free(p);
}
static void aligned_alloc_odd(void) {
    FAILS(aligned_alloc(hidden_size(3), 8), EINVAL);
    FAILS(aligned_alloc(hidden_size(48), 96), EINVAL);
    FAILS(aligned_alloc(HUGE_SIZE + 1, 8), EINVAL);
}
static void memalign_odd(void) {
    FAILS(memalign(hidden_size(3), 8), EINVAL);
    FAILS(memalign(hidden_size(24), 8), EINVAL);
}
static void aligned_alloc_huge(void) {
    FAILS(aligned_alloc(64, MAX_SIZE), ENOMEM);
    FAILS(aligned_alloc(64, SIZE_MAX - 63), ENOMEM);
    FAILS(aligned_alloc(4096, HUGE_SIZE), ENOMEM);
    FAILS(memalign(64, MAX_SIZE), ENOMEM);
}
static void memalign_huge_alignment(void) {
    FAILS(memalign(hidden_size((size_t)1 << 40), 8), ENOMEM);
    FAILS(memalign(HUGE_SIZE, 8), ENOMEM);
}
static void aligned_alloc_zero_alignment(void) {
    /* Zero has no bit too many, so musl takes it for a power of two. */
    void *p = aligned_alloc(hidden_size(0), 8);
    CHECK(p != NULL, "errno %d", errno);
    CHECK_SAME((uintptr_t)p % 16, 0);
    free(p);
}
static void posix_memalign_refuses(size_t alignment, size_t size, int error) {
    void *before = &before, *p = before;
    errno = 77;
    int result = posix_memalign(&p, alignment, size);
    CHECK_SAME(result, error);
    CHECK(p == before, "the pointer was changed to %p", p);
}
static void posix_memalign_small(void) {
    posix_memalign_refuses(hidden_size(4), 8, EINVAL);
    posix_memalign_refuses(hidden_size(1), 8, EINVAL);
    posix_memalign_refuses(hidden_size(0), 8, EINVAL);
}
static void posix_memalign_odd(void) { posix_memalign_refuses(hidden_size(24), 8, EINVAL); }
static void posix_memalign_huge(void) { posix_memalign_refuses(64, MAX_SIZE, ENOMEM); }

#define UNIQUE(call)                                                                    \
    do {                                                                                \
        void *found[64];                                                                \
        for (int i = 0; i < 64; i++) {                                                  \
            found[i] = hidden(call);                                                    \
            CHECK(found[i] != NULL, "%s gave NULL", #call);                             \
            CHECK_SAME((uintptr_t)found[i] % 16, 0);                                    \
            for (int j = 0; j < i; j++) CHECK(found[i] != found[j], "%s twice", #call); \
        }                                                                               \
        for (int i = 0; i < 64; i++) free(found[i]);                                    \
    } while (0)
static void malloc_zero(void) { UNIQUE(malloc(hidden_size(0))); }
static void calloc_zero(void) {
    UNIQUE(calloc(hidden_size(0), 8));
    UNIQUE(calloc(8, hidden_size(0)));
}
static void realloc_zero(void) {
    UNIQUE(realloc(malloc(100), hidden_size(0)));
    UNIQUE(realloc(NULL, hidden_size(0)));
    UNIQUE(realloc(malloc(1000000), hidden_size(0)));
}
static void aligned_alloc_zero(void) { UNIQUE(aligned_alloc(16, hidden_size(0))); }
static void usable_size_null(void) { CHECK_SAME(malloc_usable_size(hidden(NULL)), 0); }
static void free_null(void) {
    errno = 55;
    free(hidden(NULL));
    CHECK_SAME(errno, 55);
}
static void free_keeps_errno(void) {
    size_t sizes[] = {1, 1000, 40000, 300000, 3000000, 50000000, 300000000};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 7; i++) {
            void *p = hidden(malloc(sizes[i])), *q = hidden(memalign(4096, sizes[i]));
            errno = 55;
            free(p);
            free(q);
            CHECK_SAME(errno, 55);
        }
}
static void success_keeps_errno(void) {
    /* The first call of all sets the heap up; what it asks of the kernel is nobody's business. */
    errno = 55;
    void *p = hidden(malloc(10));
    CHECK_SAME(errno, 55);
    void *q = hidden(calloc(1000, 1000)), *r = hidden(aligned_alloc(256, 100));
    CHECK_SAME(errno, 55);
    q = hidden(realloc(q, 10000000));
    CHECK_SAME(errno, 55);
    free(p);
    free(q);
    free(r);
}
static void valloc_works(void) {
    void *p = valloc(10), *q = valloc(5000);
    CHECK(p && q, "%p %p", p, q);
    CHECK_SAME((uintptr_t)p % 4096 + (uintptr_t)q % 4096, 0);
    free(p);
    free(q);
}
static void distinct(void) {
    enum { COUNT = 3000 };
    static char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        NEED(blocks[i] = malloc(i % 300 + 1));
        fill(blocks[i], i % 300 + 1, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_FILLED(blocks[i], i % 300 + 1, i);
        free(blocks[i]);
    }
}

/* Where the heap expects the next block to grow as the last one did, too. */
static void huge_after_growth(void) {
    for (size_t most = 10000; most < 10000000; most *= 3) {
        char *p = NULL;
        for (size_t n = 16; n < most; n *= 2) NEED(p = realloc(p, n));
        free(hidden(p));
        for (size_t less = 0; less < 8192; less++) {
            FAILS(malloc(hidden_size(SIZE_MAX - less)), ENOMEM);
            FAILS(realloc(NULL, hidden_size(SIZE_MAX - less)), ENOMEM);
        }
    }
}

#define C(name) {#name, name}
RUN_CASES(C(malloc_huge), C(malloc_max), C(calloc_overflow), C(calloc_huge), C(realloc_huge),
    C(realloc_null_huge), C(reallocarray_overflow), C(reallocarray_works),
    C(aligned_alloc_odd), C(memalign_odd), C(aligned_alloc_huge),
    C(memalign_huge_alignment), C(aligned_alloc_zero_alignment), C(posix_memalign_small),
    C(posix_memalign_odd), C(posix_memalign_huge), C(malloc_zero), C(calloc_zero),
    C(realloc_zero), C(aligned_alloc_zero), C(usable_size_null), C(free_null),
    C(free_keeps_errno), C(success_keeps_errno), C(valloc_works), C(distinct), C(huge_after_growth))

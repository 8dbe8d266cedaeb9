//# states: under an address space limit of 64 MiB the heap holds as much as stock's (90 %), then answers
//# states: NULL and ENOMEM, keeps what it has, and works again once memory is freed
//# case: 64 1024 16384 102400 1048576 mixed thread aligned data grown
//# at-least: 90% of stock
//# at-least: 80% of stock, secure
//# not-covered: qemu: qemu-user has no RLIMIT_AS
#include "check.h"
#include <pthread.h>
#include <sys/resource.h>

enum { LIMIT = 64 << 20 };
struct block {
    struct block *next;
    size_t n;
};

static int resource = RLIMIT_AS;
static void limit(void) {
    struct rlimit l = {LIMIT, LIMIT};
    NEED(setrlimit(resource, &l) == 0);
}
/* Allocates until NULL, touching everything. */
static struct block *exhaust(size_t n, size_t *held) {
    struct block *all = NULL;
    for (*held = 0;; *held += n) {
        errno = 0;
        struct block *b = malloc(n);
        if (!b) {
            CHECK_SAME(errno, ENOMEM);
            return all;
        }
        memset(b, 0x5a, n);
        b->next = all;
        b->n = n;
        all = b;
    }
}
static void release(struct block *all) {
    while (all) {
        struct block *next = all->next;
        unsigned char *bytes = (unsigned char *)all;
        CHECK(bytes[all->n - 1] == 0x5a, "a block's last byte changed to %d", bytes[all->n - 1]);
        free(all);
        all = next;
    }
}
static void tell(const char *name, size_t value) {
    printf("measure %s %zu\n", name, value);
    fflush(stdout);
}
static void hold(size_t n) {
    size_t first, again, other;
    limit();
    struct block *all = exhaust(n, &first);
    errno = 0;
    CHECK(hidden(calloc(1, LIMIT)) == NULL && errno == ENOMEM, "calloc: errno %d", errno);
    if (all) {
        errno = 0;
        CHECK(hidden(realloc(all, LIMIT)) == NULL && errno == ENOMEM, "realloc: errno %d", errno);
        CHECK(hidden(aligned_alloc(4096, LIMIT)) == NULL && errno == ENOMEM, "errno %d", errno);
    }
    release(all);
    all = exhaust(n, &again);
    CHECK(again >= first / 10 * 9, "%zu bytes held at first, %zu later", first, again);
    release(all);
    tell("held", first);
    tell("held again", again);
    /* What was small blocks becomes large ones, and the other way. */
    release(exhaust(n >= 16384 ? 256 : 300000, &other));
    tell("held in other blocks", other);
}
static void mixed(void) {
    uint64_t state = 3;
    size_t held = 0;
    struct block *all = NULL;
    limit();
    for (;;) {
        size_t n = 32 + next_random(&state) % 5000;
        struct block *b = malloc(n);
        if (!b) break;
        memset(b, 0x5a, n);
        b->next = all;
        b->n = n;
        all = b;
        held += n;
    }
    CHECK_SAME(errno, ENOMEM);
    release(all);
    tell("held", held);
}
static void *in_thread(void *unused) {
    size_t held = 0;
    struct block *all = exhaust(1000, &held);
    release(all);
    tell("held by thread", held);
    return unused;
}
static void *first_act_without_memory(void *unused) {
    errno = 0;
    void *p = hidden(malloc(1 << 20));
    CHECK(p == NULL && errno == ENOMEM, "%p, errno %d", p, errno);
    p = hidden(malloc(20)); /* may or may not succeed: the thread's heap itself needs memory */
    free(p);
    return unused;
}
static void thread(void) {
    pthread_t id;
    size_t held;
    limit();
    NEED(!pthread_create(&id, NULL, in_thread, NULL));
    pthread_join(id, NULL);
    char stack[32768] __attribute__((aligned(4096)));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    NEED(!pthread_attr_setstack(&attributes, stack, sizeof stack));
    struct block *all = exhaust(100000, &held), *more = exhaust(1000, &held);
    NEED(!pthread_create(&id, &attributes, first_act_without_memory, NULL));
    pthread_join(id, NULL);
    release(more);
    release(all);
    NEED(!pthread_create(&id, NULL, in_thread, NULL));
    pthread_join(id, NULL);
}
static void aligned(void) {
    size_t held = 0;
    limit();
    while (hidden(aligned_alloc(65536, 1000))) held += 1000;
    CHECK_SAME(errno, ENOMEM);
    tell("held", held);
}
/* One block that grows until the limit, between others. */
static void grown(void) {
    size_t n = 1 << 20;
    limit();
    unsigned char *p = malloc(n);
    NEED(p);
    fill(p, n, 9);
    for (int i = 0;; i++) {
        if (i < 8) NEED(hidden(malloc(200000)));
        size_t more = n + n / 4;
        errno = 0;
        unsigned char *grown = realloc(p, more);
        if (!grown) {
            CHECK_SAME(errno, ENOMEM);
            break;
        }
        p = grown;
        CHECK_FILLED(p, n, 9);
        fill(p, n = more, 9);
    }
    CHECK_FILLED(p, n, 9);
    tell("held", n);
    free(p);
}

int main(int argc, char **argv) {
    NEED(argc == 2);
    if (!strcmp(argv[1], "mixed")) mixed();
    else if (!strcmp(argv[1], "thread")) thread();
    else if (!strcmp(argv[1], "aligned")) aligned();
    else if (!strcmp(argv[1], "grown")) grown();
    else if (!strcmp(argv[1], "data")) {
        resource = RLIMIT_DATA; /* counts private writable memory, whatever it is used for */
        hold(1024);
    } else hold(strtoul(argv[1], NULL, 10));
    return check_result();
}

//# states: threads free, grow and read blocks of other threads, living and gone ones
//# link: static static-pie line zig
//# case: ring producer_consumers owner_gone owner_gone_spans realloc_foreign last_thread_frees_all many_at_once many_of_an_ended_one spans_after_many no_key_left
//# timeout: 60
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t size_of(uint64_t r) { return 1 + (r >> 10) % ((size_t)16 << ((r >> 50) % 13)); }

/* A bounded queue. */
struct block {
    unsigned char *p;
    size_t n;
    unsigned seed;
};
static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct block items[256];
    size_t first, count;
} queues[8];

static void put(struct queue *q, struct block b) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 256) pthread_cond_wait(&q->changed, &q->lock);
    q->items[(q->first + q->count++) % 256] = b;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}
static struct block take(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0) pthread_cond_wait(&q->changed, &q->lock);
    struct block b = q->items[q->first];
    q->first = (q->first + 1) % 256;
    q->count--;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return b;
}
static struct block make(uint64_t *state, unsigned seed) {
    uint64_t r = next_random(state);
    struct block b = {NULL, size_of(r), seed};
    b.p = r % 3 ? malloc(b.n) : (r % 2 ? calloc(1, b.n) : aligned_alloc(64, b.n));
    NEED(b.p);
    fill(b.p, b.n, seed);
    return b;
}
static void end(struct block b) {
    CHECK_FILLED(b.p, b.n, b.seed);
    free(b.p);
}

static void *ring_member(void *argument) {
    size_t me = (size_t)argument;
    uint64_t state = 1000 + me;
    for (int i = 0; i < (int)check_share(20000); i++) {
        put(&queues[me], make(&state, i + me));
        end(take(&queues[(me + 1) % 4]));
    }
    return NULL;
}
static void ring(void) {
    pthread_t ids[4];
    for (size_t i = 0; i < 4; i++) NEED(!pthread_create(&ids[i], NULL, ring_member, (void *)i));
    for (size_t i = 0; i < 4; i++) pthread_join(ids[i], NULL);
}

static void *consumer(void *unused) {
    for (struct block b; (b = take(&queues[0])).p;) end(b);
    return unused;
}
static void producer_consumers(void) {
    pthread_t ids[3];
    uint64_t state = 7;
    for (size_t i = 0; i < 3; i++) NEED(!pthread_create(&ids[i], NULL, consumer, NULL));
    for (int i = 0; i < (int)check_share(60000); i++) put(&queues[0], make(&state, i));
    for (size_t i = 0; i < 3; i++) put(&queues[0], (struct block){0});
    for (size_t i = 0; i < 3; i++) pthread_join(ids[i], NULL);
}

static struct block left[1000];
static void *leave_blocks(void *argument) {
    uint64_t state = 99 + (size_t)argument;
    for (int i = 0; i < 1000; i++) left[i] = make(&state, i);
    return NULL;
}
static void *end_blocks(void *unused) {
    for (int i = 0; i < 1000; i++) end(left[(i * 7) % 1000]);
    return unused;
}
static void owner_gone(void) {
    for (size_t round = 0; round < 30; round++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, leave_blocks, (void *)round));
        pthread_join(id, NULL);
        if (round % 2) {
            end_blocks(NULL);
        } else {
            NEED(!pthread_create(&id, NULL, end_blocks, NULL));
            pthread_join(id, NULL);
        }
    }
}

/* Blocks of some tens of KiB, which a heap may manage one by one.  With every fourth gone there is room
 * for the next thread's between those that are left, and then all of it becomes empty. */
enum { SPANS = 200 };
static struct block spans[SPANS];
static void *leave_spans(void *argument) {
    size_t n = (size_t)argument;
    for (int i = 0; i < SPANS; i++) {
        spans[i] = (struct block){malloc(n), n, i};
        NEED(spans[i].p);
        fill(spans[i].p, n, i);
    }
    for (int i = 0; i < SPANS; i += 4) free(spans[i].p);
    return NULL;
}
static void owner_gone_spans(void) {
    for (size_t n = 20000; n <= 90000; n += 35000) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, leave_spans, (void *)n));
        pthread_join(id, NULL);
        void *own[SPANS / 2];
        for (int i = 0; i < SPANS / 2; i++) NEED(own[i] = malloc(n - 5000));
        for (int i = 0; i < SPANS / 2; i++) free(own[i]);
        for (int i = 0; i < SPANS; i++)
            if (i % 4) end(spans[i]);
        void *small[1000];
        for (int i = 0; i < 1000; i++) NEED(small[i] = calloc(1, i * 5));
        for (int i = 0; i < 1000; i++) free(small[i]);
    }
}

static void *grow_blocks(void *argument) {
    size_t from = (size_t)argument;
    for (size_t i = from; i < from + 250; i++) {
        size_t n = left[i].n * 2 + 1;
        unsigned char *p = realloc(left[i].p, n);
        NEED(p);
        CHECK_FILLED(p, left[i].n, left[i].seed);
        fill(p, n, i);
        left[i] = (struct block){p, n, i};
    }
    return NULL;
}
static void realloc_foreign(void) {
    for (int round = 0; round < 5; round++) {
        leave_blocks((void *)(size_t)round);
        pthread_t ids[4];
        for (size_t i = 0; i < 4; i++)
            NEED(!pthread_create(&ids[i], NULL, grow_blocks, (void *)(i * 250)));
        for (size_t i = 0; i < 4; i++) pthread_join(ids[i], NULL);
        end_blocks(NULL);
    }
}

/* Each thread hands all that it holds to the next one and ends. */
static void last_thread_frees_all(void) {
    leave_blocks(NULL);
    for (size_t round = 0; round < 50; round++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, grow_blocks, (void *)(round % 4 * 250)));
        pthread_join(id, NULL);
        for (size_t i = 0; i < 1000; i++)
            if (left[i].n > 20000) {
                free(left[i].p);
                left[i] = (struct block){malloc(10), 10, 3};
                fill(left[i].p, 10, 3);
            }
    }
    pthread_t id;
    NEED(!pthread_create(&id, NULL, end_blocks, NULL));
    pthread_join(id, NULL);
}

/* One thread frees all blocks of another, far more than any list of fixed size holds, while the owner sleeps.  Then they are the owner's
 * again, also in the child of a fork: it needs no more memory for as many, and none of them is given out twice. */
enum { MANY = 200000 };
static struct block many[MANY];
static void make_many(void) {
    uint64_t state = 5;
    for (int i = 0; i < (int)check_share(MANY); i++) {
        size_t n = 1 + next_random(&state) % (i % 2 ? 64 : 1024);
        many[i] = (struct block){malloc(n), n, (unsigned)i};
        NEED(many[i].p);
        fill(many[i].p, n, (unsigned)i);
    }
}
static void *end_many(void *unused) {
    const size_t count = (size_t)check_share(MANY);
    for (size_t i = 0; i < count; i++) end(many[i * 77777 % count]);
    return unused;
}
static void end_many_elsewhere(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, end_many, NULL));
    pthread_join(id, NULL);
}
static void many_at_once(void) {
    make_many();
    end_many_elsewhere();
    const long before = check_status("VmHWM:");
    for (int round = 0; round < 3; round++) {
        make_many();
        end_many_elsewhere();
    }
    const long after = check_status("VmHWM:");
    CHECK(after < before + before / 4, "%ld KiB, then %ld", before, after);
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        make_many();
        end_many(NULL);
        _exit(check_failures != 0);
    }
    int status = -1;
    NEED(waitpid(child, &status, 0) == child);
    CHECK(status == 0, "%d", status);
}

/* From now on no wait gives memory back (docs/tuning.md), so that what these threads themselves get back is seen. */
static void nothing(int number) { (void)number; }
static void without_turns(void) { NEED(signal(SIGUSR1, nothing) != SIG_ERR); }

/* A thread with a large heap, which does not wait for the next thread, ends when others have just freed many of its blocks. */
enum { SIZES = 10,
    OF_EACH = 100,
    STILL = 300,
    ENDED = 2000 };
static void *comes_back[SIZES * OF_EACH], *stays[STILL];
static sem_t made, was_freed;
static void *leave_many(void *unused) {
    static const size_t sizes[SIZES] = {224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
    for (int i = 0; i < SIZES * OF_EACH; i++) NEED(comes_back[i] = memset(malloc(sizes[i % SIZES]), 1, sizes[i % SIZES]));
    for (int i = 0; i < STILL; i++) NEED(stays[i] = malloc(98000));
    sem_post(&made);
    while (sem_wait(&was_freed)) {}
    return unused;
}
static void many_of_an_ended_one(void) {
    long before = 0;
    without_turns();
    NEED(!sem_init(&made, 0, 0) && !sem_init(&was_freed, 0, 0));
    for (int round = 0; round < (int)check_share(ENDED); round++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, leave_many, NULL));
        while (sem_wait(&made)) {}
        for (int i = 0; i < SIZES * OF_EACH; i++) free(comes_back[i]);
        sem_post(&was_freed);
        pthread_join(id, NULL);
        for (int i = 0; i < STILL; i++) free(stays[i]);
        if (round == (int)check_share(ENDED) / 2) before = check_status("VmHWM:");
    }
    const long after = check_status("VmHWM:");
    CHECK(after < before + 4000 || check_emulated(), "%ld KiB, then %ld", before, after);
}

/* Another thread frees all small blocks of this one.  Their memory then serves for blocks of another size, as large as they are. */
static void spans_after_many(void) {
    const size_t all = (size_t)check_share(MANY) * 512, size = 40000;
    without_turns();
    make_many();
    end_many_elsewhere();
    const long before = check_status("VmHWM:");
    for (size_t taken = 0; taken < all / 2; taken += size) NEED(memset(malloc(size), 1, size));
    const long after = check_status("VmHWM:"), most = before + 2048 + (long)(all / 2 / 1024) / 2;
    CHECK(after < most || check_emulated(), "%ld KiB, then %ld, of at most %ld", before, after, most);
}

/* A program that has taken all keys for a thread's own values.  The next thread frees the blocks of an ended one before it takes any. */
static void *take_full_pages(void *unused) {
    for (int i = 0; i < 1000; i++) NEED(left[i].p = malloc(256));
    return unused;
}
static void *end_full_pages(void *unused) {
    for (int i = 0; i < 1000; i++) free(left[i].p);
    return unused;
}
static void no_key_left(void) {
    pthread_key_t key;
    while (!pthread_key_create(&key, NULL)) {}
    for (int round = 0; round < 20; round++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, take_full_pages, NULL));
        pthread_join(id, NULL);
        NEED(!pthread_create(&id, NULL, end_full_pages, NULL));
        pthread_join(id, NULL);
    }
}

static void prepare(void) __attribute__((constructor));
static void prepare(void) {
    for (int i = 0; i < 8; i++) {
        pthread_mutex_init(&queues[i].lock, NULL);
        pthread_cond_init(&queues[i].changed, NULL);
    }
}
RUN_CASES({"ring", ring}, {"producer_consumers", producer_consumers}, {"owner_gone", owner_gone},
    {"owner_gone_spans", owner_gone_spans}, {"realloc_foreign", realloc_foreign},
    {"last_thread_frees_all", last_thread_frees_all}, {"many_at_once", many_at_once},
    {"many_of_an_ended_one", many_of_an_ended_one}, {"spans_after_many", spans_after_many}, {"no_key_left", no_key_left})

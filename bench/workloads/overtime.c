/* Programs whose memory is watched over time: overtime KIND REST_MS [SCALE]
 *
 * Each kind is a load that people complain of.  It does the same work with every heap, then rests: nothing is
 * allocated or freed, and the threads that are left sleep as in a server without requests.  The harness looks
 * at the process from outside all the time; how long the rest was and how much was still alive then, the
 * result line says.  SCALE is the load in percent. */
#include "workload.h"

#include <stdatomic.h>
#include <sys/mman.h>

static long scale = 100;

static long scaled(long count) { return count * scale / 100 > 0 ? count * scale / 100 : 1; }

/* What is alive, counted apart for threads, so that counting costs little.  A block begins with its size. */
#define SLOTS 64
static struct {
    _Atomic long bytes;
    char apart[120];
} alive[SLOTS];
static _Thread_local int slot;

static void count(long bytes) { atomic_fetch_add_explicit(&alive[slot].bytes, bytes, memory_order_relaxed); }

static long all_alive(void) {
    long sum = 0;
    for (int i = 0; i < SLOTS; i++) sum += alive[i].bytes;
    return sum;
}

static void note(void *block, size_t size) {
    *(uint32_t *)block = (uint32_t)size;
    count((long)size);
}

/* `size` is at least 16. Every page is written to, and every byte of what is small. */
static void *take(size_t size) {
    unsigned char *p = must(malloc(size));
    if (size <= 4096) memset(p, 7, size);
    else touch_pages(p, size);
    note(p, size);
    return p;
}

static void drop(void *p) {
    if (!p) return;
    count(-(long)*(uint32_t *)p);
    free(p);
}

static void *grow(void *p, size_t size) {
    size_t before = p ? *(uint32_t *)p : 0;
    unsigned char *q = must(realloc(p, size));
    count(-(long)before);
    for (size_t i = before; i < size; i += 4096) q[i] = 1;
    if (size > before) q[size - 1] = 1;
    note(q, size);
    return q;
}

/* 32 bytes to 4 KiB, small ones more often. */
static size_t small(uint64_t *state) { return random_log_uniform(state, 5, 5 + (unsigned)random_below(state, 7) + 1); }

/* The pages of 4 KiB that hold a byte of what is alive: no heap can give them back, since it cannot move blocks.  They are counted
 * when nobody looks at the process any more. */
static struct {
    uintptr_t *pages;
    size_t count, room;
} held;

static void hold(void *p) {
    if (!p) return;
    uintptr_t first = (uintptr_t)p / 4096, last = ((uintptr_t)p + *(uint32_t *)p - 1) / 4096;
    for (; first <= last; first++) {
        if (held.count < held.room) held.pages[held.count] = first;
        held.count++;
    }
}

static void hold_all(void **blocks, size_t count) {
    for (size_t n = 0; n < count; n++) hold(blocks[n]);
}

static int compare_pages(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static long held_kb(void (*each)(void)) {
    each();
    held.room = held.count;
    held.count = 0;
    if (held.room == 0) return 0;
    held.pages = mmap(0, held.room * sizeof *held.pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (held.pages == MAP_FAILED) abort();
    each();
    qsort(held.pages, held.room, sizeof *held.pages, compare_pages);
    long different = 1;
    for (size_t n = 1; n < held.room; n++) different += held.pages[n] != held.pages[n - 1];
    return different * 4;
}

static void pause_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, 0);
}

/* A server whose load comes and goes: three waves of requests on four threads, which live side by side and end in
 * another order than they began. A tenth of them leaves something behind until the wave after the next. */
enum {
    REQUESTS = 400,
    PARTS = 16,
    LEFT = 4096,
};
static long wave;
static void *left[4][LEFT];

struct request {
    void *parts[PARTS];
    void *buffer;
};

static void request_end(struct request *r) {
    for (int i = 0; i < PARTS; i++) drop(r->parts[i]);
    drop(r->buffer);
    memset(r, 0, sizeof *r);
}

static void wave_work(int index) {
    slot = index;
    static struct request open[4][REQUESTS];
    struct request *mine = open[index];
    uint64_t state = random_state((uint64_t)(wave * 8 + index));
    for (int i = (int)wave % 2; i < LEFT; i += 2) {
        drop(left[index][i]);
        left[index][i] = 0;
    }
    for (long n = 0; n < scaled(6000); n++) {
        struct request *r = &mine[random_below(&state, REQUESTS)];
        request_end(r);
        for (int i = 0; i < PARTS; i++) r->parts[i] = take(small(&state));
        r->buffer = take(random_log_uniform(&state, 12, 18));
        void **place = &left[index][random_below(&state, LEFT / 2) * 2 + (size_t)wave % 2];
        if (n % 10 == 0 && !*place) *place = take(small(&state));
    }
    for (int i = 0; i < REQUESTS; i++) request_end(&mine[i]);
}

static void waves_hold(void) { hold_all(&left[0][0], 4 * LEFT); }

static void waves(void) {
    for (wave = 0; wave < 3; wave++) {
        run_team(4, wave_work);
        pause_ms(100);
    }
}

/* Sessions of mixed lifetimes: an hour in which most last a minute, some ten, few all of it.  Each one has blocks of
 * many sizes, and gets more while it lives. */
enum {
    SESSIONS = 4000,
    HAS = 48,
};
static struct session {
    long end;
    int count;
    void *has[HAS];
} sessions[SESSIONS];

static void hour_hold(void) {
    for (int n = 0; n < SESSIONS; n++) hold_all(sessions[n].has, (size_t)sessions[n].count);
}

static void session_end(struct session *s) {
    while (s->count > 0) drop(s->has[--s->count]);
}

static void hour(void) {
    uint64_t state = random_state(7);
    for (long second = 0; second < scaled(3600); second++) {
        for (int begun = 0; begun < 12; begun++) {
            struct session *s = &sessions[random_below(&state, SESSIONS)];
            if (s->count > 0) continue;
            size_t kind = random_below(&state, 100);
            long about = kind < 80 ? 60 : (kind < 97 ? 600 : 3600);
            s->end = second + about / 2 + (long)random_below(&state, (size_t)about);
            int first = 8 + (int)random_below(&state, 24);
            while (s->count < first) s->has[s->count++] = take(small(&state));
        }
        for (int n = 0; n < SESSIONS; n++) {
            struct session *s = &sessions[n];
            if (s->count == 0) continue;
            if (s->end <= second) session_end(s);
            else if (second % 16 == n % 16 && s->count < HAS) s->has[s->count++] = take(small(&state));
        }
    }
    for (int n = 0; n < SESSIONS; n++)
        if (sessions[n].end < scaled(3600) + 1200) session_end(&sessions[n]);
}

/* A compiler's phases, twice: a tree of small nodes; from it, while it goes, lists that grow; from these large buffers;
 * and at the end nothing but one node in a hundred, the symbols. */
enum {
    NODES = 400000,
    LISTS = 4000,
};
static void *nodes[NODES], *lists[LISTS], *symbols[2 * NODES / 100 + 2];

static void compiler_hold(void) { hold_all(symbols, sizeof symbols / sizeof *symbols); }

static void compiler(void) {
    uint64_t state = random_state(11);
    long named = 0;
    for (int unit = 0; unit < 2; unit++) {
        long count = scaled(NODES);
        for (long n = 0; n < count; n++) nodes[n] = take(16 + random_below(&state, 112));
        for (long n = 0; n < count; n++) {
            void **list = &lists[random_below(&state, LISTS)];
            size_t size = *list ? *(uint32_t *)*list : 0;
            if (n % 4 == 0) *list = grow(*list, size < 64 ? 64 : size + size / 2);
            if (*list && *(uint32_t *)*list > 1 << 16) {
                drop(*list);
                *list = 0;
            }
            if (n % 100 == 0) symbols[named++] = nodes[n];
            else drop(nodes[n]);
        }
        for (int n = 0; n < LISTS; n++) {
            void *code = take(64 << 10);
            drop(lists[n]);
            lists[n] = 0;
            code = grow(code, 20 << 10);
            lists[n] = n % 4 ? 0 : code;
            if (n % 4) drop(code);
        }
        for (int n = 0; n < LISTS; n++) {
            drop(lists[n]);
            lists[n] = 0;
        }
    }
}

/* A cache with a byte budget of 48 MiB, which two threads fill through one lock; the values' sizes change over time, so
 * that what one size gives back another needs. */
enum { ENTRIES = 1 << 18 };
#define BUDGET ((long)48 << 20)
static void *cached[ENTRIES];
static long cached_bytes;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static void cache_evict(uint64_t *state) {
    void **entry = &cached[random_below(state, ENTRIES)];
    if (!*entry) return;
    cached_bytes -= *(uint32_t *)*entry;
    drop(*entry);
    *entry = 0;
}

static void cache_work(int index) {
    static const unsigned char low[4] = {6, 11, 7, 13}, high[4] = {9, 14, 12, 16};
    static const long counts[4] = {150000, 8000, 60000, 4000};
    slot = index;
    uint64_t state = random_state(20 + (uint64_t)index);
    for (int phase = 0; phase < 4; phase++) {
        for (long n = 0; n < scaled(counts[phase]); n++) {
            void *value = take(random_log_uniform(&state, low[phase], high[phase]));
            pthread_mutex_lock(&cache_lock);
            void **entry = &cached[random_below(&state, ENTRIES)];
            void *before = *entry;
            *entry = value;
            cached_bytes += (long)*(uint32_t *)value - (before ? (long)*(uint32_t *)before : 0);
            while (cached_bytes > BUDGET) cache_evict(&state);
            pthread_mutex_unlock(&cache_lock);
            drop(before);
        }
    }
}

static void cache_hold(void) { hold_all(cached, ENTRIES); }

static void cache(void) {
    uint64_t state = random_state(29);
    run_team(2, cache_work);
    while (cached_bytes > BUDGET / 8) cache_evict(&state);
}

/* Threads that live on and sleep: a pool in which each gets work in turn, keeps a twentieth of what it took, and waits. */
enum {
    POOL = 16,
    JOB = 4000,
    IDLE = 1000,
};
static pthread_mutex_t rest_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rest_wakes = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_rest;
static int resting_on;
static void **pool_has[POOL], *idle_has[IDLE][4];

static void rest_here(void) {
    pthread_barrier_wait(&all_rest);
    pthread_mutex_lock(&rest_lock);
    while (resting_on) pthread_cond_wait(&rest_wakes, &rest_lock);
    pthread_mutex_unlock(&rest_lock);
}

static void *pool_main(void *argument) {
    slot = (int)(intptr_t)argument;
    uint64_t state = random_state(40 + (uint64_t)slot);
    void **kept = pool_has[slot] = must(calloc(JOB, sizeof *kept));
    for (long job = 0; job < scaled(20); job++) {
        for (int n = 0; n < JOB; n++) {
            drop(kept[n]);
            kept[n] = take(small(&state));
        }
        for (int n = 0; n < JOB; n++) {
            if (n % 20 == 0) continue;
            drop(kept[n]);
            kept[n] = 0;
        }
        pause_ms(5 + (long)random_below(&state, 20));
    }
    rest_here();
    return 0;
}

static void *idle_main(void *argument) {
    slot = (int)(intptr_t)argument % SLOTS;
    uint64_t state = random_state(60 + (uint64_t)(intptr_t)argument);
    void **kept = idle_has[(intptr_t)argument];
    for (int n = 0; n < 16; n++) {
        void *p = take(small(&state));
        if (n < 4) kept[n] = p;
        else drop(p);
    }
    rest_here();
    return 0;
}

static void pool_hold(void) {
    for (int n = 0; n < POOL; n++) hold_all(pool_has[n], JOB);
}

static void idle_hold(void) { hold_all(&idle_has[0][0], IDLE * 4); }

static pthread_t sleepers[IDLE];
static int sleeping;

static void sleep_all(int number, void *(*start)(void *)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    resting_on = 1;
    if (pthread_barrier_init(&all_rest, 0, (unsigned)number + 1)) abort();
    for (sleeping = 0; sleeping < number; sleeping++)
        if (pthread_create(&sleepers[sleeping], &attributes, start, (void *)(intptr_t)sleeping)) abort();
    pthread_barrier_wait(&all_rest);
}

static void pool(void) { sleep_all(POOL, pool_main); }

static void idle(void) { sleep_all(IDLE, idle_main); }

static void wake_all(void) {
    pthread_mutex_lock(&rest_lock);
    resting_on = 0;
    pthread_cond_broadcast(&rest_wakes);
    pthread_mutex_unlock(&rest_lock);
    for (int n = 0; n < sleeping; n++) pthread_join(sleepers[n], 0);
}

/* A thread for each request, eight at a time; what a thread answers, the first thread frees later. */
enum {
    AT_ONCE = 8,
    ANSWERS = 512,
};

static void *request_main(void *argument) {
    uint64_t state = random_state(1000 + (uint64_t)(intptr_t)argument);
    slot = (int)(intptr_t)argument % SLOTS;
    void *parts[64];
    for (int n = 0; n < 64; n++) parts[n] = take(small(&state));
    void *answer = take(random_log_uniform(&state, 10, 15));
    for (int n = 0; n < 64; n++) drop(parts[n]);
    return answer;
}

static void *answers[ANSWERS];

static void requests_hold(void) { hold_all(answers, ANSWERS); }

static void requests(void) {
    pthread_t threads[AT_ONCE];
    for (long done = 0; done < scaled(8000); done += AT_ONCE) {
        for (int n = 0; n < AT_ONCE; n++)
            if (pthread_create(&threads[n], 0, request_main, (void *)(intptr_t)(done + n))) abort();
        for (int n = 0; n < AT_ONCE; n++) {
            void *answer;
            pthread_join(threads[n], &answer);
            drop(answers[(done + n) % ANSWERS]);
            answers[(done + n) % ANSWERS] = answer;
        }
    }
    for (int n = 0; n < ANSWERS; n++) {
        if (n % 16 == 0) continue;
        drop(answers[n]);
        answers[n] = 0;
    }
}

/* One large table: grows by realloc to 600,000 entries of 24 to 88 bytes, then all but one in a hundred go, and it shrinks;
 * twice. */
static void **entries;
static long entries_left;

static void table_hold(void) {
    hold(entries);
    hold_all(entries + 1, (size_t)entries_left);
}

static void table(void) {
    uint64_t state = random_state(90);
    for (int time = 0; time < 2; time++) {
        long room = 16, used = 0, most = scaled(600000), left = 0;
        entries = grow(0, (size_t)room * sizeof *entries);
        while (used + 1 < most) {
            if (++used == room) entries = grow(entries, (size_t)(room *= 2) * sizeof *entries);
            entries[used] = take(24 + random_below(&state, 65));
        }
        for (long n = 1; n <= used; n++) {
            if (n % 100) drop(entries[n]);
            else entries[++left] = entries[n];
        }
        entries = grow(entries, (size_t)(left + 1) * sizeof *entries);
        entries_left = left;
        if (time == 1) break;
        while (left > 0) drop(entries[left--]);
        drop(entries);
    }
}

static const struct {
    const char *name;
    void (*run)(void), (*hold)(void);
} kinds[] = {
    {"waves", waves, waves_hold},
    {"hour", hour, hour_hold},
    {"compiler", compiler, compiler_hold},
    {"cache", cache, cache_hold},
    {"pool", pool, pool_hold},
    {"requests", requests, requests_hold},
    {"table", table, table_hold},
    {"idle", idle, idle_hold},
};

int main(int argc, char **argv) {
    long rest = argument(argc, argv, 2, 1200);
    scale = argument(argc, argv, 3, 100);
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        if (argc < 2 || strcmp(argv[1], kinds[n].name)) continue;
        uint64_t begin = now_ns();
        kinds[n].run();
        uint64_t load = now_ns();
        pause_ms(rest);
        uint64_t end = now_ns();
        unsigned long most = peak_rss_kb();
        printf("result load_ns=%llu rest_ns=%llu alive_kb=%ld held_kb=%ld hwm_kb=%lu\n", (unsigned long long)(load - begin),
            (unsigned long long)(end - load), all_alive() / 1024, held_kb(kinds[n].hold), most);
        fflush(stdout);
        wake_all();
        return 0;
    }
    fprintf(stderr, "overtime waves|hour|compiler|cache|pool|requests|table|idle [REST_MS [SCALE]]\n");
    return 2;
}

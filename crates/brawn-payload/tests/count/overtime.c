/* The loads of bench/workloads/overtime.c, each thread with its own part of it, and what a thread gives back before it
 * waits (payload/heap/wait.c).  Tables are smaller, and what is a second there is shorter. */
#include "loads.h"

#include <stdlib.h>

/* 32 bytes to 4 KiB, small ones more often. */
static size_t small(unsigned thread) { return octaves(thread, 5, 6 + (unsigned)below(thread, 7)); }

/* A wave of requests, each with PARTS small blocks and a buffer; a tenth leaves a block until the wave after the next.  Then all
 * threads end. */
static void waves(unsigned thread) {
    enum { OPEN = 24,
        PARTS = 16,
        REQUEST = PARTS + 1,
        LEFT = OPEN * REQUEST,
        LEAVES = 8,
        WAVE = 80 };
    const unsigned turn = turns[thread] % WAVE, wave = turns[thread] / WAVE % 2;
    const size_t left = LEFT + wave * LEAVES;
    if (turn == 0) drop_all(thread, left, left + LEAVES);
    const size_t request = below(thread, OPEN) * REQUEST;
    drop_all(thread, request, request + REQUEST);
    for (size_t part = 0; part < PARTS; part++) put(thread, request + part, small(thread));
    put(thread, request + PARTS, octaves(thread, 12, 18));
    if (turn % 10 == 0) put(thread, left + turn / 10, small(thread));
    if (turn < WAVE - 1) return;
    drop_all(thread, 0, LEFT);
    wait_begins();
    count_end();
    pauses = 100 * MS;
}

/* Sessions, of which most live 6 turns, some 60, few 360; each has blocks of many sizes, and gets more while it lives. */
static void hour(unsigned thread) {
    enum { SESSIONS = 64,
        HAS = 48 };
    static struct {
        unsigned end;
        size_t count;
    } sessions[COUNT_THREADS + 1][SESSIONS];
    const unsigned turn = turns[thread];
    for (size_t n = 0; n < SESSIONS; n++) {
        size_t *const count = &sessions[thread][n].count;
        if (*count == 0) continue;
        if (sessions[thread][n].end <= turn) {
            drop_all(thread, n * HAS, n * HAS + *count);
            *count = 0;
        } else if (turn % 16 == n % 16 && *count < HAS) put(thread, n * HAS + (*count)++, small(thread));
    }
    const size_t begun = below(thread, SESSIONS), kind = below(thread, 100);
    if (sessions[thread][begun].count > 0) return;
    const unsigned about = kind < 80 ? 6 : (kind < 97 ? 60 : 360);
    sessions[thread][begun].end = turn + about / 2 + (unsigned)below(thread, about);
    for (size_t n = 8 + below(thread, 24); n > 0; n--) put(thread, begun * HAS + sessions[thread][begun].count++, small(thread));
}

/* A compiler's phases: nodes; from these lists that grow, and in the end a buffer for each list.  One node in a hundred stays until the
 * next time. */
enum { NODES = 1000,
    LISTS = 20,
    UNIT = 2 * NODES + LISTS };
static void compiler(unsigned thread) {
    const unsigned turn = turns[thread] % UNIT;
    void **const lists = &slots[thread][NODES], **const symbols = lists + LISTS;
    size_t *const has = sizes[thread];
    if (turn == 0)
        for (size_t n = 0; n < NODES / 100; n++) free(symbols[n]), symbols[n] = NULL;
    if (turn < NODES) put(thread, turn, 16 + below(thread, 112));
    else if (turn < 2 * NODES) {
        const size_t n = turn - NODES, list = below(thread, LISTS);
        if (n % 4 == 0) lists[list] = grow(lists[list], has[list] = has[list] < 64 ? 64 : has[list] + has[list] / 2);
        if (has[list] > 1 << 16) {
            drop(thread, NODES + list);
            has[list] = 0;
        }
        if (n % 100 == 0) symbols[n / 100] = slots[thread][n], slots[thread][n] = NULL;
        else drop(thread, n);
    } else {
        const size_t list = turn - 2 * NODES;
        void *const code = take(64 << 10);
        drop(thread, NODES + list);
        has[list] = 0;
        lists[list] = grow(code, 20 << 10);
        if (list % 4) drop(thread, NODES + list);
        if (list == LISTS - 1) drop_all(thread, NODES, NODES + LISTS);
    }
}

/* A cache with a budget of bytes that all threads fill; the values' sizes change over time. */
enum { CYCLE = 800 };
static void cache(unsigned thread) {
    enum { ENTRIES = 256 }; /* for each thread, as the budget */
    static void *values[COUNT_THREADS * ENTRIES];
    static size_t bytes[COUNT_THREADS * ENTRIES];
    static size_t all;
    const size_t budget = (size_t)threads * (192 << 10), entries = (size_t)threads * ENTRIES;
    const unsigned turn = turns[thread] % CYCLE;
    const size_t size = turn < 400 ? octaves(thread, 6, 9)
        : turn < 500               ? octaves(thread, 11, 14)
        : turn < 700               ? octaves(thread, 7, 12)
                                   : octaves(thread, 13, 16);
    void *const value = take(size);
    size_t entry = below(thread, entries);
    free(values[entry]);
    all += size - bytes[entry];
    values[entry] = value;
    bytes[entry] = size;
    while (all > budget) {
        entry = below(thread, entries);
        free(values[entry]);
        all -= bytes[entry];
        values[entry] = NULL;
        bytes[entry] = 0;
    }
}

/* Threads that get work, keep a twentieth of what they took, and wait. */
enum { JOB = 3000 };
static void pool(unsigned thread) {
    const unsigned turn = turns[thread] % (JOB + 1);
    if (turn < JOB) {
        put(thread, turn, small(thread));
        if (turn < JOB - 1) return;
        for (size_t n = 0; n < JOB; n++)
            if (n % 20) drop(thread, n);
        wait_begins();
        pauses = 15 * MS;
    }
}

/* A thread for each request, all at once; what a thread answers, the first thread frees later. */
enum { REQUEST_PARTS = 64 };
static void requests(unsigned thread) {
    const unsigned turn = turns[thread] % (REQUEST_PARTS + 1);
    if (turn < REQUEST_PARTS) {
        put(thread, turn, small(thread));
        return;
    }
    void *const answer = take(octaves(thread, 10, 15));
    drop_all(thread, 0, REQUEST_PARTS);
    count_end();
    const size_t place = (size_t)thread * 4 + turns[thread] / (REQUEST_PARTS + 1) % 4;
    count_turn(0);
    free(slots[0][place]);
    slots[0][place] = answer;
    count_turn(thread);
}

/* A table of rows of 32 bytes grows by realloc, with a block for each row; then all but one in a hundred go, and it shrinks. */
enum { ROWS = 3500 };
static void table(unsigned thread) {
    const unsigned turn = turns[thread] % (2 * ROWS);
    void **const rows = &slots[thread][ROWS];
    if (turn == 0) {
        drop_all(thread, 0, ROWS + 1);
        sizes[thread][0] = 16;
    }
    if (turn < ROWS) {
        if (turn == 0 || turn == sizes[thread][0]) *rows = grow(*rows, (sizes[thread][0] *= 2) * 32);
        put(thread, turn, 24 + below(thread, 65));
    } else {
        if ((turn - ROWS) % 100) drop(thread, turn - ROWS);
        if (turn == 2 * ROWS - 1) *rows = grow(*rows, ROWS / 100 * 32);
    }
}

/* Threads that take a little, keep a quarter, and sleep; then they end. */
enum { IDLE = 16 };
static void idle(unsigned thread) {
    const unsigned turn = turns[thread] % (IDLE + 2);
    if (turn < IDLE) {
        put(thread, turn, small(thread));
        if (turn < IDLE - 1) return;
        drop_all(thread, IDLE / 4, IDLE);
        wait_begins();
        pauses = 20 * MS;
    } else if (turn == IDLE) {
        pauses = 1000 * MS;
    } else {
        drop_all(thread, 0, IDLE / 4);
        count_end();
    }
}

/* A request, and a wait for the next one that is short: some blocks in pages, one with a span, one alone. */
static void waits(unsigned thread) {
    for (size_t n = 0; n < 8; n++) put(thread, n, small(thread));
    put(thread, 8, octaves(thread, 14, 16));
    put(thread, 9, octaves(thread, 17, 20));
    drop_all(thread, 1, 10);
    wait_begins();
}

const load_t loads_overtime[] = {
    {"waves", waves, 160, 160, 50 * US, 0},
    {"hour", hour, 400, 200, 20 * US, 0},
    {"compiler", compiler, UNIT, UNIT, US, 0},
    {"cache", cache, CYCLE, CYCLE, US, 0},
    {"pool", pool, JOB + 1, JOB + 1, US, 0},
    {"requests", requests, 4 * (REQUEST_PARTS + 1), 4 * (REQUEST_PARTS + 1), US, 0},
    {"table", table, 2 * ROWS, 2 * ROWS, US / 2, 0},
    {"idle", idle, 10 * (IDLE + 2), 10 * (IDLE + 2), US, 0},
    {"waits", waits, 150, 100, 300 * US, 0},
    {0},
};

/* A list of calls, played again and again by one thread: replay TIMES
 *
 * As a compiler or a minimizer of logic has them: nearly all blocks have 8 to 64 bytes, most of them few sizes, and live for
 * some dozens of calls; a twentieth lives long; vectors grow by realloc.  The list of 250,000 calls is made before,
 * so that what is measured is the calls and the first and last byte of each block. */
#include "workload.h"

#define CALLS 250000
#define PLACES 65536
#define SHORT_LIVED 64
enum { TAKE,
    GROW,
    GIVE_BACK };

static struct call {
    uint32_t place : 24, kind : 8, size;
} calls[CALLS];
static unsigned char *blocks[PLACES];

/* Of 16 small sizes, the first ones more often; one in 50 is of up to 4 KiB. */
static uint32_t some_size(uint64_t *state) {
    if (!random_below(state, 50)) return (uint32_t)random_log_uniform(state, 6, 12);
    return 8 * (1 + (uint32_t)random_below(state, 1 + random_below(state, 16)));
}

static void make_list(void) {
    static uint32_t sizes[PLACES];
    uint64_t state = random_state(900);
    for (int n = 0; n < CALLS; n++) {
        /* The first places change hands often, the others seldom. */
        uint32_t place = (uint32_t)(random_below(&state, 20) ? random_below(&state, SHORT_LIVED) : random_below(&state, PLACES));
        struct call *c = &calls[n];
        c->place = place;
        if (!sizes[place]) {
            c->kind = TAKE;
            c->size = sizes[place] = some_size(&state);
        } else if (sizes[place] < 2048 && !random_below(&state, 25)) {
            c->kind = GROW;
            c->size = sizes[place] *= 2;
        } else {
            c->kind = GIVE_BACK;
            sizes[place] = 0;
        }
    }
}

static void play(void) {
    for (int n = 0; n < CALLS; n++) {
        const struct call *c = &calls[n];
        unsigned char **p = &blocks[c->place];
        if (c->kind == GIVE_BACK) {
            free(*p);
            *p = 0;
            continue;
        }
        *p = must(c->kind == TAKE ? malloc(c->size) : realloc(*p, c->size));
        (*p)[0] = (*p)[c->size - 1] = (unsigned char)n;
    }
    for (int i = 0; i < PLACES; i++) {
        free(blocks[i]);
        blocks[i] = 0;
    }
}

int main(int argc, char **argv) {
    long times = argument(argc, argv, 1, 80);
    make_list();
    uint64_t begin = now_ns();
    for (long i = 0; i < times; i++) play();
    uint64_t wall = now_ns() - begin;
    double all = (double)times * CALLS;
    report((double)wall / all, wall, all, "threads=1");
    return 0;
}

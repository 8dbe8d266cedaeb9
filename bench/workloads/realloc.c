/* Growing vectors: realloc VECTORS
 *
 * Eight vectors of 8-byte elements grow side by side, one push at a time in turns, doubling when
 * full from 4 elements on, as Rust's Vec and most others do.  Each has its own final length, from
 * 16 to 128 Ki elements (1 MiB), every octave as likely as every other; a finished one is freed
 * and replaced.  VECTORS is how many are finished in all. */
#include "workload.h"

#define SIDE_BY_SIDE 8

struct vector {
    uint64_t *data;
    size_t length, capacity, final;
};

int main(int argc, char **argv) {
    long vectors = argument(argc, argv, 1, 3000);
    struct vector v[SIDE_BY_SIDE] = {{0}};
    uint64_t state = random_state(5);
    for (int i = 0; i < SIDE_BY_SIDE; i++) v[i].final = random_log_uniform(&state, 4, 17);
    long grown = 0;
    uint64_t sum = 0, begin = now_ns();
    for (long done = 0; done < vectors;) {
        for (int i = 0; i < SIDE_BY_SIDE; i++) {
            struct vector *x = &v[i];
            /* A burst of pushes in each turn: the vectors' growth interleaves, but the loop is
             * not all of the time. */
            for (int burst = 0; burst < 64 && x->length < x->final; burst++) {
                if (x->length == x->capacity) {
                    x->capacity = x->capacity ? x->capacity * 2 : 4;
                    x->data = must(realloc(x->data, x->capacity * sizeof *x->data));
                    grown++;
                }
                x->data[x->length] = x->length;
                x->length++;
            }
            if (x->length == x->final) {
                sum += x->data[x->length / 2];
                free(x->data);
                memset(x, 0, sizeof *x);
                x->final = random_log_uniform(&state, 4, 17);
                done++;
            }
        }
    }
    uint64_t wall = now_ns() - begin;
    report((double)wall / (double)grown, wall, (double)grown, "sum=%llu", (unsigned long long)sum);
    return 0;
}

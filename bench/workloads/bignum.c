/* Small churn on one thread: bignum STEPS
 *
 * The inner loop of factoring by continued fractions: numbers of a few 32-bit limbs, each result a
 * new block of 16 to 64 bytes, each operand freed as soon as it was used.  It runs the recurrence
 * a' = q*a + b (mod m) for growing and wrapping numbers; few blocks live at once, as in an
 * interpreter or a parser. */
#include "workload.h"

struct number {
    uint32_t length;
    uint32_t limbs[];
};

static long allocations;

static struct number *make(uint32_t length) {
    struct number *n = must(malloc(sizeof *n + length * sizeof n->limbs[0]));
    n->length = length;
    allocations++;
    return n;
}

static struct number *times(const struct number *a, uint32_t factor) {
    struct number *r = make(a->length + 1);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a->length; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        r->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    r->limbs[a->length] = (uint32_t)carry;
    r->length -= !carry;
    return r;
}

static struct number *plus(const struct number *a, const struct number *b) {
    if (a->length < b->length) {
        const struct number *c = a;
        a = b;
        b = c;
    }
    struct number *r = make(a->length + 1);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a->length; i++) {
        carry += (uint64_t)a->limbs[i] + (i < b->length ? b->limbs[i] : 0);
        r->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    r->limbs[a->length] = (uint32_t)carry;
    r->length -= !carry;
    return r;
}

/* The number's lowest `limbs` limbs: mod 2^(32 * limbs). */
static struct number *low_part(const struct number *a, uint32_t limbs) {
    uint32_t length = a->length < limbs ? a->length : limbs;
    struct number *r = make(length);
    memcpy(r->limbs, a->limbs, length * sizeof r->limbs[0]);
    return r;
}

int main(int argc, char **argv) {
    long steps = argument(argc, argv, 1, 2000000);
    uint64_t state = random_state(9);
    struct number *a = make(1), *b = make(1);
    a->limbs[0] = 1;
    b->limbs[0] = 2;
    uint64_t begin = now_ns();
    for (long i = 0; i < steps; i++) {
        uint32_t quotient = (uint32_t)random_below(&state, 65536) + 1;
        struct number *product = times(a, quotient);
        struct number *sum = plus(product, b);
        free(product);
        struct number *next = low_part(sum, 4 + (uint32_t)(i & 7));
        free(sum);
        free(b);
        b = a;
        a = next;
    }
    uint64_t wall = now_ns() - begin;
    report((double)wall / (double)allocations, wall, (double)allocations, "last=%u", a->limbs[0]);
    return 0;
}

/* The classes of arguments of libm: 64 numbers of each, of both signs but where the class says otherwise. */
#pragma once
#include "edges.h"
#include <math.h>
#include <float.h>

enum { COUNT = 64 };
/* Small ones are still more than the last bit away from what they are in a sine; halves end in .5; whole ones are integers; large
 * ones are beyond any table of pi/2, huge ones near the largest. */
typedef struct Classes {
    double zero[COUNT], denormal[COUNT], tiny[COUNT], small[COUNT], unit[COUNT], plain[COUNT], half[COUNT], whole[COUNT], large[COUNT],
        huge[COUNT], infinite[COUNT], nan[COUNT];
} Classes;
static Classes classes;

static double drawn(uint64_t *state) {
    return (double)(draw(state) >> 11) / 9007199254740992.0;
}

/* Between 2^from and 2^to. */
static double sized(uint64_t *state, double from, double to) {
    const double size = exp2(from + drawn(state) * (to - from));
    return draw(state) >> 63 ? -size : size;
}

/* `least` and `most` are the exponents of the type's normal numbers. */
static void fill_classes(int least, int most) {
    uint64_t state = 77;
    for (int i = 0; i < COUNT; i++) {
        const double sign = draw(&state) >> 63 ? -1 : 1;
        classes.zero[i] = sign * 0.0;
        classes.denormal[i] = sized(&state, least - 20, least - 1);
        classes.tiny[i] = sized(&state, least / 2, -60);
        classes.small[i] = sized(&state, -26, -6);
        classes.unit[i] = sized(&state, -5, -0.01);
        classes.plain[i] = sized(&state, 1, 4);
        classes.half[i] = floor(sized(&state, 1, 10)) + 0.5;
        classes.whole[i] = floor(sized(&state, 1, 20));
        classes.large[i] = sized(&state, 24, 40);
        classes.huge[i] = sized(&state, most - 30, most - 1);
        classes.infinite[i] = sign * INFINITY;
        classes.nan[i] = NAN;
    }
}

#define EACH_OF(Type, argument, call)                   \
    do {                                                \
        for (int i = 0; i < COUNT; i++) {               \
            Type v = (Type)(argument);                  \
            __asm__ volatile("" : "+m"(v));             \
            __typeof(call) r = call;                    \
            __asm__ volatile("" : : "m"(r) : "memory"); \
        }                                               \
    } while (0)
#define OF_CLASS(Type, call, class) \
    EDGE("math", #call ", " #class) { EACH_OF(Type, classes.class[i], call); }
/* Numbers on both sides of zero. */
#define ANY(Type, call)            \
    OF_CLASS(Type, call, zero)     \
    OF_CLASS(Type, call, denormal) \
    OF_CLASS(Type, call, tiny)     \
    OF_CLASS(Type, call, small)    \
    OF_CLASS(Type, call, plain)    \
    OF_CLASS(Type, call, huge)     \
    OF_CLASS(Type, call, infinite) \
    OF_CLASS(Type, call, nan)
/* For what rounds. */
#define ROUNDS(Type, call)      \
    OF_CLASS(Type, call, zero)  \
    OF_CLASS(Type, call, small) \
    OF_CLASS(Type, call, half)  \
    OF_CLASS(Type, call, whole) \
    OF_CLASS(Type, call, huge)  \
    OF_CLASS(Type, call, nan)
/* For angles. */
#define TURNS(Type, call) ANY(Type, call) OF_CLASS(Type, call, large)
/* Between -1 and 1, with both. */
#define WITHIN(Type, call)         \
    OF_CLASS(Type, call, zero)     \
    OF_CLASS(Type, call, denormal) \
    OF_CLASS(Type, call, tiny)     \
    OF_CLASS(Type, call, small)    \
    OF_CLASS(Type, call, unit)     \
    OF_CLASS(Type, call, plain)    \
    OF_CLASS(Type, call, nan)
/* A few numbers, as they are. */
#define AT(Type, call, what, ...)                                            \
    EDGE("math", #call ", " what) {                                          \
        static const Type some[] = {__VA_ARGS__};                            \
        EACH_OF(Type, some[(size_t)i % (sizeof some / sizeof *some)], call); \
    }

/* Exceptions of C++: each looks for the unwind information of every frame that it passes, which a static program of musl
 * has from dl_iterate_phdr, and allocates its object.  zig compiles this for every libc, with the same unwinder. */
#include "bench.h"
#include <pthread.h>
#include <stdexcept>

struct Cleans {
    ~Cleans() { KEEP(this); }
};

__attribute__((noinline)) static void deep(int frames) {
    Cleans cleans;
    if (frames == 0) throw std::runtime_error("an error");
    deep(frames - 1);
    KEEP(&cleans);
}

static void caught(int frames) {
    try {
        deep(frames);
    } catch (const std::exception &error) {
        KEEP(error.what());
    }
}

static void *throwing(void *n) {
    for (long i = (long)n; i--;) caught(2);
    return 0;
}

ROW("c++", thrown, "throw and catch, 3 frames") { caught(2); }
ROW("c++", thrown_far, "throw and catch, 30 frames") { caught(29); }
#define THROWING(COUNT)                                                                                \
    ROW_N("c++", thrown_by_##COUNT, "throw and catch, " #COUNT " threads") {                           \
        pthread_t all[COUNT];                                                                          \
        for (int i = 0; i < COUNT; i++) pthread_create(&all[i], 0, throwing, (void *)(n / COUNT + 1)); \
        for (int i = 0; i < COUNT; i++) pthread_join(all[i], 0);                                       \
    }
THROWING(2)
THROWING(4)
THROWING(8)

/* A heap outside of the process's cgroup, which counts what is alive.
 *
 * Linked to a workload, it shows two things that do not depend on any heap: how many bytes the program has requested and
 * not yet freed at its peak, and what the process needs besides its heap.  All blocks lie in the file that
 * bench/limit/enter.c gives as descriptor 9, whose pages are charged to another cgroup.  So the smallest limit under which
 * this program finishes is what its stacks, its static data and the kernel's memory for it take. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAP = 9,
    CLASSES = 256,
};

/* In front of each block, so that blocks are aligned to 16 bytes. */
struct head {
    size_t size;
    struct head *next;
};

static atomic_flag taken = ATOMIC_FLAG_INIT;
static unsigned char *heap;
static size_t used, room;
static struct head *unused[CLASSES];
static size_t live, most;

static void lock(void) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) sched_yield();
}

static void unlock(void) { atomic_flag_clear_explicit(&taken, memory_order_release); }

static void stop(const char *text) {
    (void)!write(2, text, strlen(text));
    _exit(2);
}

static void map_heap(void) {
    struct stat file;
    if (fstat(HEAP, &file)) stop("apart: no heap: start this program by bench/limit/enter.c\n");
    room = (size_t)file.st_size;
    heap = mmap(0, room, PROT_READ | PROT_WRITE, MAP_SHARED, HEAP, 0);
    if (heap == MAP_FAILED) stop("apart: the heap cannot be mapped\n");
}

/* The class of a size, and the class's own size: multiples of 16 up to 256, then eight in each octave. */
static unsigned class_of(size_t size, size_t *rounded) {
    size_t whole = (size + 15) & ~(size_t)15;
    if (whole < 16) whole = 16;
    if (whole <= 256) {
        *rounded = whole;
        return (unsigned)(whole / 16);
    }
    unsigned octave = 63 - (unsigned)__builtin_clzll(whole - 1);
    size_t step = (size_t)1 << (octave - 3);
    *rounded = (whole + step - 1) & ~(step - 1);
    return 17 + (octave - 8) * 8 + (unsigned)((*rounded - 1) >> (octave - 3)) % 8;
}

static void count(size_t before, size_t now) {
    live = live - before + now;
    if (live > most) most = live;
}

/* A block of `size` bytes, in the place of one of `before` bytes. */
static void *take(size_t before, size_t size) {
    if (size > SIZE_MAX / 4) {
        errno = ENOMEM;
        return 0;
    }
    size_t rounded;
    unsigned class = class_of(size, &rounded);
    lock();
    if (!heap) map_heap();
    struct head *block = unused[class];
    if (block) {
        unused[class] = block->next;
    } else {
        if (room - used < rounded + sizeof *block) stop("apart: the heap is full\n");
        block = (void *)(heap + used);
        used += rounded + sizeof *block;
    }
    block->size = size;
    count(before, size);
    unlock();
    return block + 1;
}

/* `counted`: how many bytes of it count as alive. */
static void give(void *p, size_t counted) {
    struct head *block = (struct head *)p - 1;
    size_t rounded;
    unsigned class = class_of(block->size, &rounded);
    lock();
    count(counted, 0);
    block->next = unused[class];
    unused[class] = block;
    unlock();
}

static size_t size_of(void *p) { return ((struct head *)p - 1)->size; }

void *malloc(size_t size) { return take(0, size); }

void free(void *p) {
    if (p) give(p, size_of(p));
}

void *calloc(size_t number, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(number, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    void *p = malloc(bytes);
    return p ? memset(p, 0, bytes) : 0;
}

/* A block that grows counts once, since a heap need not have it twice. */
void *realloc(void *p, size_t size) {
    if (!p) return malloc(size);
    size_t before = size_of(p);
    void *q = take(before, size);
    if (!q) return 0;
    memcpy(q, p, before < size ? before : size);
    give(p, 0);
    return q;
}

__attribute__((destructor)) static void tell(void) { printf("result live_bytes=%zu\n", most); }

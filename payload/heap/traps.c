// Where a program ends that misused its heap.  There is no message: descriptor 2 may be any file of
// the program's by now.  A debugger shows the function, whose name says what was found; each has code of
// its own, so that no compiler takes them for one.

#define BRAWN_TRAP(name, number)                                \
    static NOINLINE __attribute__((noreturn)) void name(void) { \
        __asm__ volatile("" : : "i"(number));                   \
        __builtin_trap();                                       \
    }

BRAWN_TRAP(brawn_trap_freed_already, 1)  // free, realloc or malloc_usable_size of a block that was freed
BRAWN_TRAP(brawn_trap_not_a_block, 2)  // the same of a pointer that no allocation returned
BRAWN_TRAP(brawn_trap_written_past_end, 3)  // the bytes behind a block changed
BRAWN_TRAP(brawn_trap_corrupted, 4)  // a free block was written to
BRAWN_TRAP(brawn_trap_written_in_front, 6)  // the bytes in front of a block changed
BRAWN_TRAP(brawn_trap_wrong_size, 5)  // free_sized or free_aligned_sized with what the block was not asked for with

// The engine reports errors by their number.  Damage in its own data means that the program misused the heap, so the program ends.  Out of
// memory, or a size that is too large, is no misuse: the caller gets NULL.
static inline __attribute__((always_inline)) void brawn_engine_error(int error) {
    if (error != ENOMEM && error != EOVERFLOW) brawn_trap_corrupted();
}

// ---------------------------------------------------------------------------------------------
// Random numbers: the engine's generator (ChaCha20, random.c), which asks the platform for its key.

// 16 bytes from the kernel, AT_RANDOM, of which musl's stack protector uses the first 8 as they are; what
// is seen of those tells nothing of the generator's output.  The counter and the addresses keep the keys
// of threads, and of children that begin with the same bytes, apart.
static bool _mi_prim_random_buf(void *buffer, size_t size) {
    const uint64_t *const kernel = (const uint64_t *)brawn_auxiliary(AUXV_RANDOM);
    uint64_t words[4] = {0, 0, arch_counter(), (uintptr_t)buffer ^ arch_thread_pointer()};
    if (kernel != NULL) {
        words[0] = kernel[0];
        words[1] = kernel[1];
    }
    brawn_memcpy(buffer, words, size < sizeof(words) ? size : sizeof(words));
    return kernel != NULL;
}

static mi_msecs_t _mi_prim_clock_now(void) { return (mi_msecs_t)arch_counter(); }

#include "random.c"

// Of the process, made before its first block: see brawn_thread_start.
static _Atomic(uintptr_t) brawn_secret;  // 16 times an odd number

// Threads may come here at once: the first secret holds, and the cookie follows from it.
static void brawn_secrets_make(mi_heap_t *main_heap) {
    mi_random_ctx_t random;
    _mi_random_init(&random);
    uintptr_t secret = 0;
    const uintptr_t mine = (_mi_random_next(&random) | 1) * MI_MAX_ALIGN_SIZE;
    if (mi_atomic_cas_strong_acq_rel(&brawn_secret, &secret, mine)) secret = mine;
    __atomic_store_n(&main_heap->cookie, _mi_random_shuffle(secret), __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------------------------------------
// How often a freed block is put out of reach

// To close a large block (large.c) and to open it takes two system calls, and interrupts the processors of other threads.  So a
// process closes BRAWN_CLOSE_BURST blocks at once, and over time one for each unit of arch_clock.  A program that frees no
// more than that has each of them closed.  (If all were: 3 times fast's time for blocks of up to 100,000 bytes, and 7
// times in the mixed stress.)
//
// The same holds for pages and spans (decommit.c), whose memory goes, too, and comes back by page faults: for these once in four units.
enum {
    BRAWN_CLOSE_BURST = 64,
    BRAWN_DECOMMIT_BURST = 48,
    BRAWN_DECOMMIT_UNITS = 4,
};

static bool brawn_may(_Atomic(uintptr_t) *taken, uintptr_t units, uintptr_t burst) {
    // Each takes its units of time.  This is when the last one's end.
    const uintptr_t now = (uintptr_t)arch_clock(), end = mi_atomic_load_relaxed(taken);
    const uintptr_t from = (intptr_t)(end - now) > 0 ? end : now;
    if (from - now >= burst * units) return false;
    mi_atomic_store_relaxed(taken, from + units);
    return true;
}

static bool brawn_may_close(void) {
    static _Atomic(uintptr_t) taken;
    return brawn_may(&taken, 1, BRAWN_CLOSE_BURST);
}

// The same for a guard inside of a mapping (slack.c): without this, one block at a time of 256 KiB to 4 MiB takes 20 times glibc's time.
static bool brawn_may_guard(void) {
    static _Atomic(uintptr_t) taken;
    return brawn_may(&taken, 1, BRAWN_CLOSE_BURST);
}

static bool brawn_may_go(void) {
    static _Atomic(uintptr_t) taken;
    return brawn_may(&taken, BRAWN_DECOMMIT_UNITS, BRAWN_DECOMMIT_BURST);
}

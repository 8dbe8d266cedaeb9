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

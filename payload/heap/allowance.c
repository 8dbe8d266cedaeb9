// How much free memory the process keeps, beside the least that a profile always keeps: the allowance.
//
// To give memory back and to get it again takes a page fault for each 4 KiB, much more time than most programs work on it.  To keep
// memory that nobody needs again takes memory.  Which of both it will be nobody knows beforehand, so the heap learns it.  What was
// released, and is needed again within a second, should have been kept: the allowance grows by it.  Each second the allowance halves.
// So what a program takes and frees in turn is kept after the first round, whatever sizes it has, and what it no longer needs goes back.
//
// The allowance counts for large blocks (cache.c), for segments (platform.c) and for what is free in them (purge.c), each on its own.
// There is another one for what stays while a thread waits (wait.c), since a wait says more: a program that waits may have done its work.

// In bytes.  Threads that change them at the same time may lose a change: they are estimates.
typedef struct {
    _Atomic(uintptr_t) bytes;
    _Atomic(uintptr_t) released;  // lately, and not needed again
} brawn_allowance_t;
static brawn_allowance_t brawn_running, brawn_waiting;
static _Atomic(uintptr_t) brawn_made_room;  // lately, so that the process's peak did not grow (cache.c)
static _Atomic(uintptr_t) brawn_lately;  // the most that was in use lately, in slices (purge.c)

static _Atomic(uintptr_t) brawn_threads_count;  // threads.c

static inline size_t brawn_allowance(void) { return mi_atomic_load_relaxed(&brawn_running.bytes); }

static void brawn_halve(_Atomic(uintptr_t) *value, unsigned times) { mi_atomic_store_relaxed(value, mi_atomic_load_relaxed(value) >> times); }

// Halves all of them for each second (1,024 units of arch_clock) since the last call.
static void brawn_allowance_age(uintptr_t now) {
    static _Atomic(uintptr_t) second;
    const uintptr_t passed = now / 1024 - mi_atomic_load_relaxed(&second);
    const unsigned halvings = passed < 63 ? (unsigned)passed : 63;
    if (mi_likely(passed == 0)) return;
    mi_atomic_store_relaxed(&second, now / 1024);
    brawn_halve(&brawn_running.bytes, halvings);
    brawn_halve(&brawn_running.released, halvings);
    brawn_halve(&brawn_waiting.bytes, halvings);
    brawn_halve(&brawn_waiting.released, halvings);
    brawn_halve(&brawn_made_room, halvings);
    brawn_halve(&brawn_lately, halvings);
}

// `size` bytes go back to the kernel, since more must not be kept: while the program runs, and before a thread waits.
static void brawn_allowance_release(size_t size) { mi_atomic_add_relaxed(&brawn_running.released, size); }
static void brawn_allowance_release_in_wait(size_t size) { mi_atomic_add_relaxed(&brawn_waiting.released, size); }

// Of `size` bytes that are needed, returns how many were released and should not have been.  The allowance is at most BRAWN_ALLOWANCE for each
// thread.
static size_t brawn_allowance_grow(brawn_allowance_t *allowance, size_t size) {
    const size_t released = mi_atomic_load_relaxed(&allowance->released);
    if (mi_likely(released == 0)) return 0;
    const size_t mistake = size < released ? size : released, most = BRAWN_ALLOWANCE * (mi_atomic_load_relaxed(&brawn_threads_count) + 1);
    const size_t bytes = mi_atomic_load_relaxed(&allowance->bytes) + mistake;
    mi_atomic_store_relaxed(&allowance->released, released - mistake);
    mi_atomic_store_relaxed(&allowance->bytes, bytes < most ? bytes : most);
    return mistake;
}

// `size` bytes are needed of the kernel.
static void brawn_allowance_learn(size_t size) {
    size -= brawn_allowance_grow(&brawn_waiting, size);
    brawn_allowance_grow(&brawn_running, size);
}

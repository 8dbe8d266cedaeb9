// How much free memory the process keeps, beside the least that a profile always keeps: the allowance.
//
// To give memory back and to get it again takes a page fault for each 4 KiB, much more time than most programs work on it.  To keep
// memory that nobody needs again takes memory.  Which of both it will be nobody knows beforehand, so the heap learns it.  What was
// released, and is mapped again within a second, should have been kept: the allowance grows by it.  Each second the allowance halves.
// So what a program takes and frees in turn is kept after the first round, whatever sizes it has, and what it no longer needs goes back.
//
// The allowance counts for large blocks (cache.c) and for segments (platform.c), each on its own.

// In bytes.  Threads that change them at the same time may lose a change: they are estimates.
static _Atomic(uintptr_t) brawn_allowance;
static _Atomic(uintptr_t) brawn_released;  // lately, and not mapped again
static _Atomic(uintptr_t) brawn_made_room;  // lately, so that the process's peak did not grow (cache.c)

static _Atomic(uintptr_t) brawn_threads_count;  // threads.c

// Halves them for each second (1,024 units of arch_clock) since the last call.
static void brawn_allowance_age(uintptr_t now) {
    static _Atomic(uintptr_t) second;
    const uintptr_t passed = now / 1024 - mi_atomic_load_relaxed(&second), halvings = passed < 63 ? passed : 63;
    if (mi_likely(passed == 0)) return;
    mi_atomic_store_relaxed(&second, now / 1024);
    mi_atomic_store_relaxed(&brawn_allowance, mi_atomic_load_relaxed(&brawn_allowance) >> halvings);
    mi_atomic_store_relaxed(&brawn_released, mi_atomic_load_relaxed(&brawn_released) >> halvings);
    mi_atomic_store_relaxed(&brawn_made_room, mi_atomic_load_relaxed(&brawn_made_room) >> halvings);
}

// `size` bytes go back to the kernel, since more must not be kept.
static void brawn_allowance_release(size_t size) { mi_atomic_add_relaxed(&brawn_released, size); }

// `size` bytes are mapped.  The allowance is at most BRAWN_ALLOWANCE for each thread.
static void brawn_allowance_learn(size_t size) {
    const size_t released = mi_atomic_load_relaxed(&brawn_released);
    if (mi_likely(released == 0)) return;
    const size_t mistake = size < released ? size : released, most = BRAWN_ALLOWANCE * (mi_atomic_load_relaxed(&brawn_threads_count) + 1);
    const size_t allowance = mi_atomic_load_relaxed(&brawn_allowance) + mistake;
    mi_atomic_store_relaxed(&brawn_released, released - mistake);
    mi_atomic_store_relaxed(&brawn_allowance, allowance < most ? allowance : most);
}

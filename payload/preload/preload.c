// The heap for LD_PRELOAD, in programs that are linked dynamically with musl: the same engine and paths as in a static
// program, and the differences if libc is a shared object.
//
//   fork     libc.so calls its own heap around fork, by a hidden name; ours is reached by pthread_atfork
//   locks    other handlers of pthread_atfork may run inside of ours: the forking thread passes the lock, as in
//            brawn-rt's variant (../heap/shared.c)
//   names    libc's internal ones are hidden in libc.so: only the public family is defined
//   calloc   whether malloc is the program's own cannot be told by its address
//   locales  one version of musl allocates a copy with our heap, and frees it with its own (locale.c)
//   aligned  musl refuses aligned blocks where a program brings malloc without aligned_alloc
//
// Thread-locals are initial-exec, as in a static program: the object is loaded at start, where the dynamic linker
// has room for them beside every thread (docs/preload.md has what TLS descriptors would cost).

// Only for the locks: everything else is the static program's variant.
#define BRAWN_SHARED 1
#include "lock.h"
#undef BRAWN_SHARED
#define BRAWN_SHARED 0

// If these functions are missing, nothing needs them.  glibc's shared object has no pthread_atfork, but a function that
// it calls; before 2.34, glibc has keys only if libpthread is loaded.
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) __attribute__((weak));
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object) __attribute__((weak));
int pthread_key_create(unsigned *key, void (*destructor)(void *)) __attribute__((weak));
int pthread_setspecific(unsigned key, const void *value) __attribute__((weak));

// Those of surface.c decide by the address whose malloc it is, or do not decide at all; so the public ones are defined
// below.
#define calloc brawn_plain_calloc
#define free_sized brawn_plain_free_sized
#define free_aligned_sized brawn_plain_free_aligned_sized
#define aligned_alloc brawn_plain_aligned_alloc
#define memalign brawn_plain_memalign
#define posix_memalign brawn_plain_posix_memalign
#define valloc brawn_plain_valloc
#include "../heap/brawn-heap.c"
#undef calloc
#undef free_sized
#undef free_aligned_sized
#undef aligned_alloc
#undef memalign
#undef posix_memalign
#undef valloc

// --------------------------------------------------------------------------------------------- Whose malloc it is.
// Its address does not show it: if a program at a fixed address takes malloc's address, that is a place in the program,
// whichever malloc runs.  Calls use a slot of their own, which the dynamic linker fills at load (-z now) with the
// function's true address: if malloc is ours, one of the slots has our address.  brawn-payload's build script makes
// sure that there is such a slot.

#include <elf.h>

extern const Elf64_Dyn _DYNAMIC[] HIDDEN;
extern const char __ehdr_start[] HIDDEN;

static bool brawn_malloc_is_called(void) {
    uintptr_t slots = 0;
    size_t size = 0;
    for (const Elf64_Dyn *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_JMPREL) slots = entry->d_un.d_ptr;
        if (entry->d_tag == DT_PLTRELSZ) size = entry->d_un.d_val;
    }
    // musl leaves the file's values, relative to the file's start; glibc replaces them by addresses.
    const uintptr_t start = (uintptr_t)__ehdr_start;
    const Elf64_Rela *const relocations = (const Elf64_Rela *)(slots < start ? slots + start : slots);
    for (size_t i = 0; i < size / sizeof(*relocations); i++)
        if (*(const uintptr_t *)(start + relocations[i].r_offset) == (uintptr_t)brawn_own_malloc) return true;
    return false;
}

// Before the constructors of all objects, calls are bound already.
static inline bool brawn_malloc_is_everyones(void) {
    enum { UNKNOWN,
        OURS,
        ANOTHERS };
    static _Atomic(uintptr_t) known;
    uintptr_t whose = mi_atomic_load_relaxed(&known);
    if (mi_unlikely(whose == UNKNOWN)) {
        whose = brawn_malloc_is_called() ? OURS : ANOTHERS;
        mi_atomic_store_relaxed(&known, whose);
    }
    return mi_likely(whose == OURS);
}

EXPORT __attribute__((weak)) void *calloc(size_t count, size_t size) {
    if (mi_likely(brawn_malloc_is_everyones())) return __libc_calloc(count, size);
    // As surface.c's: the program's malloc and zeros.
    size_t total;
    if (!brawn_multiply(count, size, &total)) return brawn_fail(ENOMEM);
    void *const p = malloc(total);
    if (p != NULL) brawn_memset(p, 0, total);
    return p;
}

EXPORT __attribute__((weak)) void free_sized(void *p, size_t size) {
    if (mi_likely(brawn_malloc_is_everyones())) brawn_free_sized(p, size);
    else free(p);
}

EXPORT __attribute__((weak)) void free_aligned_sized(void *p, size_t alignment, size_t size) {
    if (BRAWN_CHECKED && brawn_malloc_is_everyones()) brawn_expect_alignment(p, alignment);
    free_sized(p, size);
}

// A program with its own malloc and free, but without aligned_alloc, could not free our blocks, so ours fails with
// ENOMEM, as in musl (src/malloc/replaced.c).  If the program has its own aligned_alloc, the others call that one, as
// musl's do.
EXPORT __attribute__((weak)) void *aligned_alloc(size_t alignment, size_t size) {
    if (mi_unlikely(!brawn_malloc_is_everyones())) return brawn_fail(ENOMEM);
    return brawn_plain_aligned_alloc(alignment, size);
}

EXPORT __attribute__((weak)) void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

EXPORT __attribute__((weak)) void *valloc(size_t size) { return memalign(brawn_auxiliary(AUXV_PAGESZ), size); }

EXPORT __attribute__((weak)) int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *)) return EINVAL;
    void *const p = aligned_alloc(alignment, size);
    if (p == NULL) return *__errno_location();
    *result = p;
    return 0;
}

#include "locale.c"

// --------------------------------------------------------------------------------------------- Load: the object's
// DT_INIT.  Code that allocates before it (the dynamic linker's callbacks, other objects' constructors) does not need
// it.  There is no unload: the object is marked so.

static void brawn_before_fork(void) { brawn_around_fork(-1); }
static void brawn_in_parent(void) { brawn_around_fork(0); }
static void brawn_in_child(void) { brawn_around_fork(1); }

HIDDEN void brawn_preload_load(void) {
    // If a program has its own malloc, this heap has no blocks to protect, and libc may call the program's malloc here.
    if (!brawn_malloc_is_everyones()) return;
    if (pthread_atfork != NULL) pthread_atfork(brawn_before_fork, brawn_in_parent, brawn_in_child);
    else if (__register_atfork != NULL) __register_atfork(brawn_before_fork, brawn_in_parent, brawn_in_child, NULL);
}

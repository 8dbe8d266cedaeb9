// The libc surface: what the members of libc.a that brawn replaces defined, with musl's semantics,
// errno included.  musl's own calls of each other are kept, since programs replace single ones:
// calloc calls malloc, memalign and posix_memalign call aligned_alloc, reallocarray calls realloc,
// by their public names (musl src/malloc/*.c).
//
// Public names are weak: a program's own malloc takes their place.  __libc_* are strong.  What they do
// is in blocks.c, or checked.c, by the profile.

#define WEAK_ALIAS(of) EXPORT __attribute__((weak, alias(#of)))
#define STRONG_ALIAS(of) EXPORT __attribute__((alias(#of)))

EXPORT void *__libc_malloc_impl(size_t size) { return brawn_malloc(size); }
void *__libc_malloc(size_t size) STRONG_ALIAS(__libc_malloc_impl);
void *malloc(size_t size) WEAK_ALIAS(__libc_malloc_impl);

EXPORT void __libc_free(void *p) { brawn_free(p); }
void free(void *p) WEAK_ALIAS(__libc_free);

// C23's (ISO/IEC 9899:2024, 7.24.4.4 and 5), which no musl has.  A program that brings a free of its own and neither of
// these has its blocks from its own malloc, so its free gets them.
#if BRAWN_CHECKED
static void brawn_own_free(void *p) __attribute__((alias("__libc_free")));

static inline bool brawn_free_is_ours(void) {
    void (*used)(void *) = free;
    __asm__("" : "+r"(used));
    return used == brawn_own_free;
}

EXPORT __attribute__((weak)) void free_sized(void *p, size_t size) {
    if (mi_likely(brawn_free_is_ours())) brawn_free_sized(p, size);
    else free(p);
}

EXPORT __attribute__((weak)) void free_aligned_sized(void *p, size_t alignment, size_t size) {
    if (brawn_free_is_ours()) brawn_expect_alignment(p, alignment);
    free_sized(p, size);
}
#else
// A block's page is found without its size, and nothing else of it is needed: what is left is one jump, which the linker has
// lead to the right free.
EXPORT __attribute__((weak)) void free_sized(void *p, size_t size) {
    MI_UNUSED(size);
    free(p);
}

EXPORT __attribute__((weak)) void free_aligned_sized(void *p, size_t alignment, size_t size) {
    MI_UNUSED(alignment);
    MI_UNUSED(size);
    free(p);
}
#endif

EXPORT void *__libc_calloc(size_t count, size_t size) {
    size_t total;
    if (mi_unlikely(!brawn_multiply(count, size, &total))) return brawn_fail(ENOMEM);
    return brawn_zalloc(total);
}

// Whether malloc is ours.  Both addresses are brought into registers, ours by a name that is the payload's alone: a
// comparison with a table of addresses is no form that a linker can do without the table, and a rewritten program
// (brawn-core's program/link.rs) has none.
static void *brawn_own_malloc(size_t size) __attribute__((alias("__libc_malloc_impl")));

static inline bool brawn_malloc_is_ours(void) {
    void *(*used)(size_t) = malloc;
    __asm__("" : "+r"(used));
    return used == brawn_own_malloc;
}

EXPORT __attribute__((weak)) void *calloc(size_t count, size_t size) {
    if (mi_likely(brawn_malloc_is_ours())) return __libc_calloc(count, size);
    // The program has its own malloc and not its own calloc: as musl does, its malloc and zeros.
    size_t total;
    if (!brawn_multiply(count, size, &total)) return brawn_fail(ENOMEM);
    void *const p = malloc(total);
    if (p != NULL) brawn_memset(p, 0, total);
    return p;
}

EXPORT void *__libc_realloc(void *p, size_t size) { return brawn_realloc(p, size); }
void *realloc(void *p, size_t size) WEAK_ALIAS(__libc_realloc);

EXPORT __attribute__((weak)) void *reallocarray(void *p, size_t count, size_t size) {
    size_t total;
    if (mi_unlikely(__builtin_mul_overflow(count, size, &total))) return brawn_fail(ENOMEM);
    return realloc(p, total);
}

EXPORT __attribute__((weak)) size_t malloc_usable_size(void *p) { return p == NULL ? 0 : brawn_usable(p); }

// ---------------------------------------------------------------------------------------------
// Aligned allocation

EXPORT __attribute__((weak)) void *aligned_alloc(size_t alignment, size_t size) {
    if (mi_unlikely((alignment & (alignment - 1)) != 0 && alignment != 0)) return brawn_fail(EINVAL);
    if (mi_unlikely(size > PTRDIFF_MAX || alignment >= BRAWN_ALIGNMENT_LIMIT)) return brawn_fail(ENOMEM);
    return alignment <= MI_MAX_ALIGN_SIZE ? brawn_malloc(size) : brawn_aligned(alignment, size);
}

EXPORT __attribute__((weak)) void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

EXPORT __attribute__((weak)) void *valloc(size_t size) {
    return memalign(brawn_auxiliary(AUXV_PAGESZ), size);
}

EXPORT __attribute__((weak)) int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *)) return EINVAL;
#if BRAWN_TRACE
    // Who reads the record gets from here to the caller by the frame pointer, which this makes the function have.
    __asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#endif
    void *const p = aligned_alloc(alignment, size);
    if (p == NULL) return *__errno_location();
    *result = p;
    return 0;
}

// ---------------------------------------------------------------------------------------------
// What musl itself calls

// The dynamic linker gives slack of its mappings to mallocng; a static program has none.
EXPORT void __malloc_donate(char *start, char *end) {
    MI_UNUSED(start);
    MI_UNUSED(end);
}

// Around fork: src/process/fork.c, musl 1.2.2 and later.
EXPORT SELDOM void __malloc_atfork(int who) { brawn_around_fork(who); }

// Whether a fresh block is known to be zero, which our calloc does not ask.
EXPORT int __malloc_allzerop(void *p) {
    MI_UNUSED(p);
    return 0;
}

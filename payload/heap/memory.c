// Copies and fills that the compiler asks for, kept inside the payload: a libc member that needs the
// heap must not be needed by it.  Mostly large or constant sizes get here.

HIDDEN void *brawn_memcpy(void *restrict to, const void *restrict from, size_t n) {
    arch_copy(to, from, n);
    return to;
}

HIDDEN void *brawn_memset(void *to, int byte, size_t n) {
    arch_fill(to, byte, n);
    return to;
}

// Calls that the compiler makes up on its own name these; they stay local to the object.
HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t n) __attribute__((alias("brawn_memcpy")));
HIDDEN void *memset(void *to, int byte, size_t n) __attribute__((alias("brawn_memset")));

// fwrite, and __fwritex, by which puts, fputs and others of musl's write.  musl's takes the lock by an atomic operation even where there
// is one thread, and looks for a line's end byte by byte.
// The same results as of musl 1.2.2 to 1.2.6 (src/stdio/fwrite.c).
#include "../../memory/generic/copy-short.h"
#include "lock.h"

HIDDEN int __towrite(stream *f);

INLINE size_t room(const stream *f) { return (size_t)(f->write_end - f->write_at); }

INLINE void put(const char *from, size_t n, stream *f) {
    char *const at = f->write_at;
    f->write_at = at + n;
    if (n <= 16) copy_short(at, from, n);
    else brawn_memcpy(at, from, n);
}

// Whether it is only bytes into a buffer.
INLINE int is_put(const char *from, size_t n, stream *f) {
    if (UNLIKELY(n > room(f) || !f->write_end || f->line_end >= 0)) return 0;
    put(from, n, f);
    return 1;
}

// How many bytes were written.
static COLD size_t write_on(const char *from, size_t n, stream *f) {
    if (!f->write_end && __towrite(f)) return 0;
    if (n > room(f)) return f->write(f, (const unsigned char *)from, n);
    size_t lines = 0;
    const char *const last = f->line_end >= 0 ? brawn_memrchr(from, '\n', n) : NULL;
    if (last) {
        lines = (size_t)(last + 1 - from);
        const size_t wrote = f->write(f, (const unsigned char *)from, lines);
        if (wrote < lines) return wrote;
        from += lines;
        n -= lines;
    }
    put(from, n, f);
    return lines + n;
}

HIDDEN size_t brawn___fwritex(const unsigned char *from, size_t n, stream *f) {
    return LIKELY(is_put((const char *)from, n, f)) ? n : write_on((const char *)from, n, f);
}

static COLD size_t write_locked(const char *from, size_t size, size_t n, stream *f) {
    const size_t all = size * n;
    const int locked = f->lock >= 0 ? __lockfile(f) : 0;
    const size_t wrote = brawn___fwritex((const unsigned char *)from, all, f);
    unlock_stream(f, locked);
    if (wrote != all) return wrote / size;
    return size ? n : 0;
}

HIDDEN size_t brawn_fwrite(const void *from, size_t size, size_t n, stream *f) {
    // Without another thread no lock: a program's own function may begin one, but is only called by write_on.
    const int lock = f->lock;
    if (LIKELY(lock < 0 || (lock == 0 && is_alone())) && LIKELY(is_put(from, size * n, f))) return size ? n : 0;
    return write_locked(from, size, n, f);
}
NAME(__fwritex, brawn___fwritex)
NAME(fwrite, brawn_fwrite)
NAME(fwrite_unlocked, brawn_fwrite)

// vfprintf: straight into the stream's buffer.  What has no room there goes to the kernel with the buffer, by the
// stream's own function, as musl does it.
#include "sink.h"
#include "stream.h"

enum { ROOM = 1024 };

HIDDEN int __lockfile(stream *f);
HIDDEN void __unlockfile(stream *f);
HIDDEN int __towrite(stream *f);

static void onward(Sink *sink, const char *text, size_t n) {
    stream *const f = sink->stream;
    sink->before = printed(sink) + n;
    if (!(f->flags & HAS_ERROR)) {
        f->write_at = sink->at;
        f->write(f, (const unsigned char *)text, n);
    }
    // After an error, everything comes here and goes nowhere.
    sink->at = sink->from = f->write_at;
    sink->end = f->flags & HAS_ERROR ? sink->at : f->write_end;
}

// Lines that are whole go out at once.  The last one's end is handed to the stream's function by itself: a stream of the program's own
// (fopencookie) may take a call without a byte for the end.
static void lines(stream *f, const char *from) {
    const size_t n = (size_t)(f->write_at - from);
    const char *const last = n ? brawn_memrchr(from, f->line_end, n) : NULL;
    if (!last) return;
    const char *rest = last + 1, *const end = f->write_at;
    const unsigned char line_end = (unsigned char)*last;
    f->write_at -= end - last;
    f->write(f, &line_end, 1);
    if (f->flags & HAS_ERROR) return;
    while (rest < end) *f->write_at++ = *rest++;
}

// Into the stream's buffer, and whether it failed.
static int into(stream *f, const char *format, va_list arguments, int by_lines) {
    if (UNLIKELY(!f->write_end && __towrite(f))) return -1;
    Sink sink = {.at = f->write_at, .end = f->write_end, .from = f->write_at, .more = onward, .stream = f};
    const int result = brawn_print(&sink, format, arguments);
    if (LIKELY(!(f->flags & HAS_ERROR))) {
        f->write_at = sink.at;
        if (by_lines) lines(f, sink.from);
    }
    return result;
}

// A stream without a buffer gets one for this call.  It is a function of its own since others need no such room on the stack.
static COLD int unbuffered(stream *f, const char *format, va_list arguments) {
    char room[ROOM];
    unsigned char *const buffer = f->buffer;
    f->buffer = (unsigned char *)room;
    f->size = sizeof room;
    f->write_at = f->unwritten = f->write_end = NULL;
    int result = into(f, format, arguments, 0);
    f->write(f, NULL, 0);
    if (!f->write_at) result = -1;
    f->buffer = buffer;
    f->size = 0;
    f->write_at = f->unwritten = f->write_end = NULL;
    return result;
}

HIDDEN int brawn_vfprintf(stream *restrict f, const char *restrict format, va_list arguments) {
    const int locked = f->lock >= 0 ? __lockfile(f) : 0, had_error = (int)(f->flags & HAS_ERROR);
    f->flags &= ~(unsigned)HAS_ERROR;
    int result = LIKELY(f->size) ? into(f, format, arguments, f->line_end >= 0) : unbuffered(f, format, arguments);
    if (f->flags & HAS_ERROR) result = -1;
    f->flags |= (unsigned)had_error;
    if (locked) __unlockfile(f);
    return result;
}
NAME(vfprintf, brawn_vfprintf)

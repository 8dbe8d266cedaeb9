// vsnprintf: the directives' text straight into the program's buffer.  Sizes over INT_MAX are no error, as in musl from
// 1.2.4 on.
#include "sink.h"

// As much as there is room for, and the count of the rest.
static void cut(Sink *sink, const char *text, size_t n) {
    const size_t room = (size_t)(sink->end - sink->at), fits = n < room ? n : room;
    brawn_memcpy(sink->at, text, fits);
    sink->at += fits;
    sink->before += n - fits;
}

HIDDEN int brawn_vsnprintf(char *restrict s, size_t size, const char *restrict format, va_list arguments) {
    char none[1];
    if (!size) s = none, size = 1;
    // A size that says nothing must not go over the end of the addresses.
    const uintptr_t most = UINTPTR_MAX - (uintptr_t)s;
    char *const end = s + (size - 1 < most ? size - 1 : most);
    Sink sink = {.at = s, .end = end, .from = s, .more = cut};
    const int result = brawn_print(&sink, format, arguments);
    *sink.at = 0;
    return result;
}
NAME(vsnprintf, brawn_vsnprintf)

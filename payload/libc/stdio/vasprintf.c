// vasprintf: into a buffer of its own first, and from there into a block of the text's size; only what is too long for
// that is printed twice, as musl prints all.
#include "sink.h"

extern void *malloc(size_t);

enum { ROOM = 512 };

HIDDEN int brawn_vasprintf(char **to, const char *format, va_list arguments) {
    char text[ROOM];
    va_list again;
    va_copy(again, arguments);
    int n = brawn_vsnprintf(text, sizeof text, format, arguments);
    char *const block = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!block) {
        n = -1;
    } else {
        *to = block;
        if (n < ROOM) brawn_memcpy(block, text, (size_t)n + 1);
        else n = brawn_vsnprintf(block, (size_t)n + 1, format, again);
    }
    va_end(again);
    return n;
}
NAME(vasprintf, brawn_vasprintf)

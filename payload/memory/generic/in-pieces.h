// The end of strstr, for text in which its quick search makes no way.
#pragma once
#include "memory.h"

// Text that keeps promising: memmem knows what to do then, but has to be told where the text ends, which is looked
// for a piece at a time, not far beyond where the part may be.
static COLD char *in_pieces(const char *text, const char *part) {
    const size_t size = brawn_strlen(part), step = size < 4096 ? 4096 : size;
    size_t length = brawn_strnlen(text, size + step);
    while (length >= size) {
        char *const found = brawn_memmem(text, length, part, size);
        if (found) return found;
        const size_t kept = size - 1;
        text += length - kept;
        length = kept + brawn_strnlen(text + kept, step);
    }
    return NULL;
}

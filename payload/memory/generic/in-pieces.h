// The last part of strstr, for text in which its quick search is too slow.
#pragma once
#include "memory.h"

// If there are too many partial matches, memmem is used, but it needs the text's end. The end is searched for piece by
// piece, not far beyond the place where the part may be.
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

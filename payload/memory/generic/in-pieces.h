// The last part of strstr, for text in which its quick search is too slow.
#pragma once
#include "memory.h"

// Of a part that begins with two equal bytes: where the first two are that follow each other and differ.  In text of many such
// bytes they are rare.  0 if there are none, or only further on.
static COLD size_t alike_first(const char *part) {
    size_t i = 1;
    while (i < 256 && part[i + 1] == part[0]) i++;
    return i < 256 && part[i + 1] ? i : 0;
}

// If there are too many partial matches, memmem is used, but it needs the text's end. The end is searched for piece by
// piece, each twice as long as the one before: not far beyond the place where the part may be.
static COLD char *in_pieces(const char *text, const char *part) {
    const size_t size = brawn_strlen(part);
    size_t step = size < 4096 ? 4096 : size;
    size_t length = brawn_strnlen(text, size + step);
    while (length >= size) {
        char *const found = brawn_memmem(text, length, part, size);
        if (found) return found;
        const size_t kept = size - 1;
        text += length - kept;
        step *= 2;
        length = kept + brawn_strnlen(text + kept, step);
    }
    return NULL;
}

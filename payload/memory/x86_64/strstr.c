#include "memory.h"

// The text's end is looked for a piece at a time, not far beyond where the part may be.
HIDDEN char *brawn_strstr(const char *text, const char *part) {
    if (!part[0]) return (char *)text;
    if (!part[1]) return brawn_strchr(text, part[0]);
    const size_t size = brawn_strlen(part);
    size_t step = 512;
    size_t length = brawn_strnlen(text, size + step);
    for (;;) {
        if (length < size) return NULL;
        char *const found = brawn_memmem(text, length, part, size);
        if (found) return found;
        const size_t kept = size - 1;
        text += length - kept;
        if (step < 16384) step *= 2;
        length = kept + brawn_strnlen(text + kept, step);
        // The end was seen if nothing new came.
        if (length == kept) return NULL;
    }
}
NAME(strstr, brawn_strstr)

// wcsstr, by memmem: what it finds between words does not count.  If this happens often, it goes on with Two-Way, by words:
// each time, memmem would look at all of the part again.
#include "strings.h"
#define UNIT wide
#include "../../memory/generic/two-way.h"

enum { OFTEN = 4 };

// As far as `length` words; those that are found, or NULL.  `between` counts what was found between words.
INLINE wide *in(const wide *text, size_t length, const wide *part, size_t size, unsigned *between) {
    const wide *const end = text + length;
    while (*between < OFTEN) {
        char *const found = brawn_memmem(text, (size_t)(end - text) * sizeof *text, part, size * sizeof *part);
        const size_t bytes = (size_t)(found - (const char *)text);
        if (!found || bytes % sizeof *text == 0) return (wide *)(void *)found;
        text += bytes / sizeof *text + 1;
        ++*between;
    }
    return two_way(text, (size_t)(end - text), part, size);
}

HIDDEN wide *brawn_wcsstr(const wide *text, const wide *part) {
    if (!part[0]) return (wide *)text;
    if (!text[0]) return NULL;
    // Where it can begin, and nothing before: the first few places are looked at as they are.
    for (int few = 0; few < 4; few++) {
        text = brawn_wcschr(text, part[0]);
        if (!text) return NULL;
        size_t i = 1;
        while (part[i] && text[i] == part[i]) i++;
        if (!part[i]) return (wide *)text;
        text++;
    }
    if (!text[0]) return NULL;
    const size_t size = brawn_wcslen(part);
    unsigned between = 0;
    // A piece at a time, not far beyond where it may be, and each twice as long.
    for (size_t step = size < 64 ? 64 : size;; step *= 2) {
        const wide *const end = brawn_wmemchr(text, 0, size + step);
        const size_t length = end ? (size_t)(end - text) : size + step;
        if (length < size) return NULL;
        wide *const found = in(text, length, part, size, &between);
        if (found || end) return found;
        text += length - (size - 1);
    }
}
NAME(wcsstr, brawn_wcsstr)

// strcasestr: two letters of the part that follow each other are looked for a vector at once, the first two, or the first that
// differ; where both are the rest is compared.  If this happens too often without a match, it looks for eight letters,
// and then goes on with Two-Way.
#ifndef WIDTH
#define SOURCE "../../libc/strings/strcasestr.c"
#include "strings.h"
#include "../../memory/generic/two-way.h"

INLINE byte small(byte c) { return (byte)((unsigned)c - 'A' < 26 ? c | 32 : c); }

static COLD void *two_way_small(const byte *text, size_t length, const byte *part, size_t size) {
    return two_way_folded(text, length, part, size, small);
}

// Of a part that begins with a letter twice: where the first two are that follow each other and differ.  In text of many such
// letters they are rare.  0 if there are none, or only further on.
static COLD size_t alike_first(const char *part) {
    size_t i = 1;
    while (i < 256 && small((byte)part[i + 1]) == small((byte)part[0])) i++;
    return i < 256 && part[i + 1] ? i : 0;
}

// The text's end is searched for piece by piece, each twice as long as the one before: not far beyond the place where the part
// may be.
static COLD char *in_pieces(const char *text, const char *part, size_t size, __typeof(two_way_small) search_piece) {
    size_t step = size < 4096 ? 4096 : size, length = brawn_strnlen(text, size + step);
    while (length >= size) {
        char *const found = search_piece((const byte *)text, length, (const byte *)part, size);
        if (found) return found;
        const size_t kept = size - 1;
        text += length - kept;
        step *= 2;
        length = kept + brawn_strnlen(text + kept, step);
    }
    return NULL;
}

#include "levels.h"

FIRST(char *, first, search, (const char *text, const char *part), text, part)

HIDDEN char *brawn_strcasestr(const char *text, const char *part) {
    // As musl since 1.2.6; before, it found nothing in an empty text, not even an empty part.
    if (UNLIKELY(!part[0])) return (char *)text;
    DISPATCH(search, first, text, part);
}
NAME(strcasestr, brawn_strcasestr)

#else
#include "words.h"
// As in memmem.c.
#if WIDTH == 16 && defined __x86_64__
#define OFTEN two_way_small
#elif WIDTH < 64
#define PROBED(p) LOWER(LOADU(p))
#define FOLDED(c) small(c)
// A capital letter and its small one, and no other byte, become the small one by this bit.
#define FOLDS(c) ((unsigned)small(c) - 'a' < 26 ? 0x2020202020202020 : 0)
#define IS_THERE(p, part, size) (!brawn_strncasecmp((const char *)(p), (const char *)(part), size))
#define ONE_EACH MASK1
#define TWO_WAY two_way_small
#include "../../memory/generic/probes.h"
#undef OFTEN
#ifdef __x86_64__
#define OFTEN probed_avx2
#elif defined(__aarch64__)
#define OFTEN probed_neon
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
#endif

TARGET static char *AT(search_on)(const char *text, const char *part) {
    const size_t size = brawn_strlen(part);
    const size_t skipped = UNLIKELY(small((byte)part[0]) == small((byte)part[1])) ? alike_first(part) : 0;
    // The first two are known if they are what is looked for.
    const size_t from = skipped ? 0 : 2;
    // A part of one letter has its end for the second one, which every byte passes for.
    const vec zero = ZERO;
    vec one = FILL(small((byte)part[skipped])), two = FILL(small((byte)part[skipped + 1]));
    const char *p = DOWN(text, WIDTH);
    vec x = LOAD(p);
    bits known = (bits)(ALL << (STEP * (text - p))) & ALL, before = 0;
    for (size_t budget = 512;; budget += WIDTH) {
        const vec y = LOWER(x);
        bits ends = EQ(x, zero) & known;
        const bits ones = EQ(y, one) & known;
        // Places of the second letter behind one of the first; before: the last vector ended with the first.
        bits m = (bits)(ones << STEP) | before;
        if (size > 1) m &= EQ(y, two);
        // Those behind the end do not count.
        if (ends) m &= ends ^ (ends - 1);
        for (m &= MASK1; UNLIKELY(m); m &= m - 1) {
            const char *const found = p + CTZ(m) - 1 - skipped;
            if (UNLIKELY((uintptr_t)found < (uintptr_t)text)) continue;
            if (size <= 2 || !brawn_strncasecmp(found + from, part + from, size - from)) return (char *)found;
            // As in memmem.c: else they would be kept on the stack.
            one = FILL(small((byte)part[skipped])), two = FILL(small((byte)part[skipped + 1]));
            // How many letters were compared is not known.
            const size_t cost = 32 + size / 8;
            if (UNLIKELY(budget < cost)) return in_pieces(found + 1, part, size, OFTEN);
            budget -= cost;
        }
        if (ends) return NULL;
        before = ones >> (STEP * (WIDTH - 1));
        known = ALL;
        p += WIDTH;
        LOOK_UP(p, brawn_strcasestr((uintptr_t)(p - !!before - skipped) < (uintptr_t)text ? text : p - !!before - skipped, part));
        x = LOAD(p);
    }
}

// A short text without the part's first letter takes no more than this, which needs no stack.
TARGET static char *AT(search)(const char *text, const char *part) {
    if (LIKELY(FITS(text))) {
        const vec x = LOADU(text);
        const bits ends = EQ(x, ZERO), ones = EQ(LOWER(x), FILL(small((byte)part[0])));
        if (ends && !(ones & (ends - 1) & ~ends)) return NULL;
    }
    return AT(search_on)(text, part);
}
#endif

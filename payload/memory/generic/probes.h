// A search where a quick one finds its two bytes at too many places: eight bytes of the part, from its first to its last, have to be
// there before anything is compared.  If this compares too often, too, it goes on with Two-Way.
//
// Each source includes this at one level, AVX2's or NEON's, after what says TARGET and AT, with PROBED(p): the vector at p, as bytes are compared;
// FOLDED(c): a byte, likewise; FOLDS(c): the bits that eight bytes get before they are compared with c; IS_THERE(p, part, size); ONE_EACH:
// of a mask's bits one for each byte; and TWO_WAY.
#define EACH_PROBE(P) P(0) P(1) P(2) P(3) P(4) P(5) P(6) P(7)
#define PLACE(i) ((size - 1) * (i) / 7)
#define SET(i)                                      \
    const byte *const behind_##i = text + PLACE(i); \
    const vec probe_##i = FILL(FOLDED(part[PLACE(i)]));
#define HOLDS(i) m &= EQ(PROBED(behind_##i + at), probe_##i);

// A part of a vector or more that is one byte again and again.
TARGET static COLD void *AT(all_alike)(const byte *text, size_t length, const byte *part, size_t size) {
    const vec x = FILL(FOLDED(part[0]));
    const uint64_t like = 0x0101010101010101 * FOLDED(part[0]), folds = FOLDS(part[0]);
    // Where a place ends, and how much is known of its end: equal to the part.
    const byte *end = text + size, *const last = text + length;
    for (size_t known = 0; end <= last;) {
        // Most often one of the last eight differs, and a register says so sooner than a vector.
        const uint64_t unlike = (GET64(end - 8) | folds) ^ like;
        if (LIKELY(unlike)) {
            // Each place waits for the one before: the compiler would count from the other end, which takes two instructions more.
            size_t bit = 63 - (size_t)__builtin_clzll(unlike);
            __asm__("" : "+r"(bit));
            known = 7 - bit / 8;
            end += size - 7 + bit / 8;
            continue;
        }
        // From the place's end back to what is known of it.
        size_t i = size;
        bits m = 0;
        while (i > known) {
            i = i < WIDTH ? 0 : i - WIDTH;
            m = NE(PROBED(end - size + i), x);
            if (m) break;
        }
        if (!m) return (void *)(uintptr_t)(end - size);
        i += TOP(m) + 1;
        known = size - i;
        end += i;
    }
    return NULL;
}

TARGET static COLD void *AT(probed)(const byte *text, size_t length, const byte *part, size_t size) {
    if (length < size) return NULL;
    // A part so long moves further by Two-Way, and one of a single byte as far as the last that differs.
    if (size >= 64) {
        if (IS_THERE(part, part + 1, size - 1)) return AT(all_alike)(text, length, part, size);
        return TWO_WAY(text, length, part, size);
    }
    const size_t places = length - size + 1;
    EACH_PROBE(SET)
    size_t at = 0, budget = 256;
    for (; at + WIDTH <= places; at += WIDTH) {
        budget += WIDTH;
        bits m = ONE_EACH;
        EACH_PROBE(HOLDS)
        for (; m; m &= m - 1) {
            const size_t found = at + CTZ(m), cost = 16 + size / 8;
            if (IS_THERE(text + found, part, size)) return (void *)(uintptr_t)(text + found);
            if (UNLIKELY(budget < cost)) {
                at = found + 1;
                goto often;
            }
            budget -= cost;
        }
    }
often:
    return TWO_WAY(text + at, length - at, part, size);
}
#undef EACH_PROBE
#undef PLACE
#undef SET
#undef HOLDS
#undef PROBED
#undef FOLDED
#undef IS_THERE
#undef ONE_EACH
#undef FOLDS

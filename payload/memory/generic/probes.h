// A search where a quick one finds its two bytes at too many places: eight bytes of the part, from its first to its last, have to be
// there before anything is compared.  If this compares too often, too, it goes on with Two-Way.
//
// Each source includes this at one level, AVX2's or NEON's, after what says TARGET and AT, with PROBED(p): the vector at p, as bytes are compared;
// FOLDED(c): a byte, likewise; IS_THERE(p, part, size); ONE_EACH: of a mask's bits one for each byte; and TWO_WAY.
// Where bytes are compared as they are, UNLIKE(eight, c) has a bit in each byte that is not c.
#define EACH_PROBE(P) P(0) P(1) P(2) P(3) P(4) P(5) P(6) P(7)
#define PLACE(i) ((size - 1) * (i) / 7)
#define SET(i)                                      \
    const byte *const behind_##i = text + PLACE(i); \
    const vec probe_##i = FILL(FOLDED(part[PLACE(i)]));
#define HOLDS(i) m &= EQ(PROBED(behind_##i + at), probe_##i);

// A part of a vector or more that is one byte again and again.
TARGET static COLD void *AT(all_alike)(const byte *text, size_t length, const byte *part, size_t size) {
    const vec x = FILL(FOLDED(part[0]));
    for (size_t at = 0, known = 0; at + size <= length;) {
        size_t i = size;
#ifdef UNLIKE
        // Most often one of the last eight differs, and a register says so sooner than a vector.
        const uint64_t unlike = UNLIKE(GET64(text + at + size - 8), part[0]);
        if (LIKELY(unlike)) {
            known = (size_t)__builtin_clzll(unlike) / 8;
            at += size - known;
            continue;
        }
#endif
        // From the place's end back to what is known of it.
        bits m = 0;
        while (i > known) {
            i = i < WIDTH ? 0 : i - WIDTH;
            m = NE(PROBED(text + at + i), x);
            if (m) break;
        }
        if (!m) return (void *)(uintptr_t)(text + at);
        i += TOP(m) + 1;
        at += i;
        known = size - i;
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
#undef UNLIKE

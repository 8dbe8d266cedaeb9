// A search where a quick one finds its two bytes at too many places: eight bytes of the part, from its first to its last, have to be
// there before anything is compared.  If this compares too often, too, it goes on with Two-Way.
//
// Each source includes this at one level, AVX2's or NEON's, after what says TARGET and AT, with PROBED(p): the vector at p, as bytes are compared;
// FOLDED(c): a byte, likewise; IS_THERE(p, part, size); ONE_EACH: of a mask's bits one for each byte; and TWO_WAY.
#define EACH_PROBE(P) P(0) P(1) P(2) P(3) P(4) P(5) P(6) P(7)
#define PLACE(i) ((size - 1) * (i) / 7)
#define SET(i)                                      \
    const byte *const behind_##i = text + PLACE(i); \
    const vec probe_##i = FILL(FOLDED(part[PLACE(i)]));
#define HOLDS(i) m &= EQ(PROBED(behind_##i + at), probe_##i);

// How many of the n bytes before p, from the last one on, or of those at p, are c.
TARGET static COLD size_t AT(alike_before)(const byte *p, size_t n, byte c) {
    const vec x = FILL(c);
    size_t i = 0;
    for (; n - i >= WIDTH; i += WIDTH) {
        const bits m = NE(PROBED(p - i - WIDTH), x);
        if (m) return i + WIDTH - 1 - TOP(m);
    }
    while (i < n && FOLDED(*(p - i - 1)) == c) i++;
    return i;
}
TARGET static COLD size_t AT(alike_from)(const byte *p, size_t n, byte c) {
    const vec x = FILL(c);
    size_t i = 0;
    for (; n - i >= WIDTH; i += WIDTH) {
        const bits m = NE(PROBED(p + i), x);
        if (m) return i + CTZ(m);
    }
    while (i < n && FOLDED(p[i]) == c) i++;
    return i;
}

// A part of two vectors or more that is one byte again and again.  Wherever it is, it has some whole vectors, so of all aligned ones only
// every so-manyth is looked at, none of which waits for the one before.
TARGET static COLD void *AT(all_alike)(const byte *text, size_t length, const byte *part, size_t size) {
    const byte c = FOLDED(part[0]);
    const vec x = FILL(c);
    const size_t step = DOWN(size - (WIDTH - 1), WIDTH);
    // Of what begins before `low` nothing fits.
    for (size_t low = 0; length - low >= size;) {
        size_t at = low + (-(uintptr_t)(text + low) & (WIDTH - 1));
        while (at + WIDTH <= length && NE(PROBED(text + at), x)) at += step;
        if (at + WIDTH > length) break;
        const size_t start = at - AT(alike_before)(text + at, at - low, c);
        const size_t most = length - start < size ? length - start : size;
        const size_t alike = at - start < most ? at - start + AT(alike_from)(text + at, most - (at - start), c) : most;
        if (alike == size) return (void *)(uintptr_t)(text + start);
        low = start + alike;
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

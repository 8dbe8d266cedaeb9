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

TARGET static COLD void *AT(probed)(const byte *text, size_t length, const byte *part, size_t size) {
    if (length < size) return NULL;
    // A part so long moves further by Two-Way.
    if (size >= 64) return TWO_WAY(text, length, part, size);
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

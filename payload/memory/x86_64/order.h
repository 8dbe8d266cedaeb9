// strcmp, and where BOUNDED strncmp: order(left, right, n).
TARGET static int AT(order)(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    const vec zero = ZERO;
    size_t i = 0;
    bits m;
    (void)n;
    if (BOUNDED && UNLIKELY(!n)) return 0;
    if (LIKELY(FITS(a) && FITS(b))) {
        const vec x = LOADU(a);
        m = STOP(x, LOADU(b));
        if (LIKELY(m)) goto found;
        i = WIDTH;
    }
    for (;;) {
        // As far as both go on in their pages.
        const size_t more_a = PAGE - ((uintptr_t)(a + i) & (PAGE - 1)), more_b = PAGE - ((uintptr_t)(b + i) & (PAGE - 1));
        size_t room = more_a < more_b ? more_a : more_b;
        if (BOUNDED && i >= n) return 0;
        for (int k = 0; k < 3 && room >= WIDTH; k++) {
            const vec x = LOADU(a + i);
            m = STOP(x, LOADU(b + i));
            if (m) goto found;
            i += WIDTH;
            room -= WIDTH;
            if (BOUNDED && i >= n) return 0;
        }
        for (; room >= 4 * WIDTH; room -= 4 * WIDTH) {
            const vec c = LOADU(a + i), d = LOADU(a + i + WIDTH), e = LOADU(a + i + 2 * WIDTH), f = LOADU(a + i + 3 * WIDTH);
            const vec cd = OR(XOR(c, LOADU(b + i)), XOR(d, LOADU(b + i + WIDTH)));
            const vec ef = OR(XOR(e, LOADU(b + i + 2 * WIDTH)), XOR(f, LOADU(b + i + 3 * WIDTH)));
            if (UNLIKELY(NE(OR(cd, ef), zero) | EQ(MIN(MIN(c, d), MIN(e, f)), zero))) break;
            i += 4 * WIDTH;
            if (BOUNDED && i >= n) return 0;
        }
        for (; room >= WIDTH; room -= WIDTH) {
            const vec x = LOADU(a + i);
            m = STOP(x, LOADU(b + i));
            if (m) goto found;
            i += WIDTH;
            if (BOUNDED && i >= n) return 0;
        }
        if (!room) continue;
        // The rest of the page: the vector that ends with it, of which the beginning is known to be equal.
        if (LIKELY(i + room >= WIDTH)) {
            i -= WIDTH - room;
            const vec x = LOADU(a + i);
            m = STOP(x, LOADU(b + i));
            if (m) goto found;
            i += WIDTH;
        } else {
            for (; room; room--, i++) {
                if (BOUNDED && i >= n) return 0;
                if (a[i] != b[i] || !a[i]) return a[i] - b[i];
            }
        }
    }
found:
    i += CTZ(m);
    if (BOUNDED && i >= n) return 0;
    return a[i] - b[i];
}

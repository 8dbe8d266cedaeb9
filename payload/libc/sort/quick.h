// Sorts any number of elements.  Included once for each kind, with SIZE, an element's bytes, AT(name),
// SWAP(a, b), and SMALL(a, n, room), which sorts up to MOST elements.
#ifndef SIZE
#error "SIZE, AT, MOST and SMALL say what is sorted"
#endif
#define ELEMENT_AT(i) (a + (i) * SIZE)

// How many of the first elements are in order.  If each is greater than the next, they change places, and are.
static __attribute__((noinline)) size_t AT(run)(char *a, size_t n, size_t size, order *f, void *context) {
    (void)size;
    size_t i = 1;
    while (i < n && !AFTER(ELEMENT_AT(i - 1), ELEMENT_AT(i))) i++;
    if (i > 1) return i;
    while (i < n && AFTER(ELEMENT_AT(i - 1), ELEMENT_AT(i))) i++;
    for (size_t k = 0; k < i / 2; k++) SWAP(ELEMENT_AT(k), ELEMENT_AT(i - 1 - k));
    return i;
}

// When partitions are bad again and again.
static COLD void AT(heap)(char *a, size_t n, size_t size, order *f, void *context) {
    (void)size;
    for (size_t turn = n / 2 + n; turn-- > 1;) {
        size_t root = turn - n, end = n;
        if (turn < n) {
            root = 0, end = turn;
            SWAP(a, ELEMENT_AT(end));
        }
        for (size_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end) child += AFTER(ELEMENT_AT(child + 1), ELEMENT_AT(child));
            if (!AFTER(ELEMENT_AT(child), ELEMENT_AT(root))) break;
            SWAP(ELEMENT_AT(root), ELEMENT_AT(child));
        }
    }
}

// The median of three, each of which is that of three in an eighth of its part, where there are enough.
static __attribute__((noinline)) char *AT(median)(char *x, char *y, char *z, size_t n, size_t size, order *f, void *context) {
    if (n >= 8) {
        n /= 8;
        x = AT(median)(x, x + n * 4 * SIZE, x + n * 7 * SIZE, n, size, f, context);
        y = AT(median)(y, y + n * 4 * SIZE, y + n * 7 * SIZE, n, size, f, context);
        z = AT(median)(z, z + n * 4 * SIZE, z + n * 7 * SIZE, n, size, f, context);
    }
    const int xy = AFTER(x, y), xz = AFTER(x, z);
    if (xy != xz) return x;
    return AFTER(y, z) == xy ? y : z;
}

// Brings to the front, behind the first element, those that are less than the first, or not greater if `equal`; how many.
// Where they stand is found for a block at once, and then they change places with others.
static __attribute__((noinline)) size_t AT(partition)(char *a, size_t n, size_t size, int equal, unsigned char *found, order *f, void *context) {
    (void)size;
    char *to = ELEMENT_AT(1);
    char *const end = ELEMENT_AT(n);
    for (char *block = to; block < end; block += BLOCK * SIZE) {
        const size_t left = (end - block) / SIZE, m = left < BLOCK ? left : BLOCK;
        size_t count = 0;
        char *p = block;
        if (equal) {
            for (size_t k = 0; k < m; k++, p += SIZE) {
                found[count] = k;
                count += !AFTER(p, a);
            }
        } else {
            for (size_t k = 0; k < m; k++, p += SIZE) {
                found[count] = k;
                count += AFTER(a, p);
            }
        }
        for (size_t k = 0; k < count; k++, to += SIZE) {
            char *const from = block + found[k] * SIZE;
            if (SIZE <= 8 || from != to) SWAP(to, from);
        }
    }
    return (to - a) / SIZE - 1;
}

// `before`: the element to the left of them, which is not greater than any; NULL if there is none.  `chances`: how many bad
// partitions there may be.
static void AT(quick)(char *a, size_t n, size_t size, char *before, unsigned chances, char *room, order *f, void *context) {
    while (n > MOST) {
        if (!chances) {
            AT(heap)(a, n, size, f, context);
            return;
        }
        const size_t eighth = n / 8;
        char *const pivot = AT(median)(a, ELEMENT_AT(eighth * 4), ELEMENT_AT(eighth * 7), eighth, size, f, context);
        SWAP(a, pivot);
        // All that are equal to the one to the left are in their places at once.
        const int equal = before && !AFTER(a, before);
        const size_t less = AT(partition)(a, n, size, equal, (unsigned char *)room, f, context);
        if (equal) {
            // Of an order there are only a few that are so bad; a comparison that contradicts itself could have each take one away.
            if (less < eighth) chances--;
            before = ELEMENT_AT(less);
            a = before + SIZE;
            n -= less + 1;
            continue;
        }
        char *const middle = ELEMENT_AT(less);
        SWAP(a, middle);
        const size_t more = n - less - 1;
        if (less < eighth || more < eighth) chances--;
        // The smaller part first, and the larger one here: the stack stays small.
        if (less < more) {
            AT(quick)(a, less, size, before, chances, room, f, context);
            before = middle;
            a = middle + SIZE;
            n = more;
        } else {
            AT(quick)(middle + SIZE, more, size, middle, chances, room, f, context);
            n = less;
        }
    }
    if (n < RUN_FROM || AT(run)(a, n, size, f, context) < n) SMALL(a, n, room);
}

static void AT(sort)(char *a, size_t n, size_t size, char *room, order *f, void *context) {
    size_t sorted = 0;
    if (n > MOST) {
        sorted = AT(run)(a, n, size, f, context);
        // An array to whose end a few were added is common: these alone are sorted, and merged with the rest.
        if (n - sorted > n / 8) sorted = 0;
        if (sorted == n) return;
    }
    char *const rest = ELEMENT_AT(sorted);
    AT(quick)(rest, n - sorted, size, NULL, 64 - __builtin_clzll(n), room, f, context);
    if (sorted) merge_in_place(a, sorted, n, size, f, context);
}

#undef ELEMENT_AT
#undef SIZE
#undef AT
#undef MOST
#undef SMALL
#undef SWAP

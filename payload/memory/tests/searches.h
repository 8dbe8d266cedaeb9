// Included by memory.c: parts of all kinds, searched for in text of all kinds.
#pragma once
// A part of one byte again and again, in text where many of it stand together.
static void alike(void) {
    enum { LENGTH = 3000 };
    memset(B, 'a', 200);
    for (int k = 0; k < 200; k++) {
        const size_t size = 60 + next() % 80;
        size_t run = 0, end = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            A[i] = next() % 30 ? 'a' : 'b';
            run = A[i] == 'a' ? run + 1 : 0;
            if (run == size && !end) end = i + 1;
        }
        now_at("memmem", LENGTH, size, (size_t)k);
        MUST(our_memmem(A, LENGTH, B, size) == (end ? A + end - size : NULL));
    }
}

static void parts(void) {
    for (int k = 0; k < (glance ? 800 : (sparse ? 6000 : 60000)); k++) {
        const size_t letters = 1 + next() % 4, length = next() % (k % 50 ? 300 : 5000);
        size_t size = next() % (k % 3 ? 12 : 200);
        char *const text = A + ROOM - length - 1, *const part = B + ROOM - size - 1;
        const size_t period = 1 + next() % 9, odd = k % 5 ? size : size / 2;
        for (size_t i = 0; i < size; i++) part[i] = i < period ? (char)('a' + next() % letters) : part[i - period] ^ (i == odd ? 3 : 0);
        for (size_t i = 0; i < length; i++) text[i] = k % 5 || size <= period ? (char)('a' + next() % letters) : part[i % period];
        // Often one that is there, at times but for one letter; and at times all of the text nearly fits everywhere.
        if (k % 4 && size && size <= length) {
            const size_t at = next() % (length - size + 1);
            memcpy(text + at, part, size);
            if (k % 4 == 3) text[at + next() % size] ^= 3;
        }
        text[length] = part[size] = 0;
        forget(length);
        now_at("strstr", length, size, k);
        const char *const found = part_in(text, length, part, size);
        MUST(our_strstr(text, part) == found);
        MUST(strstr(text, part) == found);
        // Without the ends, against the pages behind.
        memmove(text + 1, text, length);
        memmove(part + 1, part, size);
        now_at("memmem", length, size, k);
        MUST(our_memmem(text + 1, length, part + 1, size) == (found ? found + 1 : NULL));
    }
    // Text that promises at every byte: the time grows with its length, not with its length times the part's.
    enum { LONG = ROOM / 2 };
    for (int k = 0; k < 3; k++) {
        memset(A, 'a', LONG * 2 - 1);
        memset(B, 'a', LONG);
        A[LONG * 2 - 1] = B[LONG] = 0;
        if (k == 0) B[0] = 'b';
        if (k == 1) B[LONG - 1] = 'b';
        if (k == 2) B[LONG / 2] = 'b';
        const clock_t begin = clock();
        now_at("memmem", LONG * 2, LONG, k);
        for (int i = 0; i < 8; i++) MUST(our_memmem(A, LONG * 2 - 1, B, LONG) == NULL);
        now_at("strstr", LONG * 2, LONG, k);
        for (int i = 0; i < 8; i++) MUST(our_strstr(A, B) == NULL);
        MUST(clock() - begin < CLOCKS_PER_SEC);
    }
    alike();
}

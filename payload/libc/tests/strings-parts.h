// Included by strings.c: wcsstr.
#pragma once

static const wchar_t *wide_part_in(const wchar_t *text, const wchar_t *part) {
    const size_t size = wcslen(part), length = wcslen(text);
    for (size_t i = 0; i + size <= length; i++)
        if (!wide_order(text + i, part, size)) return text + i;
    return NULL;
}

static void wide_parts(int count) {
    // The first bytes of one word are the last ones of others: some are found between words.
    static const wchar_t words[] = {0x41414141, 0x41414142, 0x42414141, 0x41424142, 'a', 'b', 0x6100, 0x610000};
    for (int k = 0; k < count; k++) {
        const size_t letters = 1 + next() % 8, length = next() % (k % 50 ? 200 : 3000), size = next() % (k % 3 ? 5 : 40);
        forget(length * 4);
        wchar_t *const text = W(A + ROOM) - length - 1, *const part = W(B + ROOM) - size - 1;
        for (size_t i = 0; i < length; i++) text[i] = words[next() % letters];
        for (size_t i = 0; i < size; i++) part[i] = words[next() % letters];
        if (k % 4 && size && size <= length) memcpy(text + next() % (length - size + 1), part, size * 4);
        text[length] = part[size] = 0;
        now_at("wcsstr", length, size, (size_t)k);
        MUST(our_wcsstr(text, part) == wide_part_in(text, part));
        MUST(our_wcsstr(text, part) == wcsstr(text, part));
    }
}

static unsigned long memmem_calls;

// In place of the archive's own, which has tests of its own: counts.
void *brawn_memmem(const void *text, size_t length, const void *part, size_t size) {
    memmem_calls++;
    return memmem(text, length, part, size);
}

// Text in which the part's bytes are found between all words: each new search could look at all of a long part again.
static void often_between(void) {
    enum { WORDS = 20000 };
    static wchar_t text[WORDS + 1], part[WORDS / 2 + 1];
    for (size_t i = 0; i < WORDS; i++) text[i] = i < 8 ? (i % 2 ? 'x' : 0x6100) : 'a';
    for (size_t size = 2; size <= WORDS / 2; size *= 5) {
        for (size_t i = 0; i < size; i++) part[i] = 0x6100;
        part[size] = 0;
        now_at("wcsstr", WORDS, size, 0);
        memmem_calls = 0;
        MUST(our_wcsstr(text, part) == NULL && memmem_calls < 40);
        memcpy(text + WORDS - size, part, size * 4);
        MUST(our_wcsstr(text, part) == text + WORDS - size && memmem_calls < 80);
        for (size_t i = WORDS - size; i < WORDS; i++) text[i] = 'a';
    }
}

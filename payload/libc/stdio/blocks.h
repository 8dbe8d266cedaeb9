// A floating-point number's digits, exactly, by arithmetic in blocks of nine of them.
#pragma once
#include "sink.h"

__extension__ typedef unsigned __int128 Wide;

// Digits, the first one not zero, with zeros behind them: as text, or as blocks.
typedef struct {
    const char *text;
    const uint32_t *blocks;
    // How many digits of the first block count.
    int lead;
    int count;
    // Of ten, of the first digit.  A number without digits is 0, and its exponent, too.
    int exponent;
} Digits;

// What is left behind the digits that stay, against half of the last one.
enum { NOTHING,
    BELOW,
    HALF,
    ABOVE,
    UNSURE };

// Whether to round away from zero, as the processor would in its mode; like musl's, it raises what an inexact result
// raises.
static int goes_up(int rest, int odd, int negative) {
    if (rest == NOTHING) return 0;
    // From 2^53 on, 1 is half of the last bit.
    double number = odd ? 0x1p53 + 2 : 0x1p53, more = rest == BELOW ? 0.5 : (rest == HALF ? 1 : 1.5);
    if (negative) number = -number, more = -more;
#ifdef __x86_64__
    __asm__ volatile("" : "+x"(number));
    double sum = number + more;
    __asm__ volatile("" : "+x"(sum));
#elif defined(__aarch64__)
    __asm__ volatile("" : "+w"(number));
    double sum = number + more;
    __asm__ volatile("" : "+w"(sum));
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    return sum != number;
}

static const uint64_t TENS[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};
enum {
    FAST = 18,
    BILLION = 1000000000,
    IN_BLOCK = 9,
};

// What the numbers of a type take: words of 32 bits, blocks of nine digits.
enum {
    WORDS = 36,
    BLOCKS = 96,
    LONG_WORDS = 520,
    LONG_BLOCKS = 1300,
};

typedef struct {
    // The first block is left free for a carry; `point` of them, which may be less than none, are in front of the
    // point.
    uint32_t *blocks, *words;
    int count, point;
    // Whether anything but zeros is behind.
    int more;
} Big;

// The digits of words[0 ... n - 1] * 2^(32 * n), the lowest word first, into blocks that end at `end`; returns where.
static uint32_t *whole(uint32_t *words, int n, uint32_t *end) {
    while (n) {
        uint64_t rest = 0;
        for (int i = n - 1; i >= 0; i--) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / BILLION);
            rest %= BILLION;
        }
        *--end = (uint32_t)rest;
        while (n && !words[n - 1]) n--;
    }
    return end;
}

// Puts a number of 128 bits where bit `at` of the words begins; returns how many words there are.
static int placed(uint32_t *words, Wide number, int at) {
    const int first = at / 32, shift = at % 32;
    for (int i = 0; i < first; i++) words[i] = 0;
    uint32_t left = 0;
    for (int i = first; i < first + 5; i++) {
        const uint64_t part = (uint64_t)(uint32_t)number << shift | left;
        words[i] = (uint32_t)part;
        left = (uint32_t)(part >> 32);
        number >>= 32;
    }
    int n = first + 5;
    while (n && !words[n - 1]) n--;
    return n;
}

// The number's blocks: those in front of the point, and of the others as many as `places` behind it or, if that is
// less than 0, `keep` digits need, and another.
static void blocks_of(const Real *real, int keep, int places, int room, Big *big) {
    const Wide number = (Wide)real->high << 64 | real->low;
    const int below = -real->exponent;
    uint32_t *const blocks = big->blocks, *const words = big->words;
    big->count = 1;
    big->more = 0;
    blocks[0] = 0;
    const Wide integer = below >= 128 ? 0 : (below > 0 ? number >> below : number);
    if (integer) {
        const int n = placed(words, integer, below < 0 ? -below : 0);
        const uint32_t *from = whole(words, n, blocks + room), *const end = blocks + room;
        while (from < end) blocks[big->count++] = *from++;
    }
    big->point = big->count;
    if (below <= 0) return;
    // The fraction, aligned to the point: each step brings nine digits out in front.
    const int n = (below + 31) / 32;
    const Wide fraction = below >= 128 ? number : number & (((Wide)1 << below) - 1);
    for (int i = 0; i < n + 5; i++) words[i] = 0;
    placed(words, fraction, 32 * n - below);
    int low = 0, found = big->count > 1;
    for (int step = 0;; step++) {
        while (low < n && !words[low]) low++;
        if (low == n) return;
        const int digits = IN_BLOCK * (big->count - 2);
        if (places >= 0 ? step > places / IN_BLOCK : found && digits > keep) break;
        uint64_t carry = 0;
        for (int i = low; i < n; i++) {
            carry += (uint64_t)words[i] * BILLION;
            words[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (!found && !carry) {
            big->point--;
            continue;
        }
        found = 1;
        blocks[big->count++] = (uint32_t)carry;
    }
    big->more = 1;
}

static int length_of(uint32_t block) {
    int n = 0;
    for (; block; block /= 10) n++;
    return n;
}

// Rounds to `keep` digits or to `places`, and says what is there.
static void rounded(const Real *real, int keep, int places, Big *big, Digits *digits) {
    uint32_t *const blocks = big->blocks;
    int first = 0;
    while (first < big->count && !blocks[first]) first++;
    const int lead = first < big->count ? length_of(blocks[first]) : 0;
    // How many digits of which block stay.
    const int64_t stay = places >= 0 ? (int64_t)IN_BLOCK * big->point + places
                                     : (int64_t)IN_BLOCK * (first + 1) - lead + keep;
    if (first == big->count || stay < IN_BLOCK * (int64_t)first) {
        // Nothing but zeros, or something small behind them.
        const int rest = first < big->count || big->more ? BELOW : NOTHING;
        const int up = goes_up(rest, 0, real->negative);
        // The one digit that there may be: 10^-places.
        digits->blocks = blocks;
        blocks[0] = 1;
        digits->lead = 1;
        digits->count = up;
        digits->exponent = up ? -places : 0;
        return;
    }
    if (stay < (int64_t)IN_BLOCK * big->count) {
        int at = (int)(stay / IN_BLOCK);
        const uint32_t unit = (uint32_t)TENS[IN_BLOCK - stay % IN_BLOCK], half = unit / 2, left = blocks[at] % unit;
        int more = big->more;
        for (int i = at + 1; i < big->count; i++) more |= blocks[i] != 0;
        const int rest = left > half ? ABOVE : (left == half ? (more ? ABOVE : HALF) : (left || more ? BELOW : NOTHING));
        const int odd = unit == BILLION ? at && blocks[at - 1] & 1 : blocks[at] / unit & 1;
        blocks[at] -= left;
        big->count = at + 1;
        if (goes_up(rest, odd, real->negative)) {
            blocks[at] += unit;
            for (; blocks[at] >= BILLION; at--) {
                blocks[at] -= BILLION;
                blocks[at - 1]++;
            }
        }
        first = 0;
        while (first < big->count && !blocks[first]) first++;
    }
    digits->blocks = blocks + first;
    digits->lead = first < big->count ? length_of(blocks[first]) : 0;
    digits->count = first < big->count ? digits->lead + IN_BLOCK * (big->count - 1 - first) : 0;
    digits->exponent = first < big->count ? IN_BLOCK * (big->point - 1 - first) + digits->lead - 1 : 0;
}

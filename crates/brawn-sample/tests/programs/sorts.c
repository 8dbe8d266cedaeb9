/* Sorts words by a part that each comparison looks for; `other` has some of the time without a sort. */
#include "turns.h"
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000 };

static char words[COUNT][64];

static int compare(const void *a, const void *b) {
    return strcmp(strrchr(a, ' '), strrchr(b, ' '));
}

static __attribute__((noinline)) unsigned long other(void) {
    unsigned long sum = 0;
    for (unsigned long i = 0; goes_on(); i++) sum = sum * 31 + i;
    return sum;
}

int main(void) {
    begin(800);
    while (goes_on()) {
        for (int i = 0; i < COUNT; i++) {
            memset(words[i], 'a', 40);
            for (int at = 40; at < 48; at++) words[i][at] = (char)('a' + rand() % 26);
            words[i][30] = ' ';
            words[i][48] = 0;
        }
        qsort(words, COUNT, sizeof *words, compare);
    }
    begin(200);
    return other() == 1;
}

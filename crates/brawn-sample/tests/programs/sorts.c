/* Sorts words by a part that each comparison looks for; `other` does as much with no sort. */
#include <stdlib.h>
#include <string.h>

enum { COUNT = 30000 };

static char words[COUNT][64];

static int compare(const void *a, const void *b) {
    return strcmp(strrchr(a, ' '), strrchr(b, ' '));
}

static __attribute__((noinline)) unsigned long other(void) {
    unsigned long sum = 0;
    for (volatile long i = 0; i < 30000000; i++) sum = sum * 31 + (unsigned long)i;
    return sum;
}

int main(void) {
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < COUNT; i++) {
            memset(words[i], 'a', 40);
            for (int at = 40; at < 48; at++) words[i][at] = (char)('a' + rand() % 26);
            words[i][30] = ' ';
            words[i][48] = 0;
        }
        qsort(words, COUNT, sizeof *words, compare);
    }
    return other() == 1;
}

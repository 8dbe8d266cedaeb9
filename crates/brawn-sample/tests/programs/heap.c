// Most of its time is in malloc and free.
#include "turns.h"
#include <stdlib.h>

int main(void) {
    static void *kept[256];
    unsigned number = 1;
    begin(500);
    while (goes_on()) {
        number = number * 1664525 + 1013904223;
        unsigned at = number >> 24;
        free(kept[at]);
        kept[at] = malloc(16 + (number >> 10) % 500);
    }
    return 0;
}

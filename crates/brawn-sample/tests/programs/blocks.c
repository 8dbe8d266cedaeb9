/* Takes, fills and gives back a block of LENGTH bytes again and again. */
#include "turns.h"
#include <stdlib.h>
#include <string.h>

#ifndef LENGTH
#define LENGTH (1 << 20)
#endif

int main(void) {
    void *volatile block;
    begin(1000);
    while (goes_on()) {
        block = malloc(LENGTH);
        if (block) memset(block, 1, LENGTH);
        free(block);
    }
    return 0;
}

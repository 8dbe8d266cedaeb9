/* Takes, fills and gives back a block of LENGTH bytes again and again. */
#include <stdlib.h>
#include <string.h>

#ifndef LENGTH
#define LENGTH (1 << 20)
#endif

int main(void) {
    void *volatile block;
    for (long i = 0; i < (4L << 30) / LENGTH; i++) {
        block = malloc(LENGTH);
        if (block) memset(block, 1, LENGTH);
        free(block);
    }
    return 0;
}

// Does `free(strdup("test"))` cross from one heap into another?  Prints the block's size as the heap in charge of
// `malloc_usable_size` says it, whether the block lies among those that `malloc` gives, and whether, once freed, it
// comes out of `malloc` again.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 10000,
    FAR = 1 << 16,
};

static void *blocks[BLOCKS];

int main(void) {
    // Not the compiler's business what these do.
    char *(*volatile copy)(const char *) = strdup;
    void *(*volatile get)(size_t) = malloc;
    void (*volatile give)(void *) = free;
    for (int n = 0; n < BLOCKS; n++) blocks[n] = get(5);
    for (int n = 0; n < BLOCKS; n += 2) give(blocks[n]);
    char *block = copy("test");
    const uintptr_t place = (uintptr_t)block;
    const size_t size = malloc_usable_size(block);
    int is_near = 0, is_out_again = 0;
    for (int n = 1; n < BLOCKS; n += 2) is_near |= place - (uintptr_t)blocks[n] + FAR < 2 * FAR;
    give(block);
    for (int n = 0; n < 10 * BLOCKS && !is_out_again; n++) is_out_again = (uintptr_t)get(5) == place;
    printf("usable %zu, %s, %s\n", size, is_near ? "among malloc's" : "elsewhere", is_out_again ? "out again" : "lost");
}

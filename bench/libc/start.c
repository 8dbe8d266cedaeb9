/* start: a program that begins, calls malloc, strdup, printf and memcpy, and ends.  Its life is what is measured. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *name = strdup(argv[0]), *block = malloc(100);
    memcpy(block, name, strlen(name) < 99 ? strlen(name) + 1 : 99);
    printf("%d %s\n", argc, block[0] ? "words" : "");
    free(block);
    free(name);
    return 0;
}

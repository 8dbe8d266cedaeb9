#include <stdlib.h>
#include <string.h>
extern char code[], data[];
static char large[BSS];
int main(int argc, char **argv) {
    char *p = malloc(100 * argc);
    strcpy(p, argv[0]);
    large[argc] = p[0];
    return code[argc] + data[argc] + large[argc] == 0;
}

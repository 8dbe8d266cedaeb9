/* Reads whole numbers, and no others. */
#include <stdlib.h>

int main(void) {
    unsigned long sum = 0;
    const char *volatile text = "1234567";
    for (long i = 0; i < 20000000; i++) sum += strtoul(text, 0, 10);
    return sum == 1;
}

/* Reads whole numbers, and no others. */
#include "turns.h"
#include <stdlib.h>

int main(void) {
    unsigned long sum = 0;
    const char *volatile text = "1234567";
    begin(500);
    while (goes_on()) sum += strtoul(text, 0, 10);
    return sum == 1;
}

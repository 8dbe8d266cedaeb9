// Most of its time is in its own code.
#include "turns.h"
#include <stdlib.h>

volatile unsigned long result;

int main(void) {
    unsigned long number = 1;
    begin(500);
    while (goes_on()) number = number * 6364136223846793005ul + 1442695040888963407ul;
    result = number;
    free(malloc(10));
    return 7;
}

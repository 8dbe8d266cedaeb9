// Most of its time is in memcmp.
#include <string.h>

static char one[4096], other[4096];
volatile int result;

int main(void) {
    for (int i = 0; i < 250000; i++) {
        one[i % 4096] = other[i % 4096] = (char)i;
        result += memcmp(one, other, sizeof one);
    }
    return 0;
}

/* Reads a month's name again and again: strptime asks nl_langinfo_l for each month, and strtod reads a number.  Without
 * uselocale, `brawn rewrite` leaves nl_langinfo_l as it is. */
#define _GNU_SOURCE
#include "turns.h"
#include <stdlib.h>
#include <time.h>

int main(void) {
    volatile double sum = 0;
    begin(500);
    while (goes_on()) {
        struct tm time;
        if (!strptime("14/December/2031", "%d/%B/%Y", &time))
            return 1;
        for (int j = 0; j < 4; j++)
            sum += strtod("12345.678901234567e-12", NULL);
    }
    return 0;
}

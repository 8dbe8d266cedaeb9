// sprintf, as vsprintf.
#include "sink.h"

HIDDEN int brawn_sprintf(char *restrict s, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = brawn_vsnprintf(s, MOST, format, arguments);
    va_end(arguments);
    return result;
}
NAME(sprintf, brawn_sprintf)

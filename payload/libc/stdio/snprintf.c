// snprintf, as vsnprintf.
#include "sink.h"

HIDDEN int brawn_snprintf(char *restrict s, size_t size, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = brawn_vsnprintf(s, size, format, arguments);
    va_end(arguments);
    return result;
}
NAME(snprintf, brawn_snprintf)

// asprintf, as vasprintf.
#include "sink.h"

HIDDEN int brawn_vasprintf(char **to, const char *format, va_list arguments);

HIDDEN int brawn_asprintf(char **to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = brawn_vasprintf(to, format, arguments);
    va_end(arguments);
    return result;
}
NAME(asprintf, brawn_asprintf)

// fprintf, as vfprintf.
#include "sink.h"
#include "stream.h"

HIDDEN int brawn_vfprintf(stream *restrict f, const char *restrict format, va_list arguments);

HIDDEN int brawn_fprintf(stream *restrict f, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = brawn_vfprintf(f, format, arguments);
    va_end(arguments);
    return result;
}
NAME(fprintf, brawn_fprintf)

// printf, as vprintf.
#include "sink.h"
#include "stream.h"

HIDDEN int brawn_vfprintf(stream *restrict f, const char *restrict format, va_list arguments);
extern HIDDEN stream __stdout_FILE;

HIDDEN int brawn_printf(const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = brawn_vfprintf(&__stdout_FILE, format, arguments);
    va_end(arguments);
    return result;
}
NAME(printf, brawn_printf)

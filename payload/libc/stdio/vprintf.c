// vprintf, as vfprintf.
#include "sink.h"
#include "stream.h"

HIDDEN int brawn_vfprintf(stream *restrict f, const char *restrict format, va_list arguments);
extern HIDDEN stream __stdout_FILE;

HIDDEN int brawn_vprintf(const char *restrict format, va_list arguments) {
    return brawn_vfprintf(&__stdout_FILE, format, arguments);
}
NAME(vprintf, brawn_vprintf)

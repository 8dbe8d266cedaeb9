// sscanf: vsscanf with its arguments in the call.
#include "../libc.h"

HIDDEN int brawn_vsscanf(const char *restrict s, const char *restrict format, __builtin_va_list arguments);

HIDDEN int brawn_sscanf(const char *restrict s, const char *restrict format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int result = brawn_vsscanf(s, format, arguments);
    __builtin_va_end(arguments);
    return result;
}
NAME(sscanf, brawn_sscanf)
NAME(__isoc99_sscanf, brawn_sscanf)

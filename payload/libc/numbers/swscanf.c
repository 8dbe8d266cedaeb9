// swscanf: vswscanf with its arguments in the call.
#include "../libc.h"

HIDDEN int brawn_vswscanf(const wchar_t *restrict s, const wchar_t *restrict format, __builtin_va_list arguments);

HIDDEN int brawn_swscanf(const wchar_t *restrict s, const wchar_t *restrict format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int result = brawn_vswscanf(s, format, arguments);
    __builtin_va_end(arguments);
    return result;
}
NAME(swscanf, brawn_swscanf)
NAME(__isoc99_swscanf, brawn_swscanf)

// vsprintf, as vsnprintf into as much as an int counts.
#include "sink.h"

HIDDEN int brawn_vsprintf(char *restrict s, const char *restrict format, va_list arguments) {
    return brawn_vsnprintf(s, MOST, format, arguments);
}
NAME(vsprintf, brawn_vsprintf)

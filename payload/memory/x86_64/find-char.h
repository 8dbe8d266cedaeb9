// strchrnul, and with or_null strchr: where c is first, or else the end or NULL.
#pragma once
#include "memory.h"

HIDDEN char *brawn_find_char_sse2(const char *s, int c, int or_null);
HIDDEN char *brawn_find_char_avx2(const char *s, int c, int or_null);
HIDDEN char *brawn_find_char_avx512(const char *s, int c, int or_null);

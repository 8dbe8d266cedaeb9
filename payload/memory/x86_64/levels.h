// Includes SOURCE once for each level, with WIDTH and what vector.h makes of it.  SOURCE writes its variant as
// AT(name), which becomes name_sse2, name_avx2 and name_avx512.
#include "memory.h"
#define WIDTH 16
#include "vector.h"
#include SOURCE
#undef WIDTH
#define WIDTH 32
#include "vector.h"
#include SOURCE
#undef WIDTH
#define WIDTH 64
#include "vector.h"
#include SOURCE

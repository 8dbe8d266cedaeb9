#include "strings.h"

// Since musl 0.5 (src/env/__environ.c).
extern char **__environ;

// The first eight bytes of a name with its '=', and which of them count.
typedef struct {
    uint64_t bytes, mask;
} Beginning;

static __attribute__((noinline)) Beginning beginning_of(const char *name, size_t length) {
    if (length >= 8) return (Beginning){GET64(name), UINT64_MAX};
    uint64_t bytes = '=';
    for (size_t i = length; i--;) bytes = bytes << 8 | (unsigned char)name[i];
    return (Beginning){bytes, UINT64_MAX >> (56 - 8 * length)};
}

HIDDEN char *brawn_getenv(const char *name) {
    const size_t length = (size_t)(brawn_strchrnul(name, '=') - name);
    if (!length || name[length] || !__environ) return NULL;
    const char one = name[0], *e;
    Beginning beginning = {0, 0};
    // Most differ in the first byte, and are looked at four at a time.
    for (char **p = __environ;; p++) {
        for (;; p += 4) {
            if (!(e = p[0])) return NULL;
            if (UNLIKELY(*e == one)) break;
            if (!(e = p[1])) return NULL;
            if (UNLIKELY(*e == one) && (p += 1)) break;
            if (!(e = p[2])) return NULL;
            if (UNLIKELY(*e == one) && (p += 2)) break;
            if (!(e = p[3])) return NULL;
            if (UNLIKELY(*e == one) && (p += 3)) break;
        }
        if (!beginning.mask) beginning = beginning_of(name, length);
        if (LIKELY(FITS_IN(e, 8))) {
            if ((GET64(e) ^ beginning.bytes) & beginning.mask) continue;
            if (length < 8) return (char *)e + length + 1;
        }
        if (!brawn_strncmp(e, name, length) && e[length] == '=') return (char *)e + length + 1;
    }
}
NAME(getenv, brawn_getenv)

#include "strings.h"

// Since musl 0.5 (src/env/__environ.c).
extern char **__environ;

HIDDEN char *brawn_getenv(const char *name) {
    const size_t length = (size_t)(brawn_strchrnul(name, '=') - name);
    if (!length || name[length] || !__environ) return NULL;
    // Most differ in the first two bytes, of which the second is read only where the first is not the end.
    const char one = name[0], two = length > 1 ? name[1] : '=';
    for (char **p = __environ; *p; p++) {
        const char *const e = *p;
        if (e[0] != one || e[1] != two) continue;
        if (length == 1) return (char *)e + 2;
        if (length > 2 && brawn_strncmp(e + 2, name + 2, length - 2)) continue;
        if (e[length] == '=') return (char *)e + length + 1;
    }
    return NULL;
}
NAME(getenv, brawn_getenv)

// Functions that copy into memory from `malloc`. A libc.a lacks them if their members were removed when another heap
// was put in.  They call malloc by its public name, so that a program's own is used, and leave errno as malloc sets it.
//
// Each object has one function; the build script chooses it (BRAWN_SUPPLY_<name>).
#include <stddef.h>

void *malloc(size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
size_t wcslen(const wchar_t *text);

#define SUPPLIED __attribute__((weak, visibility("default")))

#if BRAWN_SUPPLY_strdup
SUPPLIED char *strdup(const char *text) {
    const size_t size = strlen(text) + 1;
    char *const copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}
#endif

#if BRAWN_SUPPLY_strndup
SUPPLIED char *strndup(const char *text, size_t most) {
    const size_t length = strnlen(text, most);
    char *const copy = malloc(length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}
#endif

#if BRAWN_SUPPLY_wcsdup
SUPPLIED wchar_t *wcsdup(const wchar_t *text) {
    const size_t size = (wcslen(text) + 1) * sizeof(wchar_t);
    wchar_t *const copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}
#endif

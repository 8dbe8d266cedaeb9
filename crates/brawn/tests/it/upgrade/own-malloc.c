// A program with a malloc of its own: what is supplied uses it, and passes on its failures.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static _Alignas(16) char pool[1 << 16];
static size_t at;
static volatile size_t asked;
static volatile int fails;

void *malloc(size_t size) {
    asked = size;
    if (fails) {
        errno = ENOMEM;
        return NULL;
    }
    char *block = pool + at;
    at += (size + 15) & ~(size_t)15;
    return at <= sizeof pool ? block : NULL;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size) {
    void *new = malloc(size);
    if (block && new) memcpy(new, block, size);
    return new;
}

int main(void) {
    char *copy = strdup("four");
    if (copy < pool || copy >= pool + sizeof pool || asked != 5 || strcmp(copy, "four")) return 1;
    copy = strndup("four", 3);
    if (copy < pool || copy >= pool + sizeof pool || asked != 4 || strcmp(copy, "fou")) return 2;
    wchar_t *wide = wcsdup(L"four");
    if ((char *)wide < pool || asked != 5 * sizeof(wchar_t) || wcscmp(wide, L"four")) return 3;
    fails = 1;
    errno = 0;
    if (strdup("x") || errno != ENOMEM) return 4;
    errno = 0;
    if (strndup("x", 1) || errno != ENOMEM) return 5;
    errno = 0;
    if (wcsdup(L"x") || errno != ENOMEM) return 6;
    return 0;
}

/* The names by which musl's own functions call its heap, for a heap that does not define them: without these, getaddrinfo,
 * locales and the like would bring musl's heap into the program besides the peer's. */
#include <stdlib.h>

void *__libc_malloc(size_t size) { return malloc(size); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__libc_realloc(void *block, size_t size) { return realloc(block, size); }
void __libc_free(void *block) { free(block); }

#include <stdlib.h>
#include <string.h>

/* What C allocates, and Rust frees. */
char *own_copy(const char *text) { return strdup(text); }

/* What Rust allocated, and C frees. */
void own_free(void *block) { free(block); }

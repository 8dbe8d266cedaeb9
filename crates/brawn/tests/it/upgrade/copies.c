// strdup, strndup and wcsdup, with the heap that the archive has.  AS_MIMALLOC leaves out what mimalloc 2.2.4 does
// otherwise, as an SDK has it: it brings no wcsdup, and its strndup reads a byte too many.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define CHECK(what)                                   \
    do {                                              \
        if (!(what)) {                                \
            printf("line %d: %s\n", __LINE__, #what); \
            exit(1);                                  \
        }                                             \
    } while (0)

int main(void) {
    char *volatile block = malloc(100000);
    CHECK(block);
    memset(block, 'x', 99999);
    block[99999] = 0;

    char *copy = strdup(block);
    CHECK(copy && copy != block && strlen(copy) == 99999 && strcmp(copy, block) == 0);
    free(copy);
    CHECK((copy = strdup("")) && *copy == 0);
    free(copy);

    // Shorter, as long, longer; and a text that no NUL ends before memory does.
    for (size_t most = 0; most < 8; most++) {
        copy = strndup("four", most);
        CHECK(copy && strlen(copy) == (most < 4 ? most : 4) && strncmp(copy, "four", most) == 0);
        free(copy);
    }
#if !AS_MIMALLOC
    long page = sysconf(_SC_PAGESIZE);
    char *end = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(end != MAP_FAILED);
    CHECK(mprotect(end + page, page, PROT_NONE) == 0);
    end += page;
    memcpy(end - 3, "abc", 3);
    CHECK((copy = strndup(end - 3, 3)) && strcmp(copy, "abc") == 0);
    free(copy);
#endif
    CHECK((copy = strndup(block, SIZE_MAX)) && strlen(copy) == 99999);
    free(copy);

#if !AS_MIMALLOC
    wchar_t *wide = wcsdup(L"w\u00efde \U0001F600");
    CHECK(wide && wcscmp(wide, L"w\u00efde \U0001F600") == 0);
    free(wide);
    CHECK((wide = wcsdup(L"")) && *wide == 0);
    free(wide);
#endif

    // What musl itself copies comes from the same heap.
    char *volatile name = getcwd(NULL, 0);
    CHECK(name);
    free(name);
    CHECK(setenv("A", block, 1) == 0 && strcmp(getenv("A"), block) == 0);
    void *aligned;
    CHECK(posix_memalign(&aligned, 4096, 1) == 0 && (uintptr_t)aligned % 4096 == 0);
    free(aligned);
    free(block);
    puts("copies are right");
    return 0;
}

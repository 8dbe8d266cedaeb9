// Allocates through libc and by itself, on several threads, and says whether everything was as it should be.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void *work(void *seed) {
    static _Thread_local unsigned random;
    random = (unsigned)(size_t)seed;
    char *held[64] = {0};
    for (int round = 0; round < 5000; round++) {
        random = random * 1664525 + 1013904223;
        char **slot = &held[random >> 26];
        const size_t size = random >> 8 & 4095;
        *slot = realloc(*slot, size + 1);
        if (!*slot) return (void *)1;
        memset(*slot, round, size + 1);
        if (round % 3 == 0) {
            free(*slot);
            *slot = NULL;
        }
    }
    for (int n = 0; n < 64; n++) free(held[n]);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    for (size_t n = 0; n < 4; n++)
        if (pthread_create(&threads[n], NULL, work, (void *)(n + argc))) return 1;
    for (int n = 0; n < 4; n++) {
        void *failed;
        if (pthread_join(threads[n], &failed) || failed) return 2;
    }
    char *copy = strdup(argv[0]), *start = strndup(argv[0], 3), *line = NULL;
    wchar_t *wide = wcsdup(L"wide");
    if (!copy || !start || !wide || strlen(start) != 3 || wcslen(wide) != 4) return 3;
    if (setenv("SWIFT", copy, 1) || strcmp(getenv("SWIFT"), copy)) return 4;
    if (asprintf(&line, "%s %ls %d", start, wide, argc) < 0) return 5;
    puts(line + 4);
    free(copy);
    free(start);
    free(wide);
    free(line);
    return 0;
}

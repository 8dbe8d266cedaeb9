//# states: a program that brings the whole malloc family as an object links, and libc uses its heap
//# own-heap
//# object: own/family.c
//# link: static static-pie lld lld-pie gc gc-lld lto-gcc lto-clang line line-lld zig
#include "check.h"
#include "own/pool.h"
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>

static void *thread(void *unused) {
    char *p = malloc(100), *q = strdup("x");
    CHECK(in_pool(p) && in_pool(q), "%p %p", (void *)p, (void *)q);
    free(p);
    free(q);
    return unused;
}
#define OWN(call)                                      \
    do {                                               \
        void *own = (call);                            \
        CHECK(in_pool(own), "%s gave %p", #call, own); \
        free(own);                                     \
    } while (0)

int main(void) {
    OWN(malloc(10));
    OWN(calloc(10, 10));
    OWN(realloc(NULL, 10));
    OWN(realloc(malloc(10), 20000));
    OWN(strdup("text"));
    OWN(strndup("text", 2));
    OWN(getcwd(NULL, 0));
    OWN(realpath("/", NULL));
#ifndef ONLY_BASICS
    OWN(reallocarray(NULL, 3, 4));
    OWN(aligned_alloc(64, 10));
    OWN(memalign(64, 10));
    OWN(valloc(10));
    void *p = NULL;
    CHECK_SAME(posix_memalign(&p, 64, 10), 0);
    CHECK_SAME(malloc_usable_size(p), 10);
    OWN(p);
#else
    /* Not the program's, and what libc's heap gives is libc's: but it is there, and aligned. */
    void *p = aligned_alloc(4096, 10), *q = memalign(64, 10), *r = NULL;
    CHECK(p && (uintptr_t)p % 4096 == 0, "%p", p);
    CHECK(q && (uintptr_t)q % 64 == 0, "%p", q);
    CHECK_SAME(posix_memalign(&r, 256, 100), 0);
    CHECK(!in_pool(p) && !in_pool(q) && !in_pool(r), "%p %p %p", p, q, r);
    memset(p, 1, 10);
    memset(r, 1, 100);
    OWN(reallocarray(NULL, 3, 4));
#endif
    char *line = NULL, *text = NULL;
    size_t length = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    NEED(f && getline(&line, &length, f) > 0);
    OWN(line);
    fclose(f);
    CHECK_SAME(asprintf(&text, "%s", "text"), 4);
    OWN(text);
    NEED(f = open_memstream(&text, &length));
    fprintf(f, "text");
    fclose(f);
    OWN(text);
    DIR *d = opendir("/");
    CHECK(in_pool(d), "%p", (void *)d);
    closedir(d);
    CHECK_SAME(setenv("name", "value", 1), 0);
    CHECK(in_pool(getenv("name")), "%p", (void *)getenv("name"));
    pthread_t id;
    NEED(!pthread_create(&id, NULL, thread, NULL));
    pthread_join(id, NULL);
    pid_t pid = fork();
    if (pid == 0) OWN(malloc(10));
    CHECK_SAME(pool_foreign, 0);
    if (pid == 0) _exit(check_result());
    return check_result();
}

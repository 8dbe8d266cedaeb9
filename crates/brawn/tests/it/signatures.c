#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <pthread.h>
#include <unistd.h>
#include <malloc.h>
#include <errno.h>
#include <sys/wait.h>
#include <stdint.h>
static void *run(void *x) {
    char *p = malloc(100);
    memset(p, 1, 100);
    free(p);
    return x;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    void *p = calloc(argc, 10);
    p = realloc(p, 1000);
    void *q = 0;
    posix_memalign(&q, 64, 100);
    free(q);
    q = aligned_alloc(64, 128);
    free(q);
    q = memalign(64, 3);
    printf("%zu\n", malloc_usable_size(q));
    free(q);
    q = valloc(5);
    free(q);
    q = reallocarray(0, 3, 4);
    free(q);
    char b[100];
    strcpy(b, argv[0]);
    strcat(b, "x");
    printf("%s %zu %d %p %p\n", b, strlen(b), memcmp(b, argv[0], 3), strchr(b, 'x'), memchr(b, 'y', 5));
    strncpy(b, argv[0], 5);
    printf("%d %d %p %p %zu\n", strcmp(b, argv[0]), strncmp(b, argv[0], 3), strstr(b, "foo"), memmem(b, 10, "x", 1), strnlen(b, 10));
    memmove(b, b + 1, 10);
    char *d = strdup(b);
    free(d);
    strlcpy(b, "x", 3);
    strlcat(b, "y", 5);
    stpcpy(b, "x");
    stpncpy(b, "x", 3);
    strrchr(b, 3);
    memrchr(b, 3, 3);
    strchrnul(b, 4);
    memccpy(b, b + 3, 4, 5);
    mempcpy(b, b + 2, 1);
    strncat(b, "x", 1);
    bcmp(b, "x", 1);
    if (!fork()) _exit(0);
    wait(0);
    free(p);
    FILE *f = fopen("/dev/null", "r");
    fclose(f);
    errno = 3;
    return errno - 3;
}

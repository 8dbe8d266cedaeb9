/* How much can be held under a limit: rlimit SIZE [MEGABYTES]
 *
 * Sets RLIMIT_AS to 64 MiB, allocates blocks of SIZE bytes until malloc gives NULL, writing the
 * first word of each, and reports the bytes that are held then. */
#include "workload.h"

#include <errno.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
    size_t size = (size_t)argument(argc, argv, 1, 1024);
    size_t limit = (size_t)argument(argc, argv, 2, 64) << 20;
    if (size < sizeof(void *)) return 2;
    struct rlimit r = {limit, limit};
    if (setrlimit(RLIMIT_AS, &r)) return 4;
    void **last = 0;
    unsigned long long blocks = 0;
    errno = 0;
    for (;;) {
        void **p = malloc(size);
        if (!p) break;
        *p = last;
        last = p;
        blocks++;
    }
    int error = errno;
    /* printf may want a buffer: some blocks are given back first. */
    for (unsigned long long bytes = 0; last && bytes < 1u << 20; bytes += size) {
        void **p = last;
        last = *p;
        free(p);
    }
    printf("result held_bytes=%llu blocks=%llu enomem=%d\n", blocks * size, blocks,
        error == ENOMEM);
    return 0;
}

//# states: the memory of a thread that allocates little is kept from huge pages, which a kernel may make unasked, now or much later
//# libc: brawn
//# case: of_threads
//# not-covered: qemu/*/of_threads: the emulator does not pass this request on
#include "check.h"
#include <pthread.h>

enum { THREADS = 4 };

/* The flags of the mapping that `p` is in, as in "rd wr mr mw me nr nh"; "": there are none. */
static const char *flags_of(const void *p) {
    static char line[1 << 12];
    FILE *file = fopen("/proc/self/smaps", "r");
    int inside = 0;
    NEED(file != NULL);
    while (fgets(line, sizeof line, file)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) inside = (unsigned long)p >= from && (unsigned long)p < to;
        if (!inside || strncmp(line, "VmFlags:", 8) != 0) continue;
        fclose(file);
        return line;
    }
    fclose(file);
    return "";
}
static void *little(void *unused) {
    char *block = malloc(200);
    (void)unused;
    NEED(block);
    return memset(block, 1, 200);
}
static void of_threads(void) {
    /* A kernel without huge pages has no such flag. */
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0) return;
    /* The process' first segment is opened piece by piece, and so has no place of 2 MiB in any case: here, the first thread's. */
    NEED(hidden(malloc(100)));
    for (int i = 0; i < THREADS; i++) {
        pthread_t id;
        void *block;
        NEED(!pthread_create(&id, NULL, little, NULL));
        NEED(!pthread_join(id, &block));
        CHECK(strstr(flags_of(block), " nh"), "thread %d: %s", i, flags_of(block));
        free(block);
    }
}

RUN_CASES({"of_threads", of_threads})

//# states: the MiB of a small block has a page that nobody can read or write behind its header, and one at its end
//# libc: brawn
//# profile: secure
//# case: first_segment more_segments used_again other_thread
#include "check.h"
#include <pthread.h>
#include <stdint.h>

enum {
    MIB = 1 << 20,
    PAGE = 4096,
    SIZE = 1000,
    BLOCKS = 8 * MIB / SIZE,
};

/* Whether a page lies in a mapping without any rights. */
static int is_closed(uintptr_t page) {
    static char text[1 << 17];
    size_t length = 0;
    int file = open("/proc/self/maps", O_RDONLY), closed = 0;
    for (ssize_t n; (n = read(file, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)n;
    close(file);
    text[length] = 0;
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *at = line;
        const unsigned long from = strtoul(at, &at, 16), to = strtoul(at + 1, &at, 16);
        if (page >= from && page < to) closed = strncmp(at, " ---", 4) == 0;
    }
    return closed;
}

/* The header ends with the first closed page, somewhere before the first block of all. */
static void look_at(uintptr_t block) {
    const uintptr_t begin = block & ~(uintptr_t)(MIB - 1);
    uintptr_t page = begin;
    while (page < block && !is_closed(page)) page += PAGE;
    CHECK(page > begin && page < begin + 256 * 1024, "no closed page between the header and the blocks of %#lx", (unsigned long)begin);
    if (sysconf(_SC_PAGESIZE) == PAGE) CHECK(is_closed(begin + MIB - PAGE), "the last page of %#lx is not closed", (unsigned long)begin);
}

static void look_at_all(void) {
    static uintptr_t blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) NEED(blocks[i] = (uintptr_t)hidden(malloc(SIZE)));
    for (int i = 0; i < BLOCKS; i += BLOCKS / 32) look_at(blocks[i]);
    for (int i = 0; i < BLOCKS; i++) free((void *)blocks[i]);
}

static void first_segment(void) {
    /* Pages that are made later open memory, a piece at a time. */
    for (size_t size = 16; size <= 8192; size *= 2) {
        void *p = hidden(malloc(size));
        NEED(p);
        look_at((uintptr_t)p);
    }
}
static void more_segments(void) { look_at_all(); }
static void used_again(void) {
    for (int i = 0; i < 4; i++) look_at_all();
}
static void *other_main(void *unused) {
    first_segment();
    used_again();
    return unused;
}
static void other_thread(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, other_main, NULL));
    NEED(!pthread_join(id, NULL));
}
RUN_CASES({"first_segment", first_segment}, {"more_segments", more_segments}, {"used_again", used_again}, {"other_thread", other_thread})

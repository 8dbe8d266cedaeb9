// A program with room for a payload in it: code, data and thread-locals, which the test fills in.  It then runs with
// the payload's heap and memory functions, and says what went wrong.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__asm__(".section .room.code,\"ax\"\n.balign 65536\n.globl room_code\nroom_code: .zero 131072\n"
        ".section .room.data,\"aw\"\n.balign 65536\n.globl room_data\nroom_data: .zero 65536\n.text\n");
extern char room_code[], room_data[];
__thread char room_local[128] __attribute__((aligned(16)));
__thread int behind = 42;

// The test's table makes it the address of `target`, as a loader would.
const void *volatile moved = (const void *)8;
int target;

static void fail(const char *what) {
    printf("%s\n", what);
    fflush(stdout);
    _exit(1);
}
#define CHECK(what)               \
    do {                          \
        if (!(what)) fail(#what); \
    } while (0)

// Whether the calling thread has a heap of the payload's: something in its thread-locals.
static int has_heap(void) {
    char all = 0;
    for (size_t i = 0; i < sizeof(room_local); i++) all |= *(volatile char *)&room_local[i];
    return all != 0;
}

static int is_heap;  // or memory functions alone

static void *work(void *number) {
    unsigned seed = (unsigned)(uintptr_t)number;
    enum { BLOCKS = 64 };
    unsigned char *blocks[BLOCKS] = {0};
    size_t sizes[BLOCKS] = {0};
    for (int step = 0; step < 3000; step++) {
        const unsigned at = rand_r(&seed) % BLOCKS;
        for (size_t i = 0; i < sizes[at]; i += 97) CHECK(blocks[at][i] == (unsigned char)(at + i));
        free(blocks[at]);
        sizes[at] = (size_t)rand_r(&seed) % (rand_r(&seed) % 16 == 0 ? 300000 : 2000);
        blocks[at] = step % 3 == 0 ? calloc(1, sizes[at]) : malloc(sizes[at]);
        CHECK(blocks[at] != NULL && (uintptr_t)blocks[at] % 16 == 0);
        if (step % 3 == 0 && sizes[at] > 0) CHECK(blocks[at][0] == 0 && blocks[at][sizes[at] - 1] == 0);
        for (size_t i = 0; i < sizes[at]; i++) blocks[at][i] = (unsigned char)(at + i);
    }
    for (int at = 0; at < BLOCKS; at++) free(blocks[at]);
    CHECK(behind == 42 && has_heap() == is_heap);
    return NULL;
}

static void *small(void *block) {
    free(block);
    for (int i = 0; i < 8; i++) free(malloc(20000));
    return malloc(100);
}

static void *left_by_a_key;
static pthread_key_t key;
static void at_exit(void *block) {
    left_by_a_key = malloc(64);
    free(block);
}

// What is mapped and may be written, in KiB.  (qemu keeps memory of its own for each thread that there was, but shows
// the program's mappings here.)
static long mapped(void) {
    FILE *const file = fopen("/proc/self/maps", "r");
    if (file == NULL) fail("/proc/self/maps");
    long sum = 0;
    char line[512];
    while (fgets(line, sizeof(line), file) != NULL) {
        unsigned long from, to;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && mode[1] == 'w') sum += (long)(to - from) / 1024;
    }
    fclose(file);
    return sum;
}

static void *with_key(void *unused) {
    (void)unused;
    void *const block = calloc(1, 200);
    CHECK(block != NULL && pthread_setspecific(key, block) == 0);
    return NULL;
}

// Every thread has a stack where none was before: a thread at the place of an ended one goes on with its heap, and
// then a heap that nobody gave back would not show.
enum { STACK = 32 << 10 };
static char *stacks;

static void threads(int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_attr_t place;
        void *block;
        CHECK(pthread_attr_init(&place) == 0 && pthread_attr_setstack(&place, stacks, STACK) == 0);
        stacks += STACK;
        CHECK(pthread_create(&thread, &place, i % 2 ? small : with_key, i % 2 ? malloc(1000) : NULL) == 0);
        CHECK(pthread_join(thread, &block) == 0);
        free(block);
        if (i % 2 == 0) CHECK(left_by_a_key != NULL);
        free(left_by_a_key);
        left_by_a_key = NULL;
    }
}

// rewritten heap|memory THREADS
int main(int argc, char **argv) {
    CHECK(argc == 3 && getenv("HERE") != NULL && strcmp(getenv("HERE"), "there") == 0);
    is_heap = strcmp(argv[1], "heap") == 0;
    CHECK(moved == (is_heap ? (const void *)&target : (const void *)8));
    work((void *)1);

    errno = 0;
    CHECK(malloc(PTRDIFF_MAX) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(aligned_alloc(3, 8) == NULL && errno == EINVAL);
    CHECK(((uintptr_t)aligned_alloc(4096, 100) & 4095) == 0);
    char *text = realloc(strdup("abc"), 100000);
    CHECK(strcmp(text, "abc") == 0 && memmem(text, 4, "bc", 2) == text + 1 && strstr(text, "c") == text + 2);
    free(text);

    pthread_t team[4];
    for (uintptr_t i = 0; i < 4; i++) CHECK(pthread_create(&team[i], NULL, work, (void *)(i + 2)) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(team[i], NULL) == 0);

    CHECK(pthread_key_create(&key, at_exit) == 0);
    const int count = atoi(argv[2]);
    const size_t room = (size_t)(count / 4 + count) * STACK;
    stacks = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stacks != MAP_FAILED);
    threads(count / 4);
    const long before = mapped();
    threads(count);
    printf("%ld\n", mapped() - before);
    return &room_code[0] == &room_data[0];  // both stay in the program
}

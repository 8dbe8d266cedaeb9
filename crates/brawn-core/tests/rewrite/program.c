// A program that shows where its thread-locals are and what they hold, on three threads.  With an argument it says, too,
// what `probe` returns, which is what rewriting replaces.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ALIGN
#define ALIGN 16
#endif

#ifdef TDATA  // Thread-locals with initial values, one of them an address.
__thread const char *name __attribute__((aligned(ALIGN))) = "a name";
__thread long number = 77;
#endif
#ifndef NOTLS  // Zeros.
__thread char block[100] __attribute__((aligned(ALIGN)));
__thread int last;
#endif
#ifdef BSS
static char zeros[64 << 20];
#endif
#ifdef MANY  // Addresses too far from each other for one bitmap of relocations.
#define FAR {"x"}, {"x"}, {"x"}, {"x"}, {"x"}, {"x"}, {"x"}, {"x"}
static struct {
    const char *text;
    char rest[1000];
} far[] = {FAR, FAR, FAR, FAR, FAR, FAR};
#endif

__attribute__((noinline)) long probe(void) {
    long answer = -1;
    __asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(answer) : : "memory");
    return answer;
}

static void fail(const char *what) {
    printf("%s\n", what);
    exit(1);
}

static void show(const char *who) {
    char *text = malloc(1000);
    memset(text, 1, 1000);
    printf("%s", who);
#ifdef TDATA
    printf(" %s %ld %d", name, number, (int)((uintptr_t)&name % ALIGN));
    number++;
#endif
#ifndef NOTLS
    for (int i = 0; i < 100; i++)
        if (block[i])
            fail("a thread-local is not zero");
    printf(" %d %d", (int)((uintptr_t)block % ALIGN), last);
    memset(block, 3, sizeof block);
    last = 5;
#endif
#ifdef BSS
    for (size_t i = 0; i < sizeof zeros; i += 1000)
        if (zeros[i])
            fail("a zero is none");
    zeros[100] = 0;
#endif
#ifdef MANY
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        if (strcmp(far[i].text, "x"))
            fail("an address is wrong");
    far[0].rest[0]++;
#endif
    printf("\n");
    free(text);
}

static void *run(void *unused) {
    (void)unused;
    show("thread");
    return (void *)probe();
}

int main(int count, char **arguments) {
    (void)arguments;
    show("main");
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, 0, run, 0) || pthread_join(thread, &result))
            fail("no thread");
        if (count > 1)
            printf("probe %ld\n", (long)result);
    }
    for (int i = 0; i < 2 && count > 1; i++)
        printf("probe %ld\n", probe());
    return 0;
}

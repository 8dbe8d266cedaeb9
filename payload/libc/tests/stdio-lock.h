// flockfile and funlockfile, beside libc's ftrylockfile and its own two: a part of stdio.c.
#pragma once
#include <sys/wait.h>

void brawn_flockfile(FILE *), brawn_funlockfile(FILE *);

static FILE *locked;
static volatile int holders;
static volatile long held_times, lockings;

static void *finds_it(void *free_now) {
    *(int *)free_now = !ftrylockfile(locked);
    if (*(int *)free_now) funlockfile(locked);
    return NULL;
}

static void *holds_it(void *number) {
    uint64_t h = (uintptr_t)number + 1;
    for (long i = 0; i < lockings; i++) {
        h = h * 6364136223846793005u + 1442695040888963407u;
        const unsigned depth = 1 + (h >> 60 & 1);
        for (unsigned k = 0; k < depth; k++) h >> (32 + k) & 1 ? brawn_flockfile(locked) : flockfile(locked);
        if (holders++) FAIL("stdio: flockfile, two hold it");
        held_times++;
        holders--;
        for (unsigned k = 0; k < depth; k++) h >> (40 + k) & 1 ? brawn_funlockfile(locked) : funlockfile(locked);
    }
    return NULL;
}

static void *ends_with_it(void *unused) {
    brawn_flockfile(locked);
    return unused;
}

static void file_locks(long times) {
    lockings = times;
    pthread_t all[4];
    // Before and after the stream gets a lock; with one thread, and with one that looks.
    for (int turn = 0; turn < 4; turn++) {
        locked = fopen("/dev/null", "w");
        if (!locked) FAIL("no stream");
        for (int depth = 1; depth < 4; depth++) {
            for (int k = 0; k < depth; k++) (turn + k) & 1 ? brawn_flockfile(locked) : flockfile(locked);
            for (int k = depth; k--;) {
                int is_free = -1;
                pthread_create(&all[0], NULL, finds_it, &is_free), pthread_join(all[0], NULL);
                if (is_free) FAIL("stdio: flockfile, held %d times it is free", k + 1);
                fputc('x', locked);
                (turn >> 1 ^ k) & 1 ? brawn_funlockfile(locked) : funlockfile(locked);
            }
            int is_free = 0;
            pthread_create(&all[0], NULL, finds_it, &is_free), pthread_join(all[0], NULL);
            if (!is_free) FAIL("stdio: funlockfile, after %d it is not free", depth);
        }
        held_times = 0;
        for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, holds_it, (void *)(intptr_t)i);
        for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
        if (held_times != 4 * lockings) FAIL("stdio: flockfile, held %ld times", held_times);
        // What a thread leaves locked stays so, and no exit waits for it here.
        const pid_t child = fork();
        if (!child) {
            pthread_create(&all[0], NULL, ends_with_it, NULL), pthread_join(all[0], NULL);
            _exit(!ftrylockfile(locked));
        }
        int status;
        if (waitpid(child, &status, 0) != child || status) FAIL("stdio: flockfile, not held by a thread that ended");
        fclose(locked);
    }
}

/* server REQUESTS: a thread for each request, and a pool of threads with a queue: mutexes, condition variables, a read-write lock
 * around a shared table, buffers that one thread makes and another frees. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOL = 4,
    QUEUE = 64,
    TABLE = 256,
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, sums = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t config = PTHREAD_RWLOCK_INITIALIZER;
static char *queue[QUEUE], names[TABLE][32];
static int head, count, closed;
static unsigned long total;

static void answer(const char *request) {
    char text[512], name[32];
    unsigned long sum = 0;
    long id = strtol(request + 4, 0, 10);
    pthread_rwlock_rdlock(&config);
    memcpy(name, names[id % TABLE], sizeof name);
    pthread_rwlock_unlock(&config);
    int n = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Name: %s\r\n\r\n{\"id\": %ld}", 20, name, id);
    for (int i = 0; i < n; i++) sum += (unsigned char)text[i];
    pthread_mutex_lock(&sums);
    total += sum;
    pthread_mutex_unlock(&sums);
}
static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!count && !closed) pthread_cond_wait(&filled, &lock);
        if (!count) break;
        char *request = queue[head];
        head = (head + 1) % QUEUE;
        count--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
        answer(request);
        free(request);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *one(void *request) {
    answer(request);
    free(request);
    return 0;
}
static char *request(long i) {
    char *text = malloc(128);
    snprintf(text, 128, "GET %ld HTTP/1.1\r\nHost: example.org\r\n\r\n", i);
    return text;
}

int main(int argc, char **argv) {
    long requests = argc > 1 ? atol(argv[1]) : 200000;
    pthread_t pool[POOL];
    for (int i = 0; i < TABLE; i++) snprintf(names[i], sizeof names[i], "name-%d", i);
    for (int i = 0; i < POOL; i++) pthread_create(&pool[i], 0, worker, 0);
    for (long i = 0; i < requests; i++) {
        char *text = request(i);
        pthread_mutex_lock(&lock);
        while (count == QUEUE) pthread_cond_wait(&emptied, &lock);
        queue[(head + count++) % QUEUE] = text;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < POOL; i++) pthread_join(pool[i], 0);
    for (long i = 0; i < requests / 20; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, one, request(i));
        pthread_join(thread, 0);
    }
    printf("total %lu\n", total);
    return 0;
}

//# states: threads allocate when the program has taken every pthread key before the heap asked for one
#include "check.h"
#include <limits.h>
#include <pthread.h>

/* A heap that takes a key at the first allocation of a second thread finds none left.  It may
 * then give memory back later or never, but it has to work. */
static void *body(void *unused) {
    for (size_t n = 1; n < 300000; n = n * 3 + 1) {
        char *p = calloc(1, n);
        CHECK(p != NULL, "%zu bytes: errno %d", n, errno);
        if (p) p[n - 1] = 1;
        free(p);
    }
    return unused;
}

int main(void) {
    pthread_key_t key;
    int taken = 0;
    while (pthread_key_create(&key, NULL) == 0) taken++;
    CHECK(taken >= PTHREAD_KEYS_MAX - 1, "%d keys were to be had", taken);
    for (int i = 0; i < 1000; i++) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, body, NULL));
        pthread_join(id, NULL);
    }
    body(NULL);
    return check_result();
}

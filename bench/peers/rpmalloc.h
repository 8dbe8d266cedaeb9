/* musl's own name of pthread_create, for rpmalloc's, which takes the public one (build.sh). */
#include <pthread.h>

int __pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

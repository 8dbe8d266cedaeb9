// pthread_cond_signal: see condition.h.
#include "condition.h"

HIDDEN int brawn_pthread_cond_signal(condition *c) {
    return tell(c, 1);
}
NAME(pthread_cond_signal, brawn_pthread_cond_signal)

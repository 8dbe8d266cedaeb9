// pthread_cond_broadcast: see condition.h.
#include "condition.h"

HIDDEN int brawn_pthread_cond_broadcast(condition *c) {
    return tell(c, -1);
}
NAME(pthread_cond_broadcast, brawn_pthread_cond_broadcast)

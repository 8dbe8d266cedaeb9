// localtime_r: the zone, and the date by one multiplication for each of its parts.
#include "calendar.h"

HIDDEN Date *brawn_localtime_r(const int64_t *restrict when, Date *restrict date) {
    if (UNLIKELY(*when < EARLIEST || *when > FARTHEST)) {
        ERRNO = EOVERFLOW;
        return NULL;
    }
    brawn_secs_to_zone(*when, 0, &date->summer, &date->offset, NULL, &date->zone);
    if (UNLIKELY(!date_of(*when + date->offset, date))) {
        ERRNO = EOVERFLOW;
        return NULL;
    }
    return date;
}
NAME(localtime_r, brawn_localtime_r)
NAME(__localtime_r, brawn_localtime_r)

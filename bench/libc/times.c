/* Time and environment: what loggers and servers ask for with each line. */
#include "bench.h"
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct tm broken;
static time_t moment = 1700000000;
static char out[128];

PREPARE {
    char name[32], value[32];
    for (int i = 0; i < 30; i++) {
        /* Among the others, as in a user's environment. */
        if (i == 15) setenv("TZ", "Europe/Berlin", 1);
        snprintf(name, sizeof name, "BENCH_VARIABLE_%d", i);
        snprintf(value, sizeof value, "value %d", i);
        setenv(name, value, 1);
    }
    tzset();
    localtime_r(&moment, &broken);
}

ROW("time", time0, "time") { KEEP(time(0)); }
ROW("time", clock_real, "clock_gettime, realtime") {
    struct timespec t;
    KEEP(clock_gettime(CLOCK_REALTIME, &t));
}
ROW("time", clock_mono, "clock_gettime, monotonic") {
    struct timespec t;
    KEEP(clock_gettime(CLOCK_MONOTONIC, &t));
}
ROW("time", clock_coarse, "clock_gettime, coarse") {
    struct timespec t;
    KEEP(clock_gettime(CLOCK_REALTIME_COARSE, &t));
}
ROW("time", timeofday, "gettimeofday") {
    struct timeval t;
    KEEP(gettimeofday(&t, 0));
}
ROW("time", local, "localtime_r") {
    struct tm t;
    time_t m = moment;
    HIDE(m);
    KEEP(localtime_r(&m, &t));
    KEEP(t.tm_hour);
}
ROW("time", local_next, "localtime_r, another second each") {
    struct tm t;
    moment++;
    KEEP(localtime_r(&moment, &t));
    KEEP(t.tm_hour);
}
ROW("time", gm, "gmtime_r") {
    struct tm t;
    time_t m = moment;
    HIDE(m);
    KEEP(gmtime_r(&m, &t));
    KEEP(t.tm_hour);
}
ROW("time", mk, "mktime") {
    struct tm t = broken;
    KEEP(mktime(&t));
}
ROW("time", gm_back, "timegm") {
    struct tm t = broken;
    KEEP(timegm(&t));
}
ROW("time", iso, "strftime %Y-%m-%dT%H:%M:%S%z") { KEEP(strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%S%z", &broken)); }
ROW("time", clf, "strftime %d/%b/%Y:%H:%M:%S %z") { KEEP(strftime(out, sizeof out, "%d/%b/%Y:%H:%M:%S %z", &broken)); }
ROW("time", mail, "strftime %a, %d %b %Y %T GMT") { KEEP(strftime(out, sizeof out, "%a, %d %b %Y %T GMT", &broken)); }
ROW("time", parse, "strptime of an ISO date") {
    struct tm t;
    const char *x = "2023-11-14T22:13:20";
    HIDE(x);
    KEEP(strptime(x, "%Y-%m-%dT%H:%M:%S", &t));
}
ROW("time", asc, "asctime_r") { KEEP(asctime_r(&broken, out)); }
ROW("environment", env_first, "getenv, there") {
    const char *x = "BENCH_VARIABLE_2";
    HIDE(x);
    KEEP(getenv(x));
}
ROW("environment", env_late, "getenv, one of the last") {
    const char *x = "BENCH_VARIABLE_29";
    HIDE(x);
    KEEP(getenv(x));
}
ROW("environment", env_none, "getenv, not there") {
    const char *x = "RUST_BACKTRACE";
    HIDE(x);
    KEEP(getenv(x));
}
ROW("environment", env_set, "setenv, the same again") { KEEP(setenv("BENCH_VARIABLE_7", "value 7", 1)); }
ROW("environment", page, "sysconf, page size") {
    int name = _SC_PAGESIZE;
    HIDE(name);
    KEEP(sysconf(name));
}

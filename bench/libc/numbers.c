/* Numbers to text and back. */
#include "bench.h"
#include <arpa/inet.h>
#include <inttypes.h>

static char out[512];
static unsigned char four[4] = {192, 168, 10, 254}, sixteen[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};

#define TEXT(call, words)      \
    do {                       \
        const char *x = words; \
        HIDE(x);               \
        KEEP(call);            \
    } while (0)
#define VALUE(type, value, call)        \
    do {                                \
        type v = value;                 \
        __asm__ volatile("" : "+m"(v)); \
        KEEP(call);                     \
    } while (0)

ROW("numbers", strtod_short, "strtod 3.14") { TEXT((int)strtod(x, 0), "3.14"); }
ROW("numbers", strtod_mid, "strtod 1234.5678") { TEXT((int)strtod(x, 0), "1234.5678"); }
ROW("numbers", strtod_long, "strtod of 17 digits") { TEXT((int)strtod(x, 0), "2.2250738585072014e-3"); }
ROW("numbers", strtod_exp, "strtod 1e23") { TEXT((int)(strtod(x, 0) > 1), "1e23"); }
ROW("numbers", strtof_short, "strtof 0.25") { TEXT((int)strtof(x, 0), "0.25"); }
ROW("numbers", strtol_short, "strtol 12345") { TEXT(strtol(x, 0, 10), "12345"); }
ROW("numbers", strtol_hex, "strtoul 0xdeadbeef") { TEXT(strtoul(x, 0, 0), "0xdeadbeef"); }
ROW("numbers", strtoll_long, "strtoll of 19 digits") { TEXT(strtoll(x, 0, 10), "9223372036854775807"); }
ROW("numbers", atoi4, "atoi 4711") { TEXT(atoi(x), "4711"); }
ROW("numbers", d_s, "snprintf %d %s") { VALUE(int, 12345, snprintf(out, sizeof out, "%d %s", v, "a word")); }
ROW("numbers", d, "snprintf %d") { VALUE(int, 4711, snprintf(out, sizeof out, "%d", v)); }
ROW("numbers", zu, "snprintf %zu") { VALUE(size_t, 1234567890123u, snprintf(out, sizeof out, "%zu", v)); }
ROW("numbers", x08, "snprintf %08x") { VALUE(unsigned, 0xbeef, snprintf(out, sizeof out, "%08x", v)); }
ROW("numbers", s, "snprintf %s:%s") { VALUE(const char *, "some words", snprintf(out, sizeof out, "%s:%s", v, v)); }
ROW("numbers", pad, "snprintf %-20s|%6d") { VALUE(int, 42, snprintf(out, sizeof out, "%-20s|%6d", "name", v)); }
ROW("numbers", c, "snprintf %c%c") { VALUE(int, 'x', snprintf(out, sizeof out, "%c%c", v, v)); }
ROW("numbers", p, "snprintf %p") { VALUE(void *, out, snprintf(out, sizeof out, "%p", v)); }
ROW("numbers", f, "snprintf %f") { VALUE(double, 3.14159, snprintf(out, sizeof out, "%f", v)); }
ROW("numbers", f2, "snprintf %.2f") { VALUE(double, 1234.567, snprintf(out, sizeof out, "%.2f", v)); }
ROW("numbers", g, "snprintf %g") { VALUE(double, 0.1, snprintf(out, sizeof out, "%g", v)); }
ROW("numbers", g17, "snprintf %.17g") { VALUE(double, 0.1, snprintf(out, sizeof out, "%.17g", v)); }
ROW("numbers", e, "snprintf %e") { VALUE(double, 6.02214076e23, snprintf(out, sizeof out, "%e", v)); }
ROW("numbers", f300, "snprintf %f of 1e300") { VALUE(double, 1e300, snprintf(out, sizeof out, "%f", v)); }
ROW("numbers", line, "snprintf of a log line") {
    VALUE(int, 200, snprintf(out, sizeof out, "%s - [%s] \"%s %s\" %d %zu %.3f", "10.0.0.1", "14/Nov/2023", "GET", "/index.html", v, (size_t)5120, 0.042));
}
ROW("numbers", scan_d, "sscanf %d %d") {
    int a, b;
    TEXT(sscanf(x, "%d %d", &a, &b), "17 4711");
}
ROW("numbers", scan_s, "sscanf %15s %lf") {
    char w[16];
    double v;
    TEXT(sscanf(x, "%15s %lf", w, &v), "word 2.5");
}
ROW("numbers", ntop4, "inet_ntop, IPv4") { KEEP(inet_ntop(AF_INET, four, out, sizeof out)); }
ROW("numbers", ntop6, "inet_ntop, IPv6") { KEEP(inet_ntop(AF_INET6, sixteen, out, sizeof out)); }
ROW("numbers", pton4, "inet_pton, IPv4") {
    unsigned char to[4];
    TEXT(inet_pton(AF_INET, x, to), "192.168.10.254");
}
ROW("numbers", pton6, "inet_pton, IPv6") {
    unsigned char to[16];
    TEXT(inet_pton(AF_INET6, x, to), "2001:db8::1");
}
ROW("numbers", random1, "random") { KEEP(random()); }
ROW("numbers", rand1, "rand") { KEEP(rand()); }
ROW("numbers", drand, "drand48") { KEEP((int)drand48()); }

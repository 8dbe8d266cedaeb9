/* weblog LINES: writes log lines as a web server does, and reads them as a log analyser does.
 *
 * Felt: localtime_r, strftime, strptime, snprintf, strtol, strcasecmp, strcspn, strtok_r, regexec, inet_ntop, a hash table with
 * strdup. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const methods[] = {"GET", "POST", "HEAD", "get", "PUT"};
static const char *const paths[] = {"/", "/index.html", "/api/v1/items?limit=20&offset=40", "/static/app.min.js", "/login", "/images/logo.png"};
static const char *const agents[] = {"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/8.5.0", "Wget/1.21", "Googlebot/2.1 (+http://www.google.com/bot.html)"};

typedef struct Entry {
    char *key;
    long count, bytes;
    struct Entry *next;
} Entry;
static Entry *table[1024];

static Entry *entry(const char *key) {
    uint32_t hash = 2166136261u;
    for (const char *p = key; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
    Entry **at = &table[hash % 1024];
    while (*at && strcmp((*at)->key, key)) at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        (*at)->key = strdup(key);
    }
    return *at;
}

int main(int argc, char **argv) {
    long lines = argc > 1 ? atol(argv[1]) : 200000;
    uint64_t state = 88172645463325252u;
    regex_t bot;
    regcomp(&bot, "(bot|crawler|spider)", REG_EXTENDED | REG_ICASE | REG_NOSUB);
    setenv("TZ", "Europe/Berlin", 1);
    long bots = 0, gets = 0, errors = 0;
    double seconds = 0;
    time_t when = 1700000000;
    for (long i = 0; i < lines; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint32_t address = htonl((uint32_t)(state >> 40) % 5000 + 0x0a000000);
        char from[INET_ADDRSTRLEN], date[64], line[512];
        struct tm t;
        inet_ntop(AF_INET, &address, from, sizeof from);
        when += (time_t)(state % 3);
        localtime_r(&when, &t);
        strftime(date, sizeof date, "%d/%b/%Y:%H:%M:%S %z", &t);
        snprintf(line, sizeof line, "%s - - [%s] \"%s %s HTTP/1.1\" %d %lu \"-\" \"%s\" %.3f\n", from, date, methods[state >> 8 & 3],
            paths[(state >> 16) % 6], state % 17 ? 200 : 404, (unsigned long)(state >> 20 & 0xffff), agents[state >> 12 & 3], (double)(state >> 30 & 1023) / 1000);
        /* And back. */
        char *rest, *open = strchr(line, '['), *request = strchr(line, '"');
        struct tm parsed = {0};
        line[strcspn(line, " ")] = 0;
        if (!strptime(open + 1, "%d/%b/%Y:%H:%M:%S", &parsed)) return 1;
        char *method = strtok_r(request + 1, " ", &rest), *path = strtok_r(0, " ", &rest);
        strtok_r(0, "\"", &rest);
        long status = strtol(rest, &rest, 10), bytes = strtol(rest, &rest, 10);
        char *agent = strchr(strchr(strchr(rest, '"') + 1, '"') + 1, '"') + 1, *end = strchr(agent, '"');
        *end = 0;
        seconds += strtod(end + 1, 0);
        if (!strcasecmp(method, "get")) gets++;
        if (status >= 400) errors++;
        if (!regexec(&bot, agent, 0, 0, 0)) bots++;
        char key[300];
        snprintf(key, sizeof key, "%.*s/%d", (int)strcspn(path, "?#"), path, parsed.tm_hour);
        Entry *e = entry(key), *f = entry(line);
        e->count++, e->bytes += bytes, f->count++, f->bytes += bytes;
    }
    unsigned long sum = 0;
    for (int i = 0; i < 1024; i++)
        for (Entry *e = table[i]; e; e = e->next) sum = sum * 31 + (unsigned long)e->count * 7 + (unsigned long)e->bytes + strlen(e->key);
    printf("gets %ld, errors %ld, bots %ld, seconds %.3f, sum %lx\n", gets, errors, bots, seconds, sum);
    return 0;
}

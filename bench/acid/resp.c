/* resp REQUESTS: parses and answers the protocol of Redis, as a server does with each request.
 *
 * Felt: memchr, strtol, strcasecmp, memcpy, snprintf, malloc and free of keys and values, a hash table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Value {
    char *key, *value;
    size_t length;
    struct Value *next;
} Value;
static Value *table[16384];
static char input[1 << 16], output[1 << 16];

static Value **at(const char *key, size_t n) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    Value **v = &table[hash % 16384];
    while (*v && (strncmp((*v)->key, key, n) || (*v)->key[n])) v = &(*v)->next;
    return v;
}

/* One request at `p`, its answer to `out`: gives where the next one begins. */
static char *answer(char *p, char *end, char **out) {
    char *word[8];
    size_t length[8];
    long count = strtol(p + 1, &p, 10);
    p += 2;
    for (long i = 0; i < count; i++) {
        char *line = memchr(p, '\r', (size_t)(end - p));
        length[i] = (size_t)strtol(p + 1, 0, 10);
        word[i] = line + 2;
        p = word[i] + length[i] + 2;
        word[i][length[i]] = 0;
    }
    if (!strcasecmp(word[0], "SET")) {
        Value **v = at(word[1], length[1]);
        if (!*v) {
            *v = calloc(1, sizeof **v);
            (*v)->key = strndup(word[1], length[1]);
        }
        free((*v)->value);
        (*v)->value = malloc(length[2] + 1);
        memcpy((*v)->value, word[2], length[2] + 1);
        (*v)->length = length[2];
        *out = memcpy(*out, "+OK\r\n", 5) + 5;
    } else if (!strcasecmp(word[0], "GET")) {
        Value *v = *at(word[1], length[1]);
        if (!v) {
            *out = memcpy(*out, "$-1\r\n", 5) + 5;
        } else {
            *out += snprintf(*out, 32, "$%zu\r\n", v->length);
            *out = (char *)memcpy(*out, v->value, v->length) + v->length;
            *out = memcpy(*out, "\r\n", 2) + 2;
        }
    } else if (!strcasecmp(word[0], "INCRBY")) {
        Value **v = at(word[1], length[1]);
        if (!*v) {
            *v = calloc(1, sizeof **v);
            (*v)->key = strndup(word[1], length[1]);
            (*v)->value = strdup("0");
        }
        long long sum = strtoll((*v)->value, 0, 10) + strtoll(word[2], 0, 10);
        char text[32];
        (*v)->length = (size_t)snprintf(text, sizeof text, "%lld", sum);
        free((*v)->value);
        (*v)->value = strdup(text);
        *out += snprintf(*out, 32, ":%lld\r\n", sum);
    } else {
        *out = memcpy(*out, "-ERR unknown command\r\n", 22) + 22;
    }
    return p;
}

int main(int argc, char **argv) {
    long requests = argc > 1 ? atol(argv[1]) : 1000000;
    uint64_t state = 88172645463325252u;
    unsigned long sum = 0;
    for (long done = 0; done < requests;) {
        /* A pipeline of requests, as a client sends it. */
        char *p = input, *out = output;
        for (int i = 0; i < 50; i++, done++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            char key[32], value[256];
            int n = snprintf(key, sizeof key, "user:%lu:name", (unsigned long)(state % 20000));
            int m = 8 + (int)(state >> 50 & 127);
            memset(value, 'a' + (int)(state >> 20 & 15), (size_t)m);
            value[m] = 0;
            switch (state >> 60) {
            case 0:
            case 1:
            case 2: p += sprintf(p, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", n, key, m, value); break;
            case 3:
                n = snprintf(key, sizeof key, "count:%lu", (unsigned long)(state % 100));
                p += sprintf(p, "*3\r\n$6\r\nincrby\r\n$%d\r\n%s\r\n$1\r\n7\r\n", n, key);
                break;
            default: p += sprintf(p, "*2\r\n$3\r\nget\r\n$%d\r\n%s\r\n", n, key); break;
            }
        }
        for (char *at = input; at < p;) at = answer(at, p, &out);
        sum = sum * 31 + (unsigned long)(out - output);
        for (char *q = output; q < out; q += 97) sum += (unsigned char)*q;
    }
    printf("sum %lx\n", sum);
    return 0;
}

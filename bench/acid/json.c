/* json ROUNDS: makes JSON, parses it into a tree, adds up its numbers, and writes it again.
 *
 * Felt: strtod, snprintf %.17g and %d, strspn, strcspn, malloc and free of small nodes, memcpy. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Node {
    char kind, *text;
    double number;
    struct Node *first, *next;
} Node;
static char *at;

static void blanks(void) { at += strspn(at, " \t\r\n"); }
static char *string(void) {
    size_t n = strcspn(++at, "\"\\");
    char *s = malloc(n + 1);
    memcpy(s, at, n);
    s[n] = 0;
    at += n + 1;
    return s;
}
static Node *value(void) {
    Node *node = calloc(1, sizeof *node), **last = &node->first;
    blanks();
    node->kind = *at;
    if (*at == '{' || *at == '[') {
        char end = *at == '{' ? '}' : ']';
        for (at++, blanks(); *at != end; blanks()) {
            char *name = 0;
            if (end == '}') {
                name = string();
                blanks();
                at++;
            }
            *last = value();
            if (name) (*last)->kind == '"' ? free(name) : ((*last)->text = name, (void)0);
            last = &(*last)->next;
            blanks();
            if (*at == ',') at++, blanks();
        }
        at++;
    } else if (*at == '"') {
        node->text = string();
    } else if (!strncmp(at, "true", 4) || !strncmp(at, "null", 4)) {
        at += 4;
    } else {
        node->number = strtod(at, &at);
    }
    return node;
}
static double total(Node *node) {
    double sum = node->number;
    for (Node *n = node->first; n; n = n->next) sum += total(n);
    return sum;
}
static void drop(Node *node) {
    for (Node *n = node->first, *next; n; n = next) {
        next = n->next;
        drop(n);
    }
    free(node->text);
    free(node);
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 40;
    uint64_t state = 88172645463325252u;
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
    used += (size_t)sprintf(text, "[");
    for (int i = 0; i < 4000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        used += (size_t)snprintf(text + used, room - used, "%s\n  {\"id\": %d, \"name\": \"item number %d\", \"price\": %.2f, \"at\": [%.15g, %.15g], \"on\": true}", i ? "," : "", i, i,
            (double)(state % 100000) / 100, (double)(state >> 11) / 9007199254740992.0 * 180 - 90, (double)(state >> 20) / 17592186044416.0 * 360 - 180);
    }
    used += (size_t)snprintf(text + used, room - used, "]\n");
    double sum = 0;
    for (long i = 0; i < rounds; i++) {
        at = text;
        Node *tree = value();
        sum += total(tree);
        drop(tree);
    }
    printf("%zu bytes, sum %.6f\n", used, sum);
    return 0;
}

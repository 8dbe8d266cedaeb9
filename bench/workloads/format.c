/* A formatter of many files: format THREADS TEXTS
 *
 * A pool of THREADS threads takes texts one after the other, as rayon's would.  A text has 4 to 128 KiB, every octave as
 * likely as every other.  For each one a thread takes the text, a vector of tokens, a tree of nodes with names and lists of
 * children, a vector of what to print, and the output; all vectors double when they are full.  Then all goes but a
 * message about the file, and the output of one file in eight, which differs from the text.  With more threads than
 * processors, most threads lie in the middle of a text at any time: where a thread is interrupted depends on the machine, so
 * each lets others go on after every 256 nodes.  The peak is what this is about. */
#include "workload.h"

#include <stdatomic.h>

struct vector {
    unsigned char *data;
    size_t length, capacity;
};

struct node {
    struct node *parent;
    char *name;
    struct vector children;
    uint64_t span[3];
};

struct kept {
    char *message;
    unsigned char *output;
};

static atomic_long next_text;
static long texts;
static struct kept *results;
static _Atomic uint64_t nodes_made;

static void *push(struct vector *v, const void *element, size_t size) {
    if (v->length + size > v->capacity) {
        v->capacity = v->capacity ? v->capacity * 2 : 4 * size;
        v->data = must(realloc(v->data, v->capacity));
    }
    memcpy(v->data + v->length, element, size);
    v->length += size;
    return v->data;
}

static struct node *make_node(struct node *parent, uint64_t *state, const unsigned char *text) {
    struct node *node = must(calloc(1, sizeof *node));
    size_t length = 3 + random_below(state, random_below(state, 8) ? 10 : 50);
    node->parent = parent;
    node->name = must(malloc(length + 1));
    memcpy(node->name, text, length);
    node->name[length] = 0;
    if (parent) push(&parent->children, &node, sizeof node);
    return node;
}

static void free_tree(struct node *node) {
    struct node **children = (struct node **)(void *)node->children.data;
    for (size_t i = 0; i < node->children.length / sizeof *children; i++) free_tree(children[i]);
    free(node->children.data);
    free(node->name);
    free(node);
}

static void print_tree(const struct node *node, struct vector *commands, struct vector *output) {
    struct node **children = (struct node **)(void *)node->children.data;
    uint64_t command[4] = {(uintptr_t)node, strlen(node->name), 1, 2};
    push(commands, command, sizeof command);
    for (const char *c = node->name; *c; c++) push(output, c, 1);
    for (size_t i = 0; i < node->children.length / sizeof *children; i++) print_tree(children[i], commands, output);
}

static void format(long number) {
    uint64_t state = random_state((uint64_t)number);
    size_t size = random_log_uniform(&state, 12, 17);
    unsigned char *text = must(malloc(size + 64));
    memset(text, 'a' + (int)(number % 26), size + 64);
    struct vector tokens = {0}, commands = {0}, output = {0};
    struct node *root = make_node(0, &state, text), *at = root;
    uint64_t made = 0;
    for (size_t place = 0; place < size; made++) {
        uint64_t token[3] = {place, next_random(&state), 0};
        push(&tokens, token, sizeof token);
        struct node *node = make_node(at, &state, text + place);
        place += strlen(node->name) + 1;
        if (made % 256 == 255) sched_yield();
        switch (random_below(&state, 4)) {
        case 0: at = node; break;
        case 1: at = at->parent ? at->parent : at; break;
        default: break;
        }
    }
    print_tree(root, &commands, &output);
    free_tree(root);
    free(commands.data);
    free(tokens.data);
    free(text);
    results[number].message = must(malloc(40 + random_below(&state, 60)));
    results[number].message[0] = 1;
    if (number % 8) free(output.data);
    else results[number].output = must(realloc(output.data, output.length));
    atomic_fetch_add(&nodes_made, made);
}

static void work(int index) {
    (void)index;
    for (long number; (number = atomic_fetch_add(&next_text, 1)) < texts;) format(number);
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, 32);
    texts = argument(argc, argv, 2, 600);
    results = must(calloc((size_t)texts, sizeof *results));
    uint64_t wall = run_team(threads, work);
    uint64_t made = atomic_load(&nodes_made);
    for (long i = 0; i < texts; i++) {
        free(results[i].message);
        free(results[i].output);
    }
    free(results);
    report(ns_per_operation(wall, threads, (double)made), wall, (double)made, "threads=%d", threads);
    return 0;
}

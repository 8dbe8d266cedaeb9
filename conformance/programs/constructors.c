//# states: constructors of every kind allocate, before main and before each other
//# link: static static-pie lld gc line zig
//# case: constructor preinit
//# fails: stock/*/preinit: musl runs no .preinit_array
//# fails: brawn/*/preinit: musl runs no .preinit_array
//# fails: rewritten/*/preinit: musl runs no .preinit_array
//# fails: preloaded/*/preinit: musl runs no .preinit_array
#include "check.h"

static char *early[3];

static void keep(int i, const char *text) {
    CHECK((early[i] = strdup(text)) != NULL, "errno %d", errno);
    char *more = calloc(100, 100);
    CHECK(more && more[9999] == 0, "%p", (void *)more);
    more = realloc(more, 200000);
    free(more);
}
static void first(int argc, char **argv, char **envp) {
    (void)argc, (void)argv, (void)envp;
    keep(0, "preinit");
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = first;
__attribute__((constructor(101))) static void second(void) { keep(1, "constructor 101"); }
__attribute__((constructor)) static void third(void) { keep(2, "constructor"); }
__attribute__((destructor)) static void last(void) {
    free(early[2]);
    early[2] = malloc(100000);
    free(early[2]);
}

static void check_early(int i, const char *expected) {
    NEED(early[i]);
    CHECK(strcmp(early[i], expected) == 0, "found %s, not %s", early[i], expected);
    NEED(early[i] = realloc(early[i], 5000));
    CHECK(strcmp(early[i], expected) == 0, "found %s, not %s", early[i], expected);
}
static void constructor(void) {
    check_early(1, "constructor 101");
    check_early(2, "constructor");
    free(early[1]);
}
static void by_preinit(void) { check_early(0, "preinit"); }
RUN_CASES({"constructor", constructor}, {"preinit", by_preinit})

//# states: the heap's mappings leave the first stack the room that its limit promises
//# libc: stock brawn
//# link: static static-pie
//# case: as_it_is vdso_above_stack without_vdso
#include "check.h"
#include <elf.h>
#include <sys/resource.h>

/* Kernels differ in where they place the vDSO.  Most put it just above the first stack, where the
 * room below it is the stack's: this answers as they do. */
static int above, without;
extern char **environ;
unsigned long getauxval(unsigned long type) {
    unsigned long value = 0, random = 0;
    char **end = environ;
    while (*end) end++;
    for (unsigned long *entry = (unsigned long *)(end + 1); *entry; entry += 2) {
        if (entry[0] == type) value = entry[1];
        if (entry[0] == AT_RANDOM) random = entry[1];
    }
    if (type == AT_SYSINFO_EHDR && without) {
        errno = ENOENT; /* as musl's says that there is none */
        return 0;
    }
    return type == AT_SYSINFO_EHDR && above ? ((random + 4095) & ~4095ul) + 0x8000 : value;
}

__attribute__((noinline)) static int deep(int n) {
    volatile char frame[4096];
    frame[0] = 1;
    return n == 0 ? frame[0] : deep(n - 1) + frame[0];
}
static void use(void) {
    struct rlimit limit;
    NEED(getrlimit(RLIMIT_STACK, &limit) == 0);
    size_t room = limit.rlim_cur > 8u << 20 ? 8u << 20 : (size_t)limit.rlim_cur;
    for (size_t n = 1; n < 100u << 20; n *= 3) NEED(hidden(malloc(n)));
    int frames = (int)((room - (1u << 20)) / 4300);
    CHECK_SAME(deep(frames), frames + 1);
}
static void as_it_is(void) { use(); }
static void vdso_above_stack(void) {
    above = 1;
    use();
}
static void without_vdso(void) {
    without = 1;
    errno = 0;
    use();
    CHECK_SAME(errno, 0);
}
RUN_CASES({"as_it_is", as_it_is}, {"vdso_above_stack", vdso_above_stack}, {"without_vdso", without_vdso})

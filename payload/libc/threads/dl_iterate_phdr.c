// dl_iterate_phdr of a static program, which an unwinder asks at every frame: where the program is, and its segments.
//
// musl looks at the auxiliary vector and at every segment each time; nothing of it changes, so here it is done once.
// Threads that do so at once find the same.  As in musl from 1.2.3 on, dlpi_tls_data is the calling thread's own.
#include "../libc.h"

typedef struct {
    uint32_t type, flags;
    uint64_t offset, address, physical, in_file, in_memory, alignment;
} Segment;
_Static_assert(sizeof(Segment) == 56, "Elf64_Phdr");

// struct dl_phdr_info (include/link.h).
typedef struct {
    uint64_t base;
    const char *name;
    const Segment *segments;
    uint16_t count;
    unsigned long long added, removed;
    size_t tls_module;
    void *tls;
} Info;
_Static_assert(sizeof(Info) == 64, "dl_phdr_info");

// elf.h.
enum {
    AT_PHDR = 3,
    AT_PHNUM = 5,
    DYNAMIC = 2,
    SEGMENTS = 6,
    TLS = 7,
};

unsigned long getauxval(unsigned long kind);
void *__tls_get_addr(size_t *module_and_offset);
// Only a program in static-pie has it, and says by it where it is.
extern __attribute__((weak)) HIDDEN const char _DYNAMIC[];

static struct {
    uint64_t base;
    const Segment *segments;
    uint16_t count;
    unsigned char has_tls, is_known;
} program;

static COLD void look(void) {
    const Segment *const segments = (const Segment *)getauxval(AT_PHDR);
    const uint16_t count = (uint16_t)getauxval(AT_PHNUM);
    const char *const dynamic = _DYNAMIC;
    uint64_t base = 0;
    unsigned char has_tls = 0;
    for (const Segment *s = segments; s < segments + count; s++) {
        if (s->type == SEGMENTS) base = (uint64_t)segments - s->address;
        if (s->type == DYNAMIC && dynamic) base = (uint64_t)dynamic - s->address;
        if (s->type == TLS) has_tls = 1;
    }
    program.base = base;
    program.segments = segments;
    program.count = count;
    program.has_tls = has_tls;
    __atomic_store_n(&program.is_known, 1, __ATOMIC_RELEASE);
}

HIDDEN int brawn_dl_iterate_phdr(int (*each)(Info *info, size_t size, void *data), void *data) {
    if (UNLIKELY(!__atomic_load_n(&program.is_known, __ATOMIC_ACQUIRE))) look();
    Info info = {
        .base = program.base,
        .name = "/proc/self/exe",
        .segments = program.segments,
        .count = program.count,
    };
    if (program.has_tls) {
        info.tls_module = 1;
        info.tls = __tls_get_addr((size_t[]){1, 0});
    }
    return each(&info, sizeof info, data);
}
NAME(dl_iterate_phdr, brawn_dl_iterate_phdr)

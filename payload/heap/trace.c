// Profile `trace`: of every BRAWN_TRACE_INTERVAL bytes that a program asks for, about one block is recorded with the stack
// that asked for it, and so is its end.  BRAWN_OPTIONS=heap_profile=PATH names the file; without it nothing is recorded.
//
// A recorded block is a large one (large.c), whatever its size: it has a header of its own, where a mark stands, so that
// `free` of all other blocks has nothing to look for.
//
// The file is mapped, and its room is taken before it is written: a full disk is an error of pwritev, and no
// SIGBUS.  No descriptor stays open, since programs close them all and use their numbers for other files.
//
// The distance to the next sample is drawn from an exponential distribution, as tcmalloc does (Google, "TCMalloc
// Sampling"): a block of n bytes is recorded with the chance 1 - exp(-n / interval), whatever was recorded before.

#include "trace.h"

enum {
    TRACE_AT_FDCWD = -100,
    TRACE_O_RDWR = 2,
    TRACE_O_CREAT = 0100,
    TRACE_O_EXCL = 0200,
    TRACE_O_CLOEXEC = 02000000,
    TRACE_CLOCK_MONOTONIC = 1,
    TRACE_MAP_SHARED = 1,
    TRACE_RLIMIT_FSIZE = 1,
    AUXV_ENTRY = 9,
};  // <fcntl.h>, <time.h>, <sys/mman.h>, <sys/resource.h>, <elf.h>

// After this many samples, and after half as many each time from then on, samples become half as frequent: the file of a
// program that runs for long stays small, and so does the time that recording takes.
#define BRAWN_TRACE_OFTEN 4096

// How many bytes this thread may ask for before a sample is due.  The first allocation of a thread draws it.
static __thread uint64_t brawn_trace_left __attribute__((tls_model(ARCH_TLS_MODEL)));
static __thread uint64_t brawn_trace_seed __attribute__((tls_model(ARCH_TLS_MODEL)));

static brawn_trace_header_t *brawn_trace_header;  // NULL: nothing is recorded
static _Atomic(uintptr_t) brawn_trace_chunk;  // the chunk that is written to, in memory
static _Atomic(uintptr_t) brawn_trace_writers;  // how many threads may be writing to a chunk
static mi_lock_t brawn_trace_lock = MI_LOCK_INITIALIZER;  // who has it opens the file, or gets the next chunk

static inline long brawn_trace_call(long n, long a, long b, long c, long d) { return arch_syscall6(n, a, b, c, d, 0, 0); }

// ---------------------------------------------------------------------------------------------
// The file

static long brawn_trace_open(int flags) {
    flags |= TRACE_O_RDWR | TRACE_O_CLOEXEC | ARCH_O_NOFOLLOW;
    return brawn_trace_call(ARCH_SYS_openat, TRACE_AT_FDCWD, (long)brawn_options.heap_profile, flags, 0600);
}

static void *brawn_trace_view(long file, uint64_t offset, size_t size) {
    const long at = arch_syscall6(ARCH_SYS_mmap, 0, (long)size, PROT_RW_, TRACE_MAP_SHARED, file, (long)offset);
    return brawn_failed(at) ? NULL : (void *)at;
}

// Takes room in the file, which has nothing there, and maps it.  NULL: there is none.
static void *brawn_trace_map(long file, uint64_t offset, size_t size) {
    // Beyond `ulimit -f` the kernel would end the program by SIGXFSZ.
    uint64_t limits[2] = {0, 0};
    const long known = brawn_trace_call(ARCH_SYS_prlimit64, 0, TRACE_RLIMIT_FSIZE, 0, (long)limits);
    if (!brawn_failed(known) && offset + size > limits[0]) return NULL;
    // Zeros that are written, and not fallocate: on ext4, a page takes 2.3 us then with all that is done for it, and 16 us if its blocks
    // are there but no page (Linux 6.18).
    static char zeros[BRAWN_TRACE_CHUNK / 16];  // never written to: no memory
    for (size_t done = 0; done < size;) {
        struct {
            const char *base;
            size_t length;
        } parts[16];  // <sys/uio.h>
        size_t count = 0, at = done;
        for (; at < size; count++) {
            parts[count].base = zeros;
            parts[count].length = size - at < sizeof zeros ? size - at : sizeof zeros;
            at += parts[count].length;
        }
        const long written = brawn_trace_call(ARCH_SYS_pwritev, file, (long)parts, (long)count, (long)(offset + done));
        if (brawn_failed(written) || written == 0) return NULL;
        done += (size_t)written;
    }
    return brawn_trace_view(file, offset, size);
}

// Makes the file, or goes on with one that another process of the same run has made.  Once in a process.
static NOINLINE void brawn_trace_start(void) {
    if (brawn_options.heap_profile == NULL || brawn_page_size > BRAWN_TRACE_HEADER) return;
    brawn_tell();
    const long made = brawn_trace_open(TRACE_O_CREAT | TRACE_O_EXCL);
    const long file = brawn_failed(made) ? brawn_trace_open(0) : made;
    if (brawn_failed(file)) return;
    brawn_trace_header_t *header = NULL;
    if (!brawn_failed(made)) {
        header = brawn_trace_map(file, 0, BRAWN_TRACE_HEADER);
        if (header != NULL) {
            header->version = BRAWN_TRACE_VERSION;
            header->machine = ARCH_MACHINE;
            header->interval = brawn_options.heap_interval;
            brawn_memcpy(header->magic, BRAWN_TRACE_MAGIC, sizeof header->magic);
        }
    } else {
        // Of a file that is none of ours nothing may be changed.
        brawn_trace_header_t seen = {.version = 0};
        const long got = brawn_trace_call(ARCH_SYS_read, file, (long)&seen, sizeof seen, 0);
        bool ours = got == sizeof seen && seen.version == BRAWN_TRACE_VERSION && seen.machine == ARCH_MACHINE;
        for (size_t i = 0; i < sizeof seen.magic; i++) ours = ours && seen.magic[i] == BRAWN_TRACE_MAGIC[i];
        if (ours) header = brawn_trace_view(file, 0, BRAWN_TRACE_HEADER);
    }
    brawn_trace_call(ARCH_SYS_close, file, 0, 0, 0);
    brawn_trace_header = header;
}

// Room for a record of `length` bytes, a multiple of 8, in a chunk; NULL: it has none left.
static brawn_trace_record_t *brawn_trace_reserve(char *chunk, size_t length) {
    if (chunk == NULL) return NULL;
    const uint64_t at = atomic_fetch_add((_Atomic(uint64_t) *)chunk, length);
    if (at + length > BRAWN_TRACE_CHUNK) return NULL;
    brawn_trace_record_t *const record = (brawn_trace_record_t *)(chunk + at);
    record->length = (uint32_t)length;
    return record;
}

// Which process and thread it is.  The kernel is asked once in each: in a child, also in one of which the heap is not told, the page
// that says which process this is has been cleared.
static void brawn_trace_who(brawn_trace_record_t *record) {
    static __thread uint32_t process __attribute__((tls_model(ARCH_TLS_MODEL)));
    static __thread uint32_t thread __attribute__((tls_model(ARCH_TLS_MODEL)));
    _Atomic(uintptr_t) *const known = brawn_told_process();
    uintptr_t now = known != NULL ? mi_atomic_load_relaxed(known) : 0;
    if (mi_unlikely(now == 0)) {
        now = (uintptr_t)brawn_trace_call(ARCH_SYS_getpid, 0, 0, 0, 0);
        if (known != NULL) mi_atomic_store_relaxed(known, now);
    }
    if (mi_unlikely(process != (uint32_t)now || known == NULL)) {
        process = (uint32_t)now;
        thread = (uint32_t)brawn_trace_call(ARCH_SYS_gettid, 0, 0, 0, 0);
    }
    record->process = process;
    record->thread = thread;
}

static void brawn_trace_say(brawn_trace_record_t *record, uint32_t kind) {
    record->time = arch_counter_in_order();
    brawn_trace_who(record);
    atomic_store_explicit(&record->kind, kind, memory_order_release);
}

// Begins a chunk by what the process is: of what it maps later the next chunk tells.
static void brawn_trace_describe(char *chunk) {
    brawn_trace_process_t *const process = (brawn_trace_process_t *)(chunk + sizeof(uint64_t));
    process->entry = brawn_auxiliary(AUXV_ENTRY);
    const long maps = brawn_trace_call(ARCH_SYS_openat, TRACE_AT_FDCWD, (long)"/proc/self/maps", TRACE_O_CLOEXEC, 0);
    size_t got = 0;
    while (!brawn_failed(maps) && got < BRAWN_TRACE_MAPS) {
        const long more = brawn_trace_call(ARCH_SYS_read, maps, (long)(process + 1) + (long)got, (long)(BRAWN_TRACE_MAPS - got), 0);
        if (brawn_failed(more) || more == 0) break;
        got += (size_t)more;
    }
    if (!brawn_failed(maps)) brawn_trace_call(ARCH_SYS_close, maps, 0, 0, 0);
    process->text = got;
    process->head.length = (uint32_t)_mi_align_up(sizeof *process + got, 8);
    atomic_store((_Atomic(uint64_t) *)chunk, sizeof(uint64_t) + process->head.length);
    brawn_trace_say(&process->head, BRAWN_TRACE_PROCESS);
    // In one order with the count of writers, which is read next: a thread that is not counted yet has to see this chunk.
    atomic_store(&brawn_trace_chunk, (uintptr_t)chunk);
}

// Gets the next chunk, under the lock.  false: there is no room in the file, or no file any more.
static bool brawn_trace_advance(void) {
    char *const old = (char *)mi_atomic_load_acquire(&brawn_trace_chunk);
    const long file = brawn_trace_open(0);
    if (brawn_failed(file)) return false;
    const uint64_t number = atomic_fetch_add(&brawn_trace_header->chunks, 1);
    char *const chunk = brawn_trace_map(file, BRAWN_TRACE_HEADER + number * BRAWN_TRACE_CHUNK, BRAWN_TRACE_CHUNK);
    brawn_trace_call(ARCH_SYS_close, file, 0, 0, 0);
    if (chunk == NULL) return false;
    brawn_trace_describe(chunk);
    // Whoever counts itself from here on sees the new chunk; if nobody is counted, nobody has the old one.
    if (old != NULL && atomic_load(&brawn_trace_writers) == 0) brawn_unmap(old, BRAWN_TRACE_CHUNK);
    return true;
}

// Begins a record of `length` bytes, in a further chunk if need be, and counts the thread as a writer until
// brawn_trace_finish; NULL: there is no room.
static brawn_trace_record_t *brawn_trace_begin(size_t length) {
    for (;;) {
        atomic_fetch_add(&brawn_trace_writers, 1);
        const uintptr_t seen = atomic_load(&brawn_trace_chunk);
        brawn_trace_record_t *const record = brawn_trace_reserve((char *)seen, length);
        if (record != NULL) return record;
        atomic_fetch_sub(&brawn_trace_writers, 1);
        mi_lock_acquire(&brawn_trace_lock);
        const bool more = mi_atomic_load_acquire(&brawn_trace_chunk) != seen || brawn_trace_advance();
        mi_lock_release(&brawn_trace_lock);
        if (!more) {
            atomic_fetch_add(&brawn_trace_header->lost, 1);
            return NULL;
        }
    }
}

static void brawn_trace_finish(brawn_trace_record_t *record, uint32_t kind) {
    brawn_trace_say(record, kind);
    atomic_fetch_sub(&brawn_trace_writers, 1);
}

// Records the kernel's clock beside the counter, once in a millisecond.  If a thread is interrupted between reading the counter and the clock,
// they do not belong together: it sees that by the time, and tries again.
static void brawn_trace_clock(void) {
    enum { NEAR = 1 << 15 };  // of the counter: 16 us at 2 GHz
    static _Atomic(uintptr_t) said;
    const uintptr_t now = (uintptr_t)arch_clock();
    if (mi_likely(mi_atomic_load_relaxed(&said) == now)) return;
    mi_atomic_store_relaxed(&said, now);
    brawn_trace_clock_t *const clock = (brawn_trace_clock_t *)brawn_trace_begin(sizeof(brawn_trace_clock_t));
    if (clock == NULL) return;
    struct {
        int64_t seconds, nanoseconds;
    } time = {0, 0};
    for (int tries = 0; tries < 3; tries++) {
        const uint64_t before = arch_counter_in_order();
        brawn_trace_call(ARCH_SYS_clock_gettime, TRACE_CLOCK_MONOTONIC, (long)&time, 0, 0);
        const uint64_t between = (arch_counter_in_order() - before) / 2;
        clock->counter = before + between;
        if (between < NEAR) break;
    }
    clock->clock = (uint64_t)time.seconds * 1000000000 + (uint64_t)time.nanoseconds;
    brawn_trace_finish(&clock->head, BRAWN_TRACE_CLOCK);
}

// ---------------------------------------------------------------------------------------------
// What is recorded

// Who called a function of the surface: by its return address, the stack pointer behind that, and the frame pointer as
// the caller has it.  Only in functions that the surface ends with a jump to.
typedef struct {
    uintptr_t pc, sp, fp;
} brawn_caller_t;
#define BRAWN_CALLER() \
    ((brawn_caller_t){(uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa(), *(const uintptr_t *)__builtin_frame_address(0)})

// Whether the page at `address` may be read: the kernel copies the set from there before it finds that there is no such
// `how` (kernel/signal.c, sys_rt_sigprocmask), and changes nothing.
static bool brawn_trace_readable(uintptr_t address) {
    enum { KERNEL_SET = 8 };  // bytes
    return brawn_trace_call(ARCH_SYS_rt_sigprocmask, -1, (long)address, 0, KERNEL_SET) != -EFAULT;
}

// How many bytes of the stack from `from` on are there, in whole words.
//
// The memory behind a thread's stack may be another thread's, and may be unmapped at any time, even between a check and the copy.  musl puts
// a thread's structure above its stack, into the same mapping (src/thread/pthread_create.c), and the kernel puts the auxiliary vector's
// strings above the first stack.  So nothing behind these is copied.  In front of them the thread may run on another stack, of a coroutine or
// one that the program made, with a guard page behind it.  So the kernel is asked for each page.
static size_t brawn_trace_stack(uintptr_t from) {
    const uintptr_t top = brawn_on_first_stack() ? brawn_auxiliary(AUXV_RANDOM) : arch_thread_pointer();
    const size_t most = top > from && top - from < BRAWN_TRACE_STACK ? top - from : BRAWN_TRACE_STACK;
    uintptr_t end = _mi_align_up(from + 1, brawn_page_size);
    while (end - from < most && brawn_trace_readable(end)) end += brawn_page_size;
    const size_t size = end - from < most ? end - from : most;
    return size & ~(size_t)7;
}

// The distance to the next sample: -ln(u) * interval, with u drawn from (0, 1].  The logarithm is taken by its whole part
// and a parabola through the rest, which is right to 1 %.
static uint64_t brawn_trace_draw(uint64_t interval) {
    uint64_t x = brawn_trace_seed;
    if (x == 0) x = arch_counter() ^ (arch_thread_pointer() * 0x9e3779b97f4a7c15u) ^ 1;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;  // Marsaglia, "Xorshift RNGs"
    brawn_trace_seed = x;
    const uint64_t u = (x >> 32) | 1;  // of 2^32
    const unsigned whole = 63 - (unsigned)__builtin_clzll(u);
    const uint64_t rest = ((u << (32 - whole)) & 0xffffffffu) >> 16;  // of 2^16
    const uint64_t log2 = ((uint64_t)whole << 16) + rest + ((rest * (65536 - rest) >> 16) * 22485 >> 16);  // 0.3431
    const uint64_t below = ((uint64_t)32 << 16) > log2 ? ((uint64_t)32 << 16) - log2 : 0;
    const uint64_t natural = below * 45426 >> 16;  // ln 2
    return 1 + (interval >> 16) * natural + ((interval & 0xffff) * natural >> 16);
}

static uint64_t brawn_trace_interval(void) {
    const uint64_t samples = mi_atomic_load_relaxed(&brawn_trace_header->samples);
    const uint64_t halvings = samples < BRAWN_TRACE_OFTEN ? 0 : (samples - BRAWN_TRACE_OFTEN) / (BRAWN_TRACE_OFTEN / 2) + 1;
    return brawn_trace_header->interval << (halvings < 20 ? halvings : 20);
}

// Whether a request for `size` bytes that used up brawn_trace_left is to be recorded; draws the next distance.
static bool brawn_trace_due(size_t size) {
    static _Atomic(uintptr_t) started;
    brawn_own_heap();  // reads the options, and tells threads their end
    // Others wait while the first one opens the file, or they may be done before.
    if (mi_unlikely(mi_atomic_load_acquire(&started) == 0)) {
        mi_lock_acquire(&brawn_trace_lock);
        if (mi_atomic_load_relaxed(&started) == 0) brawn_trace_start();
        mi_atomic_store_release(&started, (uintptr_t)1);
        mi_lock_release(&brawn_trace_lock);
    }
    if (brawn_trace_header == NULL) {
        brawn_trace_left = UINT64_MAX;
        return false;
    }
    const uint64_t interval = brawn_trace_interval();
    bool due = brawn_trace_seed != 0;
    if (!due) {
        // The thread's first request.
        brawn_trace_left = brawn_trace_draw(interval);
        due = size >= brawn_trace_left;
        if (!due) brawn_trace_left -= size;
    }
    if (due) brawn_trace_left = brawn_trace_draw(interval);
    return due;
}

// Marks a block that lies in a mapping of its own, and records who asked for it.
static void brawn_trace_taken(mi_segment_t *segment, void *p, size_t size, const brawn_caller_t *caller) {
    brawn_trace_clock();
    const uint64_t interval = brawn_trace_interval();
    const size_t stack = brawn_trace_stack(caller->sp);
    brawn_trace_taken_t *const taken = (brawn_trace_taken_t *)brawn_trace_begin(sizeof(brawn_trace_taken_t) + stack);
    if (taken != NULL) {
        segment->large_traced = true;
        taken->block = (uintptr_t)p;
        taken->size = size;
        taken->interval = interval;
        taken->pc = caller->pc;
        taken->sp = caller->sp;
        taken->fp = caller->fp;
        taken->stack = stack;
        brawn_memcpy(taken + 1, (const void *)caller->sp, stack);
        atomic_fetch_add(&brawn_trace_header->samples, 1);
        brawn_trace_finish(&taken->head, BRAWN_TRACE_TAKEN);
    }
}

// A block in a mapping of its own is on its way back, or about to become another.  Returns whether it was recorded.
static bool brawn_trace_given(mi_segment_t *segment, void *p) {
    if (!segment->large_traced) return false;
    segment->large_traced = false;
    brawn_trace_clock();
    brawn_trace_given_t *const given = (brawn_trace_given_t *)brawn_trace_begin(sizeof(brawn_trace_given_t));
    if (given != NULL) {
        given->block = (uintptr_t)p;
        brawn_trace_finish(&given->head, BRAWN_TRACE_GIVEN);
    }
    return true;
}

// Around fork, as brawn_around_fork.  The child has none of the other threads that may be writing.
static void brawn_trace_around_fork(int who) {
    if (who < 0) mi_lock_acquire(&brawn_trace_lock);
    else mi_lock_release(&brawn_trace_lock);
    if (who > 0) atomic_store(&brawn_trace_writers, (uintptr_t)0);
}

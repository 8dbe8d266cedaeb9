/* Where a program's bytes are: the payload's heap with a look at itself.  `brawn-bench where` links this file in front of
 * a patched libc.a.
 *
 * A timer of processor time looks at how much is resident. When that is more than before, the process is copied (fork),
 * and the copy, in which nothing moves, walks through all segments and mappings and writes its sums to
 * standard error's place, the file of the descriptor in BRAWN_WHERE. The last of them is the one at the peak.
 *
 * With BRAWN_WHERE_RESTS instead, a process that shares all memory with the program looks whenever the program has used no
 * processor time for a while. The last of these looks is at what an idle program keeps.
 *
 * What is resident the kernel says (mincore), so pages that nobody touched do not count, whoever they belong to. */
#define _GNU_SOURCE 1
#define BRAWN_WHERE 1
#include "brawn-heap.c"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum row {
    HEADERS,
    SMALL_LIVE,
    SMALL_FREE,
    SMALL_WHOLE,
    MEDIUM_LIVE,
    MEDIUM_FREE,
    MEDIUM_WHOLE,
    SPAN_LIVE,
    SPAN_KEPT,
    REMOTE,
    SLICES_FREE,
    ABANDONED_LIVE,
    ABANDONED_FREE,
    ABANDONED_WHOLE,
    SEGMENTS_KEPT,
    LARGE_LIVE,
    LARGE_SLACK,
    LARGE_HEADERS,
    LARGE_KEPT,
    ROWS
};
static const char *const names[ROWS] = {
    "segment headers",
    "blocks of up to 1 KiB",
    "free beside them, in the same 4 KiB",
    "4 KiB without any, in their pages",
    "blocks of up to 16 KiB",
    "free beside them, in the same 4 KiB (medium)",
    "4 KiB without any, in their pages (medium)",
    "spans of up to 96 KiB",
    "spans that a thread keeps",
    "freed by another thread, not taken back",
    "free slices of segments",
    "blocks of ended threads",
    "free beside blocks of ended threads, in the same 4 KiB",
    "4 KiB without any, of ended threads",
    "segments that are kept",
    "large blocks",
    "behind large blocks, in their mappings",
    "headers of large blocks",
    "large blocks that are kept",
};
// What the walk finds: resident bytes, and how many pieces they are in.
static struct {
    size_t bytes[ROWS], count[ROWS];
    size_t by_size[BRAWN_SPAN_MAX / 16 + 1][2];  // live and free bytes of pages by their blocks' size
} found;

static unsigned char pages[1 << 16];

// Resident bytes of a range; what is not mapped has none.
static size_t resident(const void *start, size_t size) {
    size_t sum = 0;
    const uintptr_t from = (uintptr_t)start & ~(uintptr_t)4095;
    const size_t all = ((uintptr_t)start + size - from + 4095) / 4096;
    for (size_t done = 0; done < all; done += sizeof pages) {
        const size_t now = all - done < sizeof pages ? all - done : sizeof pages;
        if (arch_syscall6(SYS_mincore, (long)(from + done * 4096), (long)(now * 4096), (long)pages, 0, 0, 0)) continue;
        for (size_t i = 0; i < now; i++) sum += (pages[i] & 1) * 4096u;
    }
    return sum;
}

static void add(enum row row, size_t bytes) {
    if (bytes == 0) return;
    found.bytes[row] += bytes;
    found.count[row]++;
}

static bool is_kept_span(const mi_page_t *page) {
    const mi_heap_t *const heap = (const mi_heap_t *)mi_atomic_load_relaxed(&((mi_page_t *)page)->xheap);
    if (heap == NULL) return false;
    for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++)
        if (brawn_kept_spans(heap)[i] == page) return true;
    return false;
}

enum { MOST_BLOCKS = MI_MEDIUM_PAGE_SIZE / 16 };
static bool is_free[MOST_BLOCKS];

// Notes the blocks of a list as free, and says how many they are.
static size_t note_free(mi_page_t *page, const mi_block_t *list) {
    size_t count = 0;
    for (const mi_block_t *b = list; b != NULL; b = mi_block_next(page, b), count++) {
        const size_t number = (size_t)((const uint8_t *)b - page->page_start) / page->block_size;
        if (number < MOST_BLOCKS) is_free[number] = true;
    }
    return count;
}

// Whether a live block has a byte in these 4 KiB.
static bool is_pinned(const mi_page_t *page, const uint8_t *at) {
    const uint8_t *const end = at + 4096;
    size_t first = at <= page->page_start ? 0 : (size_t)(at - page->page_start) / page->block_size;
    for (; first < page->capacity && page->page_start + first * page->block_size < end; first++)
        if (!is_free[first]) return true;
    return false;
}

// Of a page's resident memory, what lies in 4 KiB without a live block; `away`: blocks that other threads freed and the
// page's own has not seen yet.
static size_t whole(mi_page_t *page, const uint8_t *start, size_t slices, size_t *away) {
    size_t sum = 0;
    brawn_memset(is_free, 0, sizeof is_free);
    *away = note_free(page, (const mi_block_t *)(mi_atomic_load_relaxed(&page->xthread_free) & ~(uintptr_t)3));
    if (page->block_size > MI_MEDIUM_OBJ_SIZE_MAX) return 0;
    note_free(page, page->free);
    note_free(page, page->local_free);
    for (size_t i = 0; i < slices; i++) {
        const uint8_t *const at = start + i * MI_SEGMENT_SLICE_SIZE;
        if (!is_pinned(page, at)) sum += resident(at, 4096);
    }
    return sum;
}

static void walk_page(mi_page_t *page, const uint8_t *start, size_t slices, bool ended) {
    const size_t size = page->block_size, bytes = resident(start, slices * MI_SEGMENT_SLICE_SIZE);
    size_t away = 0, empty = whole(page, start, slices, &away);
    away *= size;
    size_t live = (size_t)page->used * size;
    live = live > away ? live - away : 0;
    if (live > bytes) live = bytes;
    const size_t left = bytes - live;
    const size_t remote = away < left ? away : left;
    if (empty > left - remote) empty = left - remote;
    add(REMOTE, remote);
    if (size <= BRAWN_SPAN_MAX) {
        found.by_size[size / 16][0] += live;
        found.by_size[size / 16][1] += left;
    }
    const size_t beside = left - remote - empty;
    if (ended) {
        add(ABANDONED_LIVE, live);
        add(ABANDONED_FREE, beside);
        add(ABANDONED_WHOLE, empty);
    } else if (size > MI_MEDIUM_OBJ_SIZE_MAX) {
        add(is_kept_span(page) ? SPAN_KEPT : SPAN_LIVE, bytes - remote);
    } else {
        add(size <= 1024 ? SMALL_LIVE : MEDIUM_LIVE, live);
        add(size <= 1024 ? SMALL_FREE : MEDIUM_FREE, beside);
        add(size <= 1024 ? SMALL_WHOLE : MEDIUM_WHOLE, empty);
    }
}

static void walk_segment(mi_segment_t *segment) {
    const bool ended = mi_atomic_load_relaxed(&segment->thread_id) == 0;
    add(HEADERS, resident(segment, segment->segment_info_slices * MI_SEGMENT_SLICE_SIZE));
    for (size_t i = segment->segment_info_slices; i < segment->slice_entries;) {
        mi_slice_t *const slice = &segment->slices[i];
        const size_t count = slice->slice_count > 0 ? slice->slice_count : 1;
        const uint8_t *const start = (const uint8_t *)segment + i * MI_SEGMENT_SLICE_SIZE;
        if (slice->block_size > 0) walk_page(slice, start, count, ended);
        else add(ended ? ABANDONED_WHOLE : SLICES_FREE, resident(start, count * MI_SEGMENT_SLICE_SIZE));
        i += count;
    }
}

static bool is_among(_Atomic(void *) *kept, size_t count, const void *segment) {
    for (size_t i = 0; i < count; i++)
        if (mi_atomic_load_relaxed(&kept[i]) == segment) return true;
    return false;
}

static bool is_kept_large(const mi_segment_t *segment) {
    for (size_t i = 0; i < BRAWN_KEPT_LARGE; i++)
        if (mi_atomic_load_relaxed(&brawn_kept_large[i].segment) == segment) return true;
    return false;
}

static void walk_large(mi_segment_t *segment) {
    const mi_page_t *const page = brawn_large_page(segment);
    const size_t offset = (size_t)(page->page_start - (uint8_t *)segment);
    const size_t all = resident(page->page_start, segment->segment_size - offset);
    add(LARGE_HEADERS, resident(segment, offset & ~(size_t)4095));  // the rest is in the block's first page
    if (is_kept_large(segment)) {
        add(LARGE_KEPT, all);
        return;
    }
    const size_t used = resident(page->page_start, segment->large_asked);
    add(LARGE_LIVE, used);
    add(LARGE_SLACK, all - used);
}

// Whether the heap made what lies here, and how long it is; 0: something else.
static size_t ours(mi_segment_t *segment) {
    if (segment->kind == MI_SEGMENT_HUGE) {
        const mi_page_t *const page = brawn_large_page(segment);
        const size_t offset = (size_t)(page->page_start - (uint8_t *)segment);
        return page->block_size > 0 && offset + page->block_size <= segment->segment_size ? segment->segment_size : 0;
    }
    const bool fits = segment->segment_size == MI_SEGMENT_SIZE && segment->segment_info_slices - 1 < 16 &&
        segment->slice_entries - 1 < MI_SLICES_PER_SEGMENT;
    return fits && segment->segment_slices == MI_SLICES_PER_SEGMENT ? MI_SEGMENT_SIZE : 0;
}

static void walk_range(uintptr_t from, uintptr_t to) {
    for (uintptr_t at = _mi_align_up(from, MI_SEGMENT_ALIGN); at + 4096 <= to;) {
        mi_segment_t *const segment = (mi_segment_t *)at;
        if (is_among(brawn_kept, BRAWN_KEPT_SEGMENTS, segment)) {
            add(SEGMENTS_KEPT, resident(segment, MI_SEGMENT_SIZE));
            at += MI_SEGMENT_SIZE;
            continue;
        }
        // Looking at a page that nobody touched is looking at zeros.
        const size_t size = ours(segment);
        if (size > 0 && segment->kind == MI_SEGMENT_HUGE) walk_large(segment);
        else if (size > 0) walk_segment(segment);
        at += _mi_align_up(size > 0 ? size : 1, MI_SEGMENT_ALIGN);
    }
}

static char maps[1 << 22];

static size_t read_all(const char *path, char *text, size_t room) {
    const int file = (int)arch_syscall6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    size_t length = 0;
    for (long got; file >= 0 && (got = arch_syscall6(SYS_read, file, (long)(text + length), (long)(room - 1 - length), 0, 0, 0)) > 0;)
        length += (size_t)got;
    if (file >= 0) arch_syscall6(SYS_close, file, 0, 0, 0, 0, 0);
    text[length] = 0;
    return length;
}

static uintptr_t hex(const char **text) {
    uintptr_t value = 0;
    for (;; (*text)++) {
        const char c = **text;
        if (c >= '0' && c <= '9') value = value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f') value = value * 16 + (uintptr_t)(c - 'a' + 10);
        else return value;
    }
}

// The number behind so many blanks of a file; 0: none.
static size_t number_in(const char *path, int blanks) {
    static char text[1024];
    read_all(path, text, sizeof text);
    const char *at = text;
    while (blanks-- > 0)
        while (*at != 0 && *at++ != ' ') {}
    size_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++) number = number * 10 + (size_t)(*at - '0');
    return number;
}

static void walk(int out, size_t resident_kb) {
    brawn_memset(&found, 0, sizeof found);
    read_all("/proc/self/maps", maps, sizeof maps);
    for (const char *line = maps; *line != 0;) {
        const uintptr_t from = hex(&line);
        line++;
        const uintptr_t to = hex(&line);
        if (brawn_take(&line, " rw-p 00000000 00:00 0")) walk_range(from, to);
        while (*line != 0 && *line++ != '\n') {}
    }
    static char text[1 << 16];
    int length = snprintf(text, sizeof text, "resident %zu\n", resident_kb * 1024);
    for (int row = 0; row < ROWS; row++)
        length += snprintf(text + length, sizeof text - (size_t)length, "row %zu %zu %s\n", found.bytes[row], found.count[row], names[row]);
    for (size_t size = 0; size <= BRAWN_SPAN_MAX / 16 && length < (int)sizeof text - 100; size++) {
        const size_t *const both = found.by_size[size];
        if (both[0] + both[1] == 0) continue;
        length += snprintf(text + length, sizeof text - (size_t)length, "size %zu %zu %zu\n", size * 16, both[0], both[1]);
    }
    arch_syscall6(SYS_ftruncate, out, 0, 0, 0, 0, 0);
    arch_syscall6(SYS_pwrite64, out, (long)text, length, 0, 0, 0);
}

static int output = -1;

static void look(int number) {
    static _Atomic(size_t) busy;
    static size_t most;
    if (mi_atomic_exchange_acq_rel(&busy, (size_t)1)) return;
    const size_t kb = number_in("/proc/self/statm", 1) * 4;
    if (kb > most + most / 64) {
        most = kb;
        // No signal at its end, and no handlers of fork: the copy calls nothing of the heap.
        const long copy = arch_syscall6(SYS_clone, 0, 0, 0, 0, 0, 0);
        if (copy == 0) {
            walk(output, kb);
            arch_syscall6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
        }
        if (copy > 0) arch_syscall6(SYS_wait4, copy, 0, 0x40000000, 0, 0, 0);  // __WALL
    }
    mi_atomic_store_release(&busy, (size_t)0);
}

// Its memory is the program's, so what it looks at is what is there; its files are its own. "self" is this process then.
// Processor time is counted in ticks of 10 ms: that of all threads, of user and kernel.
static int watch(void *program) {
    static char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)(intptr_t)program);
    size_t before = SIZE_MAX, looked = SIZE_MAX;
    arch_syscall6(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    for (int calm = 0;; calm++) {
        const long pause[2] = {0, 50000000};
        arch_syscall6(SYS_nanosleep, (long)pause, 0, 0, 0, 0, 0);
        const size_t now = number_in(path, 13) + number_in(path, 14);
        if (now != before) calm = 0;
        before = now;
        if (calm < 12 || now == looked) continue;
        looked = now;
        walk(output, number_in("/proc/self/statm", 1) * 4);
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *name = NULL;
    bool rests = false;
    for (char **entry = __environ; *entry != NULL; entry++) {
        const char *text = *entry;
        if (brawn_take(&text, "BRAWN_WHERE=")) name = text;
        else if (brawn_take(&text, "BRAWN_WHERE_RESTS=")) rests = true;
    }
    if (name == NULL) return;
    output = (int)arch_syscall6(SYS_openat, AT_FDCWD, (long)name, O_RDWR | O_CREAT | O_CLOEXEC, 0644, 0, 0);
    if (rests) {
        static char stack[1 << 16] __attribute__((aligned(16)));
        clone(watch, stack + sizeof stack, CLONE_VM | CLONE_UNTRACED, (void *)(intptr_t)getpid());
        return;
    }
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    const struct itimerval every = {{0, 4000}, {0, 4000}};
    setitimer(ITIMER_PROF, &every, NULL);
}

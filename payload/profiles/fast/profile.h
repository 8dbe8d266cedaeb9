// Profile `fast`: time first, at a memory cost near musl's.
#ifndef BRAWN_PROFILE_H
#define BRAWN_PROFILE_H

#define MI_SECURE 0

// Segments of 1 MiB in slices of 4 KiB.  The engine's own values (32 MiB, 64 KiB) reserve more
// address space than a small program or an RLIMIT_AS allows for.
#define MI_SEGMENT_SLICE_SHIFT 12
#define MI_SEGMENT_SHIFT 20

// Blocks up to an eighth of this share pages with others of their size; larger ones have a span of
// slices each; blocks larger than BRAWN_SPAN_MAX have a mapping each.
#define MI_MEDIUM_PAGE_SHIFT 17
#define BRAWN_SPAN_MAX (96u << 10)

// A page holds at least so many blocks, and is no smaller than this.
#define BRAWN_PAGE_BLOCKS 8
#define BRAWN_PAGE_MIN (16u << 10)

// Free pages go back to the kernel when they stayed free for this long, in units of arch_clock
// (about a millisecond).
#define BRAWN_PURGE_DELAY 10

// At most so many free segments stay with the process, for the next thread or size that needs one.
#define BRAWN_KEPT_SEGMENTS 4

// A thread that needs a segment looks at so many whose threads have ended; each of them that is empty
// goes back, so that they become fewer than are made.
#define BRAWN_ABANDONED_VISITS 16

// Freed blocks of more than BRAWN_SPAN_MAX stay for the next ones that they suit: at most so many, in
// all at most the greater of BRAWN_KEPT_LARGE_MIN bytes and BRAWN_KEPT_LARGE_HALVES halves of what
// is in use, and (seen at the next free) for at most BRAWN_KEPT_LARGE_TIME units of arch_clock.  A block
// of at most BRAWN_KEPT_LARGE_ONE counts as in use while it is freed.
// Measured with bench/workloads/{stress,huge,realloc}.c: three times what is in use takes fewer
// page faults than glibc in all of them, at 0.9 to 1.2 times its peak memory.
#define BRAWN_KEPT_LARGE 32
#define BRAWN_KEPT_LARGE_MIN (2u << 20)
#define BRAWN_KEPT_LARGE_HALVES 6
#define BRAWN_KEPT_LARGE_ONE (16u << 20)
#define BRAWN_KEPT_LARGE_TIME 1000

// From so many mappings of such blocks on, new ones take whole multiples of a segment's size.
#define BRAWN_LARGE_APART 32768

// A block of at most this size that grows is copied into a kept mapping, if there is one.
#define BRAWN_COPY_MAX (2u << 20)

#endif

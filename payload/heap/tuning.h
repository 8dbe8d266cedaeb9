// What a profile may set, and what it gets if it does not: profile `fast`'s values.
#ifndef BRAWN_TUNING_H
#define BRAWN_TUNING_H

// Whether blocks carry a seal that `free` and `realloc` check (checked.c); 0: blocks.c has the paths.
#ifndef BRAWN_CHECKED
#define BRAWN_CHECKED 0
#endif

// Whether this is the variant for shared objects (shared.c), which -DBRAWN_SHARED=1 asks for.
#ifndef BRAWN_SHARED
#define BRAWN_SHARED 0
#endif

// Whether sampled blocks are recorded (trace.c).  Not in shared objects: the record is the program's.
#if !defined(BRAWN_TRACE) || BRAWN_SHARED
#undef BRAWN_TRACE
#define BRAWN_TRACE 0
#endif
#if BRAWN_TRACE && BRAWN_CHECKED
#error "the paths that record blocks are around those of blocks.c, and a checked profile has others"
#endif

// The engine's own hardening: with 1 guard pages behind a segment's header and at its end.  (With 2 it puts fresh
// blocks in random order, by arrays of 1 KiB on the stack, which the smallest of threads does not have; that
// and padding are ours: quarantine.c, checked.c.)
#ifndef MI_SECURE
#define MI_SECURE 0
#endif
#define MI_PADDING 0

// Segments of 1 MiB in slices of 4 KiB.  The engine's own values (32 MiB, 64 KiB) reserve more
// address space than a small program or an RLIMIT_AS allows for.
#define MI_SEGMENT_SLICE_SHIFT 12
#define MI_SEGMENT_SHIFT 20

// Blocks up to an eighth of this share pages with others of their size; larger ones have a span of
// slices each; blocks larger than BRAWN_SPAN_MAX have a mapping each.
#define MI_MEDIUM_PAGE_SHIFT 17
#define BRAWN_SPAN_MAX (96u << 10)

// How many small blocks of other threads a thread without a heap frees until it gets one, in which it collects them (parcels.c).
#define BRAWN_PARCELS_LEAST 64

// A page of a thread with at most BRAWN_PAGE_SEGMENTS segments holds at least BRAWN_PAGE_BLOCKS blocks, and has at least
// BRAWN_PAGE_MIN bytes.  With more, it is as small as it can be without losing more than one part in BRAWN_PAGE_LOSS at its end.
#ifndef BRAWN_PAGE_SEGMENTS
#define BRAWN_PAGE_SEGMENTS 1
#endif
#ifndef BRAWN_PAGE_BLOCKS
#define BRAWN_PAGE_BLOCKS 8
#endif
#ifndef BRAWN_PAGE_MIN
#define BRAWN_PAGE_MIN (16u << 10)
#endif
// Pages of larger blocks are small in every thread.
#ifndef BRAWN_PAGE_ROOMY
#define BRAWN_PAGE_ROOMY MI_MEDIUM_OBJ_SIZE_MAX
#endif
#ifndef BRAWN_PAGE_LOSS
#define BRAWN_PAGE_LOSS 32
#endif

// But a further page of blocks of at most BRAWN_PAGE_GROWS bytes (0: of none) has up to one part in BRAWN_PAGE_PART of what the heap's pages of
// its size have, and at most BRAWN_PAGE_MOST bytes.
#ifndef BRAWN_PAGE_GROWS
#define BRAWN_PAGE_GROWS (BRAWN_CHECKED ? 0 : 1024)
#endif
#define BRAWN_PAGE_PART 4
#define BRAWN_PAGE_MOST (32u << 10)

// If blocks carry a seal, freed blocks of `size` bytes go round once a page has this many of them, or all for which it has room (quarantine.c).
// Each of them touches memory, and with many threads this takes more time than malloc and free do.
#define BRAWN_QUARANTINE(size) ((size) <= 512 ? 16u : 8u)

// The list of a fresh page begins at the block of this number times its size in units of 16 bytes, modulo their count.
#define BRAWN_PAGE_STEP 11

// `realloc` moves a block of at most this many bytes in units of 16, which takes half to nine tenths of the time
// of the microcode's copy; at twice the size it takes longer (compare the Intel Optimization Manual,
// 3.7.6).
#define BRAWN_COPY_UNITS (1u << 10)

// The only page of its size is given up, when it is empty, after this many other pages were made.
// The engine's own 16 are too few for a program that uses all sizes in turn: there are more sizes than that,
// and each one's page is gone when it is needed again.  (A power of two: spans.c, brawn_page_gives.)
#define BRAWN_RETIRE_CYCLES 64

// How much of what was in use lately may stay free and with the process, in percent (purge.c), besides BRAWN_KEEP_LEAST slices.
#ifndef BRAWN_KEEP_FREE
#define BRAWN_KEEP_FREE (BRAWN_SHARED ? 100 : 25)
#endif
#ifndef BRAWN_KEEP_LEAST
#define BRAWN_KEEP_LEAST 256
#endif

// Before a thread waits, it gives back what is free: at most every so many units of arch_clock, and one more for each BRAWN_REST_SEGMENTS segments
// of nobody's that it looks at, which takes about 50 microseconds.  (wait.c)
#ifndef BRAWN_REST_DELAY
#define BRAWN_REST_DELAY 1
#endif
#define BRAWN_REST_SEGMENTS 32
// Large blocks that waited for less than so many units stay.
#ifndef BRAWN_REST_AGE
#define BRAWN_REST_AGE 10
#endif
// A thread that waits leaves a heap of at most so many segments to others; -1: it leaves none.
#ifndef BRAWN_REST_LEAVES
#define BRAWN_REST_LEAVES 1
#endif

// At most this many free segments stay with the process, for the next thread or size that needs one.
#ifndef BRAWN_KEPT_SEGMENTS
#define BRAWN_KEPT_SEGMENTS 4
#endif

// At most so many empty pages wait for the next blocks of their size though others of it are there, if they have at most so many slices (spare.c).
#ifndef BRAWN_SPARE_PAGES
#define BRAWN_SPARE_PAGES 8
#endif
#define BRAWN_SPARE_SLICES 16

// Before a segment is mapped that makes more of them than ever, empty pages and spans that wait are given up: at most this many times for each
// segment in use, so that a program that needs all of them in turn does not make them again and again.
#ifndef BRAWN_MORE_SEGMENTS
#define BRAWN_MORE_SEGMENTS 4
#endif

// A block with a span of its own costs the engine some hundred nanoseconds each way.  A thread keeps
// at most this many that it freed; the engine takes them for allocated.
#ifndef BRAWN_KEPT_SPANS
#define BRAWN_KEPT_SPANS 4
#endif

// At most this many blocks of `size` bytes that a thread frees in full pages wait for its next ones (recent.c), if they have BRAWN_RECENT_LEAST
// bytes.
#ifndef BRAWN_RECENT_LEAST
#define BRAWN_RECENT_LEAST 208u
#endif
// From so many bytes on such a block comes before those of other pages (brawn_page_turn): pages of larger blocks have few.
#define BRAWN_RECENT_FIRST 1024u
#ifndef BRAWN_RECENT
#define BRAWN_RECENT(size) ((size) <= 1024 ? 8u : 1u + (16u << 10) / (unsigned)(size))
#endif

// A thread with at most this many pages takes a kept span of up to four times the size, one with at most BRAWN_SPAN_SEGMENTS of up to twice.  And
// if any block of more than BRAWN_GROWN that grows by realloc has to move in a thread with so few pages, it gets a span of its own, with room to
// grow on.
#define BRAWN_SPAN_PAGES 16
#define BRAWN_SPAN_SEGMENTS 4
#define BRAWN_GROWN (8u << 10)

// A block that grows takes the span that the last one grew to, if that is at most so many times larger than what it needs.  (A block that then
// stays small holds the rest until there is need of it.)  A mapping, however large it is: what is unused of that can be cut off, but in checked
// profiles.  Not for less than BRAWN_GROWN_LEAST bytes, which takes longer than the copy.
#define BRAWN_GROWN_TIMES 256
#define BRAWN_GROWN_LEAST (4u << 10)

// At most this many blocks that another thread than their own freed wait for any thread that needs one: BRAWN_PASSED_SPANS blocks with a
// span, and BRAWN_PASSED_EACH of each smaller size above 1 KiB.
#ifndef BRAWN_PASSED_SPANS
#define BRAWN_PASSED_SPANS 16
#endif
#define BRAWN_PASSED_EACH 4

// A thread that needs a segment looks at no more than this many whose threads have ended.  The empty ones
// go back to the kernel, so that more go than come.
#ifndef BRAWN_ABANDONED_VISITS
#define BRAWN_ABANDONED_VISITS 16
#endif

// Heaps of threads that have ended go to the next threads as they are (pool.c), if all heaps that wait weigh at most this together, or
// two for each thread that has a heap.  The weight of a heap is one, and one for each of its segments.
#ifndef BRAWN_POOL
#define BRAWN_POOL 24
#endif
// Such a heap has at most BRAWN_POOL_FEW blocks in use, or at most BRAWN_POOL_BLOCKS that fill half of its segments.
#define BRAWN_POOL_FEW 256
#define BRAWN_POOL_BLOCKS 8192

// Freed blocks of more than BRAWN_SPAN_MAX stay for the next ones that they suit (cache.c): at most BRAWN_KEPT_LARGE blocks, together
// at most the greater of BRAWN_KEPT_LARGE_MIN bytes with the allowance, and BRAWN_KEPT_LARGE_HALVES halves of what
// is in use, and (seen at the next free) for at most BRAWN_KEPT_LARGE_TIME units of arch_clock.  A block
// of at most BRAWN_KEPT_LARGE_ONE counts as in use while it is freed.
// Measured with bench/workloads/{stress,huge,realloc}.c: three times what is in use takes fewer
// page faults than glibc in all of them, at 0.9 to 1.2 times its peak memory.
#ifndef BRAWN_KEPT_LARGE
#define BRAWN_KEPT_LARGE 512
#endif
// So many threads have slots of their own: the next ones use those of all threads.
#define BRAWN_OWN_LARGE 16
// With threads, the first of them is for mappings of at most BRAWN_OWN_LARGE_MOST bytes (a block of 4 MiB that grew has so many), the second one for
// those of BRAWN_OWN_LARGE_SECOND.
#define BRAWN_OWN_LARGE_MOST (4352u << 10)
#define BRAWN_OWN_LARGE_SECOND (1344u << 10)
// (256 blocks and 2 MiB: huge takes 1.2 times the time, at the same peak, and `waves` of overtime.c 1.1 times.)  A shared object is one of several.
#ifndef BRAWN_KEPT_LARGE_MIN
#define BRAWN_KEPT_LARGE_MIN (BRAWN_SHARED ? 2u << 20 : 8u << 20)
#endif
#ifndef BRAWN_KEPT_LARGE_HALVES
#define BRAWN_KEPT_LARGE_HALVES 6
#endif
// (The largest block that glibc's malloc does not give back to the kernel at once, DEFAULT_MMAP_THRESHOLD_MAX of its malloc.c, and its header.)
#ifndef BRAWN_KEPT_LARGE_ONE
#define BRAWN_KEPT_LARGE_ONE ((32u << 20) + (64u << 10))
#endif
// The allowance is at most so many bytes for each thread: twice that.
#ifndef BRAWN_ALLOWANCE
#define BRAWN_ALLOWANCE ((size_t)64 << 20)
#endif
// One that is shortened keeps at least so much.
#define BRAWN_KEPT_LARGE_PART (256u << 10)
#ifndef BRAWN_KEPT_LARGE_TIME
#define BRAWN_KEPT_LARGE_TIME 1000
#endif
// Used and kept blocks together take no more than the most that was ever in use, plus a part of it: one in
// BRAWN_KEPT_LARGE_ROOM.  0: no such bound.  (With it the stress takes a tenth less memory, and up to half as much time more.)
#ifndef BRAWN_KEPT_LARGE_ROOM
#define BRAWN_KEPT_LARGE_ROOM 0
#endif

// Before a large block is mapped, kept mappings are released until all mappings take at most the sum of: the most that was ever in use,
// that divided by BRAWN_LARGE_MORE, and BRAWN_LARGE_RESERVE bytes (only in checked profiles if segments are kept).  Slack (slack.c) is not in use, except in
// checked profiles, which do not count it.  Until as much as the peak went for making room within the last second, it is one part in
// BRAWN_LARGE_MORE_FIRST: a program that once turns to blocks of another size makes room for less than that.
#ifndef BRAWN_LARGE_MORE
#define BRAWN_LARGE_MORE (BRAWN_CHECKED ? 32 : 4)
#endif
#define BRAWN_LARGE_MORE_FIRST 32
#define BRAWN_LARGE_RESERVE ((size_t)1 << 20)
// If this is not 0, slack is cut off, too.  And instead of adding BRAWN_LARGE_RESERVE, the limit is lowered by what threads have free
// in their segments, by at most this many bytes.
#ifndef BRAWN_LARGE_TIGHT
#define BRAWN_LARGE_TIGHT 0
#endif
// Less slack than this stays, but where slack is counted to the byte.
#define BRAWN_SLACK_LEAST ((size_t)1 << 20)
// How many mappings may have slack that can be cut off.
#if BRAWN_LARGE_TIGHT
#define BRAWN_SLACK_SLOTS 512
#else
#define BRAWN_SLACK_SLOTS 64
#endif
#if BRAWN_LARGE_TIGHT && BRAWN_CHECKED
#error "a tight profile cuts off what a mapping has too much, and a checked one counts none of that"
#endif

// A thread's only large block takes a kept mapping of up to so many times what it needs.
#define BRAWN_ONLY_TIMES 16

// With at most this many mappings, one that is much too large serves where the peak would grow.
#define BRAWN_LARGE_FEW 16

// Once there are this many mappings of large blocks, a new one is a whole multiple of a segment's size: it touches its neighbours, and the kernel
// makes one of them.  So three quarters of the 65,530 that a process may have are left to the program.
#define BRAWN_LARGE_APART 16384

// At most this many segments, and as many mappings of large blocks, have guard pages.  Those split a mapping in up to
// four of the 65,530 that a process may have (vm.max_map_count).
#define BRAWN_GUARDED 4096

// calloc has the kernel clear a block of at least this size that was used before: its pages are new ones again.
#define BRAWN_ZERO_BY_KERNEL ((size_t)32 << 20)

// A block that grows gets an eighth more address space than it needs, and at most this much.
#define BRAWN_LARGE_STEP (256u << 10)

// A block of at most this size that grows is copied into a kept mapping, if there is one.
#define BRAWN_COPY_MAX (2u << 20)

// With BRAWN_OPTIONS=huge_pages=1, mappings of at least this size ask for huge pages: what one has on most machines.
#define BRAWN_HUGE_PAGES (2u << 20)

// Fewer segments than these of one heap are kept from becoming huge pages.
#ifndef BRAWN_SMALL_SEGMENTS
#define BRAWN_SMALL_SEGMENTS 8
#endif

// Mappings of at least this size are kept from becoming huge pages; 0: none are.
#ifndef BRAWN_SMALL_PAGES
#define BRAWN_SMALL_PAGES 0
#endif

#endif

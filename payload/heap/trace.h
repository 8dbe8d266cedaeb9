// The file that profile `trace` writes (trace.c), and crates/brawn-sample/src/heap/recording.rs reads.  All numbers are
// little endian.
//
//   header, 4096 bytes | chunk | chunk | …
//
// Several processes may write one file: a program and what it forks or starts.  A chunk belongs to whoever counted it in
// the header.  It begins with the number of bytes that are taken in it; records follow, each a multiple of 8 bytes long.
// A record whose kind is 0 was never finished; one whose length is 0 ends its chunk.
//
// Times are of the processor's counter, since the kernel's clock takes a system call.  What they are by the clock the records of that
// say.
#ifndef BRAWN_TRACE_H
#define BRAWN_TRACE_H

#include <stdint.h>

#define BRAWN_TRACE_MAGIC "brawn heap trace"
enum {
    BRAWN_TRACE_VERSION = 2,
    BRAWN_TRACE_HEADER = 4096,
    BRAWN_TRACE_CHUNK = 256 << 10,
    BRAWN_TRACE_STACK = 32 << 10,  // at most so many bytes of the stack
    BRAWN_TRACE_MAPS = 32 << 10,  // at most so many bytes of /proc/self/maps
};

typedef struct {
    char magic[16];
    uint32_t version;
    uint32_t machine;  // ELF's e_machine
    _Atomic(uint64_t) chunks;  // how many are taken
    _Atomic(uint64_t) samples;  // how many blocks were recorded
    _Atomic(uint64_t) lost;  // how many were to be recorded and could not be
    uint64_t interval;  // bytes, on average, between two samples at first
} brawn_trace_header_t;

enum {
    BRAWN_TRACE_PROCESS = 1,  // each chunk begins with one
    BRAWN_TRACE_TAKEN,
    BRAWN_TRACE_GIVEN,
    BRAWN_TRACE_CLOCK,  // about one in a millisecond
};

typedef struct {
    uint32_t length;  // of all of it, in bytes; written first
    _Atomic(uint32_t) kind;  // written last
    uint32_t process, thread;
    uint64_t time;  // the processor's counter (arch_counter)
} brawn_trace_record_t;

typedef struct {
    brawn_trace_record_t head;
    uint64_t entry;  // AT_ENTRY: where the program's own entry point is in memory
    uint64_t text;  // bytes of /proc/self/maps behind this
} brawn_trace_process_t;

typedef struct {
    brawn_trace_record_t head;
    uint64_t block;  // its address, by which the record of its end names it
    uint64_t size;  // bytes that the program asked for
    uint64_t interval;  // bytes, on average, between two samples
    uint64_t pc, sp, fp;  // of who asked: where it goes on, its stack pointer then, and its frame pointer
    uint64_t stack;  // bytes of its stack behind this, from sp on
} brawn_trace_taken_t;

typedef struct {
    brawn_trace_record_t head;
    uint64_t block;
} brawn_trace_given_t;

typedef struct {
    brawn_trace_record_t head;
    uint64_t counter;  // the processor's
    uint64_t clock;  // CLOCK_MONOTONIC then, in nanoseconds
} brawn_trace_clock_t;

_Static_assert(sizeof(brawn_trace_header_t) == 56 && sizeof(brawn_trace_record_t) == 24 && sizeof(brawn_trace_process_t) == 40 &&
        sizeof(brawn_trace_taken_t) == 80 && sizeof(brawn_trace_given_t) == 32 && sizeof(brawn_trace_clock_t) == 40,
    "the reader counts on these sizes");

#endif

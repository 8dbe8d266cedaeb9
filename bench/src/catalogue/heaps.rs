//! Loads as the public test programs of allocators have them, for all heaps.

use super::{Entry, run};
use crate::variant::Variant;

const fn all(
    id: &'static str,
    workload: &'static str,
    arguments: &'static [&'static str],
    quick: &'static [&'static str],
    title: &'static str,
) -> Entry {
    Entry {
        variants: &Variant::HEAPS,
        ..run(id, workload, arguments, quick, 11, title)
    }
}

/// What is measured. The comment at the top of each source says what a load does.
pub const SERVER: Entry = all(
    "heaps-server",
    "server",
    &["2", "100"],
    &["2", "25"],
    "server tables that move on to new threads, 2 workers",
);
/// A thread allocates, another frees.
pub const ONEWAY: Entry = all(
    "heaps-oneway",
    "oneway",
    &["1", "1000000"],
    &["1", "200000"],
    "one thread allocates, another frees, 128 blocks at a time",
);
/// Threads come and go, and share a table.
pub const GENERATIONS: Entry = all(
    "heaps-generations",
    "generations",
    &["2", "20", "20000"],
    &["2", "4", "20000"],
    "generations of 2 threads that share a table",
);
/// Large blocks.
pub const BUFFERS: Entry = all(
    "heaps-buffers",
    "buffers",
    &["60"],
    &["20"],
    "buffers of 5–25 MB, every page written",
);
/// A list of calls.
pub const REPLAY: Entry = all(
    "heaps-replay",
    "replay",
    &["20"],
    &["4"],
    "a list of calls for small blocks, 1 thread",
);
/// The pool of a formatter.
pub const FORMAT: Entry = all(
    "heaps-format",
    "format",
    &["32", "1500"],
    &["32", "100"],
    "32 threads format texts: many small blocks, of which few stay",
);
/// Vectors that grow as C++'s do.
pub const LEDGER: Entry = all(
    "heaps-ledger",
    "ledger",
    &["150000", "copy"],
    &["15000", "copy"],
    "vectors up to 20 MB that grow by copies, beside small records",
);
/// Vectors that grow as those of C and Rust do.
pub const LEDGER_REALLOC: Entry = all(
    "heaps-realloc",
    "ledger",
    &["150000", "realloc"],
    &["15000", "realloc"],
    "the same, by realloc",
);

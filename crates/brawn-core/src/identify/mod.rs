//! Structure to meaning: which libc, whose heap, and where.

pub mod archive;

use serde::Serialize;

/// Which C library a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Libc {
    /// musl.
    Musl,
    /// The GNU C library.
    Glibc,
    /// None, or one that brawn does not know.
    Unknown,
}

impl Libc {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Musl => "musl",
            Self::Glibc => "glibc",
            Self::Unknown => "unknown",
        }
    }
}

/// The heap's public names: what ISO C, POSIX and musl's headers declare.
pub const PUBLIC: [&str; 10] = [
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "valloc",
];

/// The names by which musl itself reaches its heap.
pub const PRIVATE: [&str; 8] = [
    "__libc_calloc",
    "__libc_free",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_realloc",
    "__malloc_allzerop",
    "__malloc_atfork",
    "__malloc_donate",
];

/// Names that only members of musl's heaps use among themselves: they go with their members, and
/// nothing that stays may need them.
pub const INTERNAL: [&str; 9] = [
    // Shared by both heaps: the lock that fork takes, with a weak fallback in fork's own member.
    "__bump_lockptr",
    // mallocng.
    "__malloc_alloc_meta",
    "__malloc_context",
    "__malloc_lock",
    "__malloc_size_classes",
    // oldmalloc.
    "__bin_chunk",
    "__malloc0",
    "__memalign",
    "__realloc_dep",
];

/// Whether `name` is one of the heap's public names.
pub fn is_public(name: &[u8]) -> bool {
    PUBLIC.iter().any(|n| n.as_bytes() == name)
}

/// Whether `name` is part of the heap's surface, public or private.
pub fn is_surface(name: &[u8]) -> bool {
    is_public(name) || PRIVATE.iter().any(|n| n.as_bytes() == name)
}

/// Whether `name` is known to belong to a heap of musl's.
pub fn is_heap(name: &[u8]) -> bool {
    is_surface(name) || INTERNAL.iter().any(|n| n.as_bytes() == name)
}

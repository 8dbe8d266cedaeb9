//! Finds out what a file contains: which libc, which heap, and where.

pub mod executable;
pub mod fork;
pub mod heap;
pub(crate) mod reach;
pub(crate) mod rewritten;
pub(crate) mod signs;

use crate::elf::system;
use crate::note::Note;
use serde::Serialize;

crate::named! {
    /// Which C library a file holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Libc {
        /// musl.
        Musl = "musl",
        /// The GNU C library.
        Glibc = "glibc",
        /// No libc, or one that brawn does not know.
        Unknown = "unknown",
    }
}

crate::named! {
    /// How a file takes part in a program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Linkage {
        /// An executable without a dynamic linker, at a fixed address.
        Static = "static",
        /// An executable without a dynamic linker that runs at any address.
        StaticPie = "static-pie",
        /// An executable that a dynamic linker starts.
        Dynamic = "dynamic",
        /// A shared object.
        SharedObject = "shared object",
        /// An archive of objects.
        Archive = "archive",
        /// A relocatable object.
        Object = "object",
        /// A core file, or a type that only one system has.
        Other = "other",
    }
}

impl Linkage {
    /// Whether it is a program that asks for no shared libraries.
    pub fn is_static(self) -> bool {
        matches!(self, Self::Static | Self::StaticPie)
    }
}

crate::named! {
    /// Which memory functions (`memcpy` and similar ones) are in a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Memory {
        /// musl's.
        Musl = "musl",
        /// brawn's.
        Brawn = "brawn",
        /// brawn's, and others besides.
        Mixed = "mixed",
        /// glibc's.
        Glibc = "glibc",
        /// The shared libc's, outside of the file.
        Shared = "shared libc",
        /// Other ones, which the program or its compiler brought.
        Other = "other",
        /// The file has none.
        None = "none",
        /// brawn cannot tell.
        Unknown = "unknown",
    }
}

/// What brawn found in a file, the same for every format.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The architecture in words.
    pub architecture: String,
    /// The libc that it contains or needs.
    pub libc: Libc,
    /// That libc's version, if known.
    pub libc_version: Option<String>,
    /// How it takes part in a program.
    pub linkage: Linkage,
    /// The dynamic linker that it asks for.
    pub interpreter: Option<String>,
    /// The operating system that it is for, if not Linux.
    pub system: Option<system::System>,
    /// Its architecture, if brawn has a heap for it.
    pub payload: Option<brawn_payload::Architecture>,
    /// All heaps in it. If it is known which heap `malloc` uses, that heap comes first.
    pub heaps: Vec<heap::FoundHeap>,
    /// Whether it has a full symbol table to find heaps by.
    pub has_symbols: bool,
    /// Which memory functions are in it.
    pub memory: Memory,
    /// Where brawn's memory functions come from: all notes of theirs in the file.
    pub memory_notes: Vec<Note>,
    /// The notes of brawn's other functions of libc.
    pub libc_notes: Vec<Note>,
    /// The evidence for all findings but the heaps, which have their own.
    pub evidence: Vec<String>,
    /// Functions of libc that an archive lacks because another heap was put into it.
    pub missing: Vec<String>,
    /// What the user can do about it.
    pub hint: Option<String>,
}

/// The heap's public names, and the names by which musl itself calls it.
pub use brawn_payload::{HEAP_NAMES as PUBLIC, HEAP_PRIVATE as PRIVATE};

/// Names that only members of musl's heaps use. They are removed with those members, so no member that stays may need
/// them.
pub const INTERNAL: [&str; 9] = [
    // In both heaps: the lock that fork takes. Fork's own member has a weak fallback.
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

/// The memory and string functions that programs spend their time in, by their public names.
pub use brawn_payload::MEMORY_NAMES as MEMORY;

/// The prefix of the names by which brawn's memory functions call each other.
pub const MEMORY_OWN: &[u8] = brawn_payload::MEMORY_PREFIX.as_bytes();

/// Each of brawn's other functions refers to this name, so that the object with their note is linked too.
pub const LIBC_NOTE: &[u8] = b"brawn_libc_note";

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

/// Whether a function of that name belongs to musl, but not to its heap.
pub(crate) fn is_libcs(name: &[u8]) -> bool {
    const STARTS: [&[u8]; 8] = [
        b"__init_libc",
        b"__init_tp",
        b"__init_tls",
        b"__libc_start",
        b"__libc_exit",
        b"__stdio_",
        b"__errno_location",
        b"_Exit",
    ];
    const MORE: [&[u8]; 6] = [
        b"__set_thread_area",
        b"__lctrans",
        b"__syscall_ret",
        b"__vm_wait",
        b"__funcs_on_exit",
        b"__lock",
    ];
    STARTS.iter().any(|start| name.starts_with(start)) || MORE.contains(&name)
}

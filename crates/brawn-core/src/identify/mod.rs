//! Structure to meaning: which libc, whose heap, and where.

pub mod executable;
pub mod fork;
pub mod heap;
pub(crate) mod reach;
pub(crate) mod rewritten;
pub(crate) mod signs;

use crate::elf::system;
use crate::note::Note;
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

/// How a file takes part in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// An executable without a dynamic linker, at a fixed address.
    Static,
    /// An executable without a dynamic linker that runs at any address.
    StaticPie,
    /// An executable that a dynamic linker starts.
    Dynamic,
    /// A shared object.
    SharedObject,
    /// An archive of objects.
    Archive,
    /// A relocatable object.
    Object,
    /// A core file, or something of a system's own.
    Other,
}

impl Linkage {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::StaticPie => "static-pie",
            Self::Dynamic => "dynamic",
            Self::SharedObject => "shared object",
            Self::Archive => "archive",
            Self::Object => "object",
            Self::Other => "other",
        }
    }
}

/// Whose memory functions (`memcpy` and its kin) are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// musl's.
    Musl,
    /// brawn's.
    Brawn,
    /// brawn's, and others beside them.
    Mixed,
    /// glibc's.
    Glibc,
    /// The shared libc's, outside of the file.
    Shared,
    /// Others, which the program or its compiler brought.
    Other,
    /// The file has none.
    None,
    /// It cannot be known.
    Unknown,
}

impl Memory {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Musl => "musl",
            Self::Brawn => "brawn",
            Self::Mixed => "mixed",
            Self::Glibc => "glibc",
            Self::Shared => "shared libc",
            Self::Other => "other",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// What a file is made of, whatever its format.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The architecture in words.
    pub architecture: String,
    /// Whose libc it holds or needs.
    pub libc: Libc,
    /// That libc's version, as far as it can be known.
    pub libc_version: Option<String>,
    /// How it takes part in a program.
    pub linkage: Linkage,
    /// The dynamic linker that it asks for.
    pub interpreter: Option<String>,
    /// The operating system that it is for, where that is another than Linux.
    pub system: Option<system::System>,
    /// Whether brawn has a heap for its architecture.
    pub has_payload: bool,
    /// Every heap in it, the one that `malloc` means first where that is known.
    pub heaps: Vec<heap::Found>,
    /// Whether a full symbol table was there to find heaps by.
    pub has_symbols: bool,
    /// Whose memory functions are in it.
    pub memory: Memory,
    /// Where brawn's are from: as many notes as it has of their payload.
    pub memory_notes: Vec<Note>,
    /// The notes of other functions of libc, where they are brawn's.
    pub libc_notes: Vec<Note>,
    /// What says all that, apart from the heaps' own evidence.
    pub evidence: Vec<String>,
    /// Functions of libc that an archive lacks since another heap was put in.
    pub missing: Vec<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The heap's public names, and those by which musl itself reaches it.
pub use brawn_payload::{HEAP_NAMES as PUBLIC, HEAP_PRIVATE as PRIVATE};

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

/// The memory and string functions that programs spend their time in, by their public names.
pub use brawn_payload::MEMORY_NAMES as MEMORY;

/// What the names begin with by which brawn's memory functions call each other.
pub const MEMORY_OWN: &[u8] = brawn_payload::MEMORY_PREFIX.as_bytes();

/// What every other function of brawn's asks for: the object with their note.
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

/// Whether a function of that name is musl's and not of its heap.
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

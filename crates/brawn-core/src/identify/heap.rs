//! Recognizes heaps: by the names of their functions and state and, in stripped files, by tables and messages that
//! the linker keeps.

use crate::needle::{Needle, needle};
use crate::note::Note;
use serde::Serialize;

crate::named! {
    /// The kinds of heaps.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Heap {
        /// brawn's payload.
        Brawn = "brawn",
        /// musl's default since 1.2.1.
        MuslMallocng = "musl mallocng",
        /// musl's default until 1.2.0; later versions can be configured to have it.
        MuslOldmalloc = "musl oldmalloc",
        /// musl's for programs that never free memory: it only moves a pointer.
        MuslSimple = "musl simple malloc",
        /// musl's of an unknown kind, as in a shared libc.
        Musl = "musl",
        /// mimalloc, brought by the program.
        Mimalloc = "mimalloc",
        /// jemalloc.
        Jemalloc = "jemalloc",
        /// Google's or gperftools' TCMalloc.
        Tcmalloc = "tcmalloc",
        /// snmalloc.
        Snmalloc = "snmalloc",
        /// rpmalloc.
        Rpmalloc = "rpmalloc",
        /// LLVM's Scudo.
        Scudo = "scudo",
        /// The Go runtime's.
        Go = "Go",
        /// glibc's.
        Glibc = "glibc",
        /// A heap that the program defines and brawn does not know.
        Own = "the program's own",
    }
}

impl Heap {
    /// Whether it is musl's.
    pub const fn is_musl(self) -> bool {
        matches!(
            self,
            Self::MuslMallocng | Self::MuslOldmalloc | Self::MuslSimple | Self::Musl
        )
    }

    /// Whether it is a libc's.
    pub fn is_libcs(self) -> bool {
        self.is_musl() || self == Self::Glibc
    }

    /// Whether it is neither musl's nor brawn's.
    pub fn is_another(self) -> bool {
        !self.is_musl() && self != Self::Brawn
    }
}

crate::named! {
    /// How reliable a finding is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Sure {
        /// There are only no signs of anything else.
        Guess = "guess",
        /// Tables or messages were found; the program may contain them without using them.
        Likely = "likely",
        /// brawn's note, symbols, or the program headers say so.
        Certain = "certain",
    }
}

/// Where a heap that is not brawn's was found in an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberUse {
    /// The member's name.
    pub member: String,
    /// Where its header is in the archive.
    pub offset: u64,
    /// The heap's names that it defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<String>,
    /// The heap's own names that it refers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refers_to: Vec<String>,
}

/// A heap that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundHeap {
    /// Which heap it is.
    pub heap: Heap,
    /// The version of a mimalloc in an archive, by its code, or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How reliable the finding is.
    pub sure: Sure,
    /// The evidence for it.
    pub evidence: Vec<String>,
    /// For brawn's heap: where the payload comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// For a second heap: the functions outside of it that call it, as far as symbols show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached_by: Vec<String>,
    /// For a second heap: the members of the archive that define it or refer to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberUse>,
}

impl FoundHeap {
    /// A heap with one piece of evidence.
    pub fn new(heap: Heap, sure: Sure, evidence: String) -> Self {
        Self {
            heap,
            version: None,
            sure,
            evidence: vec![evidence],
            note: None,
            reached_by: Vec::new(),
            members: Vec::new(),
        }
    }

    /// A heap that one piece of evidence proves.
    pub fn certain(heap: Heap, evidence: impl Into<String>) -> Self {
        Self::new(heap, Sure::Certain, evidence.into())
    }

    /// Its name and, where that is known, its version.
    pub fn title(&self) -> String {
        match self.version.as_deref() {
            Some("unknown") => format!("{} (version unknown)", self.heap.name()),
            Some(version) => format!("{} {version}", self.heap.name()),
            None => self.heap.name().into(),
        }
    }

    /// brawn's heap, by its note. Anybody may have written the note's text.
    pub fn brawn(note: Note) -> Self {
        let note = note.printable();
        let evidence = format!("note: brawn {}, {}", note.brawn, note.engine);
        Self {
            note: Some(note),
            ..Self::certain(Heap::Brawn, evidence)
        }
    }
}

/// The heap that a symbol of this name belongs to, whatever program defines it.
pub fn by_symbol(name: &[u8]) -> Option<Heap> {
    Some(match name {
        b"__malloc_context" | b"__malloc_alloc_meta" | b"__malloc_size_classes" => {
            Heap::MuslMallocng
        }
        b"__bin_chunk" => Heap::MuslOldmalloc,
        b"__simple_malloc" => Heap::MuslSimple,
        b"mi_malloc" | b"mi_free" | b"mi_malloc_aligned" | b"mi_heap_malloc" => Heap::Mimalloc,
        b"tc_malloc" | b"TCMallocInternalMalloc" | b"MallocExtension_ReleaseFreeMemory" => {
            Heap::Tcmalloc
        }
        b"sn_malloc" | b"sn_rust_alloc" => Heap::Snmalloc,
        b"rpmalloc" | b"rpmalloc_initialize" => Heap::Rpmalloc,
        b"runtime.mallocgc" => Heap::Go,
        b"_int_malloc" | b"__libc_mallopt" => Heap::Glibc,
        // jemalloc's public names may have any prefix, and only jemalloc has this name.
        _ if name.ends_with(b"mallctl") => Heap::Jemalloc,
        // Namespaces of C++, in mangled names.
        _ => match name.strip_prefix(b"_ZN") {
            Some(rest) if rest.starts_with(b"8snmalloc") => Heap::Snmalloc,
            Some(rest) if rest.starts_with(b"8tcmalloc") => Heap::Tcmalloc,
            Some(rest) if rest.starts_with(b"5scudo") => Heap::Scudo,
            _ => return None,
        },
    })
}

/// The heap of a shared object of this name that replaces the libc's heap.
pub fn by_library(name: &[u8]) -> Option<Heap> {
    const LIBRARIES: [(&[u8], Heap); 6] = [
        (b"libjemalloc", Heap::Jemalloc),
        (b"libmimalloc", Heap::Mimalloc),
        (b"librpmalloc", Heap::Rpmalloc),
        (b"libscudo", Heap::Scudo),
        (b"libsnmalloc", Heap::Snmalloc),
        (b"libtcmalloc", Heap::Tcmalloc),
    ];
    let name = name.rsplit(|b| *b == b'/').next()?;
    let library = LIBRARIES
        .iter()
        .find(|(start, _)| name.starts_with(start))?;
    Some(library.1)
}

/// Bytes that only one heap leaves in a file.
pub struct Sign {
    /// Which heap leaves them.
    pub heap: Heap,
    /// The bytes.
    pub bytes: Needle,
    /// The position in `bytes` where the search starts: the bytes before it are too common.
    pub from: usize,
    /// A description in words.
    pub what: &'static str,
}

/// The first half of mallocng's table of size classes, in units of 16 bytes.
const SIZE_CLASSES: [u16; 24] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 31, 36, 42, 50, 63, 72, 84, 102, 127,
];

const fn size_classes(is_little: bool) -> [u8; 48] {
    let mut bytes = [0; 48];
    let mut n = 0;
    while n < SIZE_CLASSES.len() {
        let pair = if is_little {
            SIZE_CLASSES[n].to_le_bytes()
        } else {
            SIZE_CLASSES[n].to_be_bytes()
        };
        bytes[2 * n] = pair[0];
        bytes[2 * n + 1] = pair[1];
        n += 1;
    }
    bytes
}

const SIZE_CLASSES_LITTLE: [u8; 48] = size_classes(true);
const SIZE_CLASSES_BIG: [u8; 48] = size_classes(false);

/// oldmalloc's table of bins for sizes below 512 bytes.
const BINS: [u8; 60] = [
    32, 33, 34, 35, 36, 36, 37, 37, 38, 38, 39, 39, 40, 40, 40, 40, 41, 41, 41, 41, 42, 42, 42, 42,
    43, 43, 43, 43, 44, 44, 44, 44, 44, 44, 44, 44, 45, 45, 45, 45, 45, 45, 45, 45, 46, 46, 46, 46,
    46, 46, 46, 46, 47, 47, 47, 47, 47, 47, 47, 47,
];

/// Signs, a line each: the heap, its bytes, where the search starts, a description.
macro_rules! signs {
    ($($heap:ident, $bytes:expr, $from:expr, $what:expr;)*) => {
        [$(Sign { heap: Heap::$heap, bytes: needle!($bytes), from: $from, what: $what }),*]
    };
}

/// Every sign.  Go's build information can be left out; the table with which Go unwinds stacks cannot.
pub const SIGNS: [Sign; 13] = signs! {
    MuslMallocng, &SIZE_CLASSES_LITTLE, 22, "mallocng's table of size classes";
    MuslMallocng, &SIZE_CLASSES_BIG, 21, "mallocng's table of size classes";
    MuslOldmalloc, &BINS, 0, "oldmalloc's table of bins";
    Mimalloc, b"mimalloc: warning: ", 0, "mimalloc's warnings";
    Jemalloc, b"<jemalloc>: ", 0, "jemalloc's messages";
    Tcmalloc, b"tcmalloc: large alloc", 0, "TCMalloc's report of large blocks";
    Tcmalloc, b"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", 0, "TCMalloc's option for its thread caches";
    Snmalloc, b"Heap corruption - free list corrupted!", 0, "snmalloc's message on corrupted lists";
    Scudo, b"Scudo ERROR: ", 0, "Scudo's errors";
    Go, b"\xff Go buildinf:", 0, "Go's build information";
    Go, b"\0runtime.mallocgc\0", 0, "Go's table of functions";
    Glibc, b"malloc(): corrupted top size", 0, "glibc's messages on corrupted blocks";
    Glibc, b"malloc(): memory corruption", 0, "glibc's messages on corrupted blocks";
};

#[cfg(test)]
mod tests;

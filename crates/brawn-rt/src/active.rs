//! Which heap is in use, found out at run time.

use core::fmt;

/// The heap that serves Rust code, as [`active`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Active {
    /// brawn's, for the whole process: Rust and C share it.
    Process(About),
    /// brawn's, for the Rust code of this program or shared object; C has the process's heap.
    Rust(About),
    /// Another `malloc` took the place of brawn's when the program was linked: the program's own, or that of a
    /// crate.  Rust and C share it.
    Foreign,
    /// The system's, and why.
    System(&'static str),
}

/// What brawn's heap says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// Version of brawn.
    pub version: &'static str,
    /// The engine and its version, as in `mimalloc 2.3.2`.
    pub engine: &'static str,
    /// `fast`, `secure` or `lean`.
    pub profile: &'static str,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            engine,
            profile,
        } = self;
        write!(f, "brawn {version} ({engine}, {profile})")
    }
}

impl fmt::Display for Active {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(about) => write!(f, "{about}, for Rust and C"),
            Self::Rust(about) => write!(f, "{about}, for Rust"),
            Self::Foreign => f.write_str("another malloc, in brawn's place"),
            Self::System(reason) => write!(f, "the system's heap: {reason}"),
        }
    }
}

/// Which heap serves the Rust code of the calling program or shared object.
///
/// It reads the provenance note that is in memory, so it tells of the heap that was linked, not of the one
/// that was asked for.
pub fn active() -> Active {
    #[cfg(any(brawn_rt = "libc", brawn_rt = "rust"))]
    return linked();
    #[cfg(any(brawn_rt = "system", brawn_rt = "none"))]
    return Active::System(env!("BRAWN_RT_REASON"));
}

#[cfg(brawn_rt = "rust")]
fn linked() -> Active {
    unsafe extern "C" {
        static brawn_rt_note: Note;
    }
    if !crate::heap::is_ours() {
        return Active::System("brawn_rt::global!() is not in this program");
    }
    // SAFETY: the payload's note (payload/heap/note.c), constant.
    match unsafe { brawn_rt_note.read() } {
        Some(about) => Active::Rust(about),
        None => Active::Foreign,
    }
}

#[cfg(brawn_rt = "libc")]
fn linked() -> Active {
    if !crate::heap::is_ours() {
        return Active::Foreign;
    }
    match segments::find() {
        Some(about) => Active::Process(about),
        None => Active::Foreign,
    }
}

/// An ELF note of brawn's (docs/note.md): three words, the owner in 8 bytes, then `descsz` bytes of text.
#[cfg(any(brawn_rt = "libc", brawn_rt = "rust"))]
#[repr(C)]
struct Note {
    namesz: u32,
    descsz: u32,
    kind: u32,
    owner: [u8; 8],
}

#[cfg(any(brawn_rt = "libc", brawn_rt = "rust"))]
impl Note {
    /// What it says, if it is brawn's, and of a heap.
    ///
    /// # Safety
    /// `self` is followed by `descsz` bytes that are never written to.
    unsafe fn read(&'static self) -> Option<About> {
        if (self.namesz, self.kind, &self.owner) != (6, 1, b"brawn\0\0\0") {
            return None;
        }
        let text = core::ptr::from_ref(self).wrapping_add(1).cast::<u8>();
        // SAFETY: as the caller promises.
        let text = unsafe { core::slice::from_raw_parts(text, self.descsz as usize) };
        let text = core::str::from_utf8(text).ok()?;
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        };
        value("component").filter(|component| *component == "heap")?;
        Some(About {
            version: value("brawn")?,
            engine: value("engine")?,
            profile: value("profile")?,
        })
    }
}

/// Notes of a static program, by its program headers.
#[cfg(brawn_rt = "libc")]
mod segments {
    use super::{About, Note};
    use core::ffi::{c_char, c_int, c_void};

    /// `Elf64_Phdr` (ELF gABI, "Program Header").
    #[repr(C)]
    struct Header {
        kind: u32,
        flags: u32,
        offset: u64,
        address: u64,
        physical: u64,
        in_file: u64,
        in_memory: u64,
        alignment: u64,
    }

    const PT_NOTE: u32 = 4;

    /// The first fields of `struct dl_phdr_info` (`<link.h>`).
    #[repr(C)]
    struct Info {
        base: usize,
        name: *const c_char,
        headers: *const Header,
        count: u16,
    }

    unsafe extern "C" {
        fn dl_iterate_phdr(
            visit: unsafe extern "C" fn(*const Info, usize, *mut c_void) -> c_int,
            data: *mut c_void,
        ) -> c_int;
    }

    pub fn find() -> Option<About> {
        let mut found: Option<About> = None;
        // SAFETY: `visit` gets `found` back, as what it is.
        unsafe { dl_iterate_phdr(visit, (&raw mut found).cast()) };
        found
    }

    unsafe extern "C" fn visit(info: *const Info, _size: usize, found: *mut c_void) -> c_int {
        // SAFETY: libc's own data about the program, which stays; `find`'s variable.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<About>>()) };
        // SAFETY: as many headers as it says.
        let headers = unsafe { core::slice::from_raw_parts(info.headers, info.count.into()) };
        for header in headers.iter().filter(|header| header.kind == PT_NOTE) {
            let start = info.base.wrapping_add(header.address as usize);
            let end = start + header.in_memory as usize;
            let mut at = start;
            while end - at >= size_of::<Note>() {
                // SAFETY: a segment of notes, mapped and never written to; notes are aligned to 4.
                let note: &'static Note = unsafe { &*(at as *const Note) };
                let padded = |size: u32| (size as usize + 3) & !3;
                let next = at + 12 + padded(note.namesz) + padded(note.descsz);
                if next > end {
                    break;
                }
                // SAFETY: it ends within the segment.
                if let Some(about) = unsafe { note.read() } {
                    *found = Some(about);
                    return 1;
                }
                at = next;
            }
        }
        0
    }
}

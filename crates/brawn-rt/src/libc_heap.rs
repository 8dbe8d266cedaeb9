//! In a static musl program: malloc and its kin are brawn's, for everybody.

use crate::Active;
use core::ffi::{c_char, c_int, c_void};
use core::ptr;

#[link(name = "brawn_heap", kind = "static")]
#[link(name = "brawn_memory", kind = "static")]
unsafe extern "C" {
    pub(crate) fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    pub(crate) fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    pub(crate) fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    pub(crate) fn free(block: *mut c_void);
    /// The payload's own, strong: that of a program that brings its own `malloc` family is not this one.
    fn __libc_malloc_impl(size: usize) -> *mut c_void;
    fn memchr(from: *const c_void, byte: c_int, size: usize) -> *mut c_void;
    fn memcmp(a: *const c_void, b: *const c_void, size: usize) -> c_int;
    fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void;
    fn strcmp(a: *const c_char, b: *const c_char) -> c_int;
    fn strlen(text: *const c_char) -> usize;
}

/// What [`crate::Heap`] calls: any size may be asked for, blocks are aligned to 16, or to the power of two that
/// `aligned` is given.
pub(crate) mod raw {
    pub(crate) use super::{aligned_alloc as aligned, free, malloc, realloc};
    use core::ffi::c_void;

    /// A block of zeros.
    ///
    /// # Safety
    /// None is needed: calloc takes any size.
    pub(crate) unsafe fn zalloc(size: usize) -> *mut c_void {
        // SAFETY: as said.
        unsafe { super::calloc(1, size) }
    }
}

/// What `active` says: whether `malloc` is the payload's, and what its note tells.
pub(crate) fn active() -> Active {
    let is_ours = ptr::fn_addr_eq(
        malloc as unsafe extern "C" fn(usize) -> *mut c_void,
        __libc_malloc_impl as unsafe extern "C" fn(usize) -> *mut c_void,
    );
    let about = if is_ours { segments::find() } else { None };
    about.map_or(Active::Foreign, Active::Process)
}

#[doc(hidden)]
#[macro_export]
macro_rules! __global {
    () => {
        #[global_allocator]
        static BRAWN_RT_HEAP: $crate::Heap = $crate::Heap::new();
        // From the binary's own object: linkers then take the heap before they come to libc.
        #[used]
        static BRAWN_RT_LINKS: $crate::private::Links = $crate::private::LINKS;
    };
}

pub mod private {
    use super::*;

    /// Addresses, of no use but to be asked for.
    pub struct Links(#[allow(dead_code)] [*const (); 8]);

    // SAFETY: nobody reads them.
    unsafe impl Sync for Links {}

    /// The heap, by a name that is brawn's alone, and what decides over the memory functions' speed: the same
    /// that `brawn link-args` asks for.  libc calls them whether or not Rust code does.
    pub const LINKS: Links = Links([
        __libc_malloc_impl as *const (),
        malloc as *const (),
        memchr as *const (),
        memcmp as *const (),
        memcpy as *const (),
        memset as *const (),
        strcmp as *const (),
        strlen as *const (),
    ]);
}

/// Notes of a static program, by its program headers.
mod segments {
    use crate::About;
    use crate::note::Note;
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

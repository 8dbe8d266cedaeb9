//! In a static musl program: malloc and its kin are brawn's, for everybody.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_char, c_int, c_void};
use core::ptr;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    /// The payload's own, strong: that of a program that brings its own `malloc` family is not this one.
    fn __libc_malloc_impl(size: usize) -> *mut c_void;
    fn memchr(from: *const c_void, byte: c_int, size: usize) -> *mut c_void;
    fn memcmp(a: *const c_void, b: *const c_void, size: usize) -> c_int;
    fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void;
    fn strcmp(a: *const c_char, b: *const c_char) -> c_int;
    fn strlen(text: *const c_char) -> usize;
}

/// What `malloc` aligns every block to, on every target of this module.
const ALIGNMENT: usize = 16;

/// The process's heap, as `malloc` and its kin give it out: brawn's, unless the program brings its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap(());

impl Heap {
    /// The heap: there is one.
    pub const fn new() -> Self {
        Self(())
    }
}

// SAFETY: blocks of malloc's family are of at least the size asked for, aligned to ALIGNMENT or to what
// aligned_alloc was asked for, valid until free or realloc; none of them unwinds.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for; a Layout's alignment is a power of two.
        unsafe {
            if layout.align() <= ALIGNMENT {
                malloc(layout.size()).cast()
            } else {
                aligned_alloc(layout.align(), layout.size()).cast()
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: any size may be asked for.
            return unsafe { calloc(1, layout.size()).cast() };
        }
        // SAFETY: as the caller promises.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: a fresh block of that size.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: a block of `alloc`, as the caller promises.
        unsafe { free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: a block of `alloc`, as the caller promises.
            return unsafe { realloc(block.cast(), size).cast() };
        }
        // SAFETY: the caller promises a size that, rounded up to the alignment, fits; both blocks hold what
        // is copied, and they are two.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

/// Whether `malloc` is the payload's.
pub(crate) fn is_ours() -> bool {
    ptr::fn_addr_eq(
        malloc as unsafe extern "C" fn(usize) -> *mut c_void,
        __libc_malloc_impl as unsafe extern "C" fn(usize) -> *mut c_void,
    )
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

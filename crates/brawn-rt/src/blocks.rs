//! The global allocator, over the functions that the target's heap has.

use crate::heap::raw;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr;

/// What every block is aligned to.
const ALIGNMENT: usize = 16;

/// brawn's heap: in a static musl program the process's own, as `malloc` and its kin give it out (the program's, if it
/// brings its own); else that of the Rust code which is linked with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap(());

impl Heap {
    /// The heap: there is one.
    pub const fn new() -> Self {
        Self(())
    }
}

// SAFETY: blocks are of at least the size asked for, aligned to ALIGNMENT or to what raw::aligned was asked
// for, valid until they are freed or reallocated; nothing unwinds.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for; a Layout's alignment is a power of two.
        unsafe {
            if layout.align() <= ALIGNMENT {
                raw::malloc(layout.size()).cast()
            } else {
                raw::aligned(layout.align(), layout.size()).cast()
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: any size may be asked for.
            return unsafe { raw::zalloc(layout.size()).cast() };
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
        unsafe { raw::free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: a block of `alloc`, as the caller promises.
            return unsafe { raw::realloc(block.cast(), size).cast() };
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

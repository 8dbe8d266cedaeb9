//! In a shared object or a dynamic program: a heap for its Rust code alone, by names that nobody else sees.

use crate::Active;
use crate::note::Note;
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

// payload/heap/shared.c.
#[link(name = "brawn_shared", kind = "static")]
unsafe extern "C" {
    fn brawn_rt_malloc(size: usize) -> *mut c_void;
    fn brawn_rt_zalloc(size: usize) -> *mut c_void;
    fn brawn_rt_aligned(alignment: usize, size: usize) -> *mut c_void;
    fn brawn_rt_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn brawn_rt_free(block: *mut c_void);
    fn brawn_rt_load();
    fn brawn_rt_unload();
    static brawn_rt_note: Note;
}

/// What every block is aligned to.
const ALIGNMENT: usize = 16;

/// brawn's heap, for the Rust code of the program or shared object that it is linked into.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap(());

impl Heap {
    /// The heap: there is one.
    pub const fn new() -> Self {
        Self(())
    }
}

// SAFETY: blocks are of at least the size asked for, aligned to ALIGNMENT or to what brawn_rt_aligned was asked
// for, valid until they are freed or reallocated; nothing unwinds.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for; a Layout's alignment is a power of two.
        unsafe {
            if layout.align() <= ALIGNMENT {
                brawn_rt_malloc(layout.size()).cast()
            } else {
                brawn_rt_aligned(layout.align(), layout.size()).cast()
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: any size may be asked for.
            return unsafe { brawn_rt_zalloc(layout.size()).cast() };
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
        unsafe { brawn_rt_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY: a block of `alloc`, as the caller promises.
            return unsafe { brawn_rt_realloc(block.cast(), size).cast() };
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

static IS_GLOBAL: AtomicBool = AtomicBool::new(false);

/// What `active` says: whether [`crate::global!`] stands in this program or shared object, and what the
/// payload's note tells.
pub(crate) fn active() -> Active {
    if !IS_GLOBAL.load(Ordering::Relaxed) {
        return Active::System("brawn_rt::global!() is not in this program");
    }
    // SAFETY: the payload's note (payload/heap/note.c), constant.
    let about = unsafe { brawn_rt_note.read() };
    about.map_or(Active::Foreign, Active::Rust)
}

#[doc(hidden)]
#[macro_export]
macro_rules! __global {
    () => {
        #[global_allocator]
        static BRAWN_RT_HEAP: $crate::Heap = $crate::Heap::new();
        // SAFETY: functions of the platform's convention for these sections (ELF gABI,
        // "Initialization and Termination Functions").
        #[used]
        #[unsafe(link_section = ".init_array")]
        static BRAWN_RT_LOAD: extern "C" fn() = $crate::private::load;
        #[used]
        #[unsafe(link_section = ".fini_array")]
        static BRAWN_RT_UNLOAD: extern "C" fn() = $crate::private::unload;
    };
}

pub mod private {
    use super::*;

    /// When the object is loaded: what fork needs.
    pub extern "C" fn load() {
        IS_GLOBAL.store(true, Ordering::Relaxed);
        // SAFETY: called once, by the dynamic linker or libc's start code.
        unsafe { brawn_rt_load() }
    }

    /// When the object is unloaded, and at exit.
    pub extern "C" fn unload() {
        // SAFETY: called once, by the dynamic linker or exit; the heap can still be used.
        unsafe { brawn_rt_unload() }
    }
}

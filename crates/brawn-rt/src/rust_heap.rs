//! In a shared object or a dynamic program: a heap for its Rust code alone, by names that nobody else sees.

use crate::Active;
use crate::note::Note;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

// payload/heap/shared.c.
#[link(name = "brawn_shared", kind = "static")]
unsafe extern "C" {
    pub(crate) fn brawn_rt_malloc(size: usize) -> *mut c_void;
    pub(crate) fn brawn_rt_zalloc(size: usize) -> *mut c_void;
    pub(crate) fn brawn_rt_aligned(alignment: usize, size: usize) -> *mut c_void;
    pub(crate) fn brawn_rt_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    pub(crate) fn brawn_rt_free(block: *mut c_void);
    fn brawn_rt_load();
    fn brawn_rt_unload();
    static brawn_rt_note: Note;
}

/// What [`crate::Heap`] calls: any size may be asked for, blocks are aligned to 16, or to the power of two that
/// `aligned` is given.
pub(crate) mod raw {
    pub(crate) use super::{
        brawn_rt_aligned as aligned, brawn_rt_free as free, brawn_rt_malloc as malloc,
        brawn_rt_realloc as realloc, brawn_rt_zalloc as zalloc,
    };
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

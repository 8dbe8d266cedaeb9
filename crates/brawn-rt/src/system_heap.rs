//! On any other target: what std would use anyway.

use core::alloc::{GlobalAlloc, Layout};
use std::alloc::System;

/// The system's heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap(());

impl Heap {
    /// The heap: there is one.
    pub const fn new() -> Self {
        Self(())
    }
}

// SAFETY: System's own promises, call by call.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[doc(hidden)]
#[macro_export]
macro_rules! __global {
    () => {
        #[global_allocator]
        static BRAWN_RT_HEAP: $crate::Heap = $crate::Heap::new();
    };
}

pub mod private {}

/// What `active` says.
pub(crate) fn active() -> crate::Active {
    crate::Active::System(env!("BRAWN_RT_REASON"))
}

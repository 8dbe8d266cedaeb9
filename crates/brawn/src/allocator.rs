//! The system's allocator, which also knows whether it has just refused.
//!
//! Where memory runs out, Rust's collections end brawn by a signal, for which `exit.rs` has a handler. Libraries that take their
//! memory by themselves may panic instead: zlib-rs does so for gzip, and has no way to make a decoder that may fail. Their
//! panic is known not by its text, but by what happened before: of what its thread asked the allocator for at last, something was
//! refused.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// How many requests later a refused one counts no more. A panic makes some itself, to write down its message.
const RECENT: u8 = 16;

thread_local! {
    /// For how many requests more the last refused one of this thread counts. It needs no memory of its own, and nothing is
    /// dropped with it.
    static REFUSED: Cell<u8> = const { Cell::new(0) };
}

/// Whether one of the last requests of this thread was refused. To be asked first in a panic's hook.
pub fn has_refused() -> bool {
    REFUSED.get() > 0
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn noted(block: *mut u8) -> *mut u8 {
    REFUSED.set(match block.is_null() {
        true => RECENT,
        false => REFUSED.get().saturating_sub(1),
    });
    block
}

// SAFETY: all is the system's allocator's.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller has promised, here and below.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests;

//! brawn's heap for one binary or extension module.
//!
//! ```
//! brawn_rt::global!();
//! # fn main() { println!("{}", brawn_rt::active()); }
//! ```
//!
//! What that line does depends on what is built:
//!
//! | what is built | Rust's heap | C's heap and memory functions |
//! |---|---|---|
//! | a static musl program (`crt-static`; x86_64, aarch64) | brawn | brawn: it is one heap |
//! | a shared object or a dynamic program, for glibc or musl (x86_64, aarch64) | brawn | the process's, as before |
//! | anything else | the system's | the system's |
//!
//! Libraries leave the choice to binaries: put the line into `main.rs`, or into the `lib.rs` of a
//! `cdylib`. It needs no C compiler, and no target makes a build fail.
#![no_std]

#[cfg(brawn_rt = "system")]
extern crate std;

mod active;
#[cfg(brawn_rt = "libc")]
#[path = "libc_heap.rs"]
mod heap;
#[cfg(brawn_rt = "rust")]
#[path = "rust_heap.rs"]
mod heap;
#[cfg(brawn_rt = "system")]
#[path = "system_heap.rs"]
mod heap;

pub use active::{About, Active, active};
#[cfg(not(brawn_rt = "none"))]
pub use heap::Heap;

/// What [`global!`] expands to needs these; nobody else should.
#[doc(hidden)]
#[cfg(any(brawn_rt = "libc", brawn_rt = "rust"))]
pub mod private {
    pub use crate::heap::private::*;
}

/// Makes brawn's heap the global allocator of the binary or `cdylib` that it stands in, at the top
/// of its main file or in any module.
///
/// A second one in the same build is the compiler's error "cannot define multiple global allocators".
#[cfg(brawn_rt = "libc")]
#[macro_export]
macro_rules! global {
    () => {
        #[global_allocator]
        static BRAWN_RT_HEAP: $crate::Heap = $crate::Heap::new();
        // From the binary's own object: linkers then take the heap before they come to libc.
        #[used]
        static BRAWN_RT_LINKS: $crate::private::Links = $crate::private::LINKS;
    };
}

/// Makes brawn's heap the global allocator of the binary or `cdylib` that it stands in, at the top
/// of its main file or in any module.
///
/// A second one in the same build is the compiler's error "cannot define multiple global allocators".
#[cfg(brawn_rt = "rust")]
#[macro_export]
macro_rules! global {
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

/// Makes the system's heap the global allocator, since brawn's is not tested on this target.
///
/// A second one in the same build is the compiler's error "cannot define multiple global allocators".
#[cfg(brawn_rt = "system")]
#[macro_export]
macro_rules! global {
    () => {
        #[global_allocator]
        static BRAWN_RT_HEAP: $crate::Heap = $crate::Heap::new();
    };
}

/// Nothing: a target without an operating system has no heap but the program's own.
#[cfg(brawn_rt = "none")]
#[macro_export]
macro_rules! global {
    () => {};
}

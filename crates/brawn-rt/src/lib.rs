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
#[cfg(any(brawn_rt = "by-link", brawn_rt = "rust"))]
mod blocks;
#[cfg(all(brawn_rt = "by-link", target_feature = "crt-static"))]
#[path = "libc_heap.rs"]
mod heap;
#[cfg(any(
    brawn_rt = "rust",
    all(brawn_rt = "by-link", not(target_feature = "crt-static"))
))]
#[path = "rust_heap.rs"]
mod heap;
#[cfg(brawn_rt = "none")]
#[path = "no_heap.rs"]
mod heap;
#[cfg(brawn_rt = "system")]
#[path = "system_heap.rs"]
mod heap;
#[cfg(any(brawn_rt = "by-link", brawn_rt = "rust"))]
mod note;

pub use active::{About, Active, active};
#[cfg(any(brawn_rt = "by-link", brawn_rt = "rust"))]
pub use blocks::Heap;
#[cfg(brawn_rt = "system")]
pub use heap::Heap;

/// What [`global!`] expands to needs these; nobody else should.
#[doc(hidden)]
pub mod private {
    pub use crate::heap::private::*;
}

/// Makes brawn's heap the global allocator of the binary or `cdylib` that it stands in, at the top
/// of its main file or in any module.  Where brawn's heap is not tested, it is the system's.
///
/// A second one in the same build is the compiler's error "cannot define multiple global allocators".
#[macro_export]
macro_rules! global {
    () => {
        $crate::__global!();
    };
}

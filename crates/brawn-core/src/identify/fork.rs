//! Recognizes musl before 1.2.2 by its `fork`: one rule for archives and for finished programs.
//!
//! A heap stays consistent across `fork` if `fork` takes the heap's lock, and releases it in both processes. Since
//! 1.2.2 musl's `fork` asks the heap to do so by `__malloc_atfork`, which the payload defines. Older versions do not:
//! if other threads run, one of them may hold the lock during `fork`, and the heap in the child stays locked forever.
//! A program without `fork` or without threads is safe; but brawn cannot know which programs will be linked with an
//! archive.

use crate::error::Error;

/// The function.
pub const FORK: &str = "fork";
/// The function that `fork` calls since musl 1.2.2.
pub const ATFORK: &str = "__malloc_atfork";
/// Why a musl is refused if its `fork` does not call it.
pub const FOUND: &str = "its fork does not call `__malloc_atfork`, as in musl before 1.2.2: a child of a program \
     with threads could find the heap locked";
/// What brawn expects instead.
pub const EXPECTED: &str = "musl 1.2.2 or later";

/// The error for such a musl.
pub fn refused() -> Error {
    Error::refused(FOUND).expected(EXPECTED)
}

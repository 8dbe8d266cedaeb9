//! musl before 1.2.2, by its `fork`: the one rule for archives and finished programs.
//!
//! The heap keeps its own data consistent across `fork` by a lock that `fork` takes, and gives back in both processes.
//! Since 1.2.2 musl's `fork` asks the heap for that by `__malloc_atfork`, which the payload defines.  Before, it does not:
//! where other threads run, a child may find the heap locked by one of them, for ever.  A program that has no `fork`, or
//! makes no threads, has nothing to fear; whoever links an archive may make some.

use crate::error::Error;

/// The function.
pub const FORK: &str = "fork";
/// What it calls, since musl 1.2.2.
pub const ATFORK: &str = "__malloc_atfork";
/// Why a musl whose fork does not call it is refused.
pub const FOUND: &str = "its fork does not call `__malloc_atfork`, as in musl before 1.2.2: a child of a program \
     with threads could find the heap locked";
/// What is asked for instead.
pub const EXPECTED: &str = "musl 1.2.2 or later";

/// The error for it.
pub fn refused() -> Error {
    Error::refused(FOUND).expected(EXPECTED)
}

//! What code does next, as far as `wrappers` asks.

/// One thing that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It calls the kernel, with a number that the code in front of it does not set.
    Kernel,
    /// It calls a function, or goes there.
    To(u64),
}

/// How many instructions are read at most.
pub const MOST: usize = 48;

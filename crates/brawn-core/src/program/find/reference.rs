//! The address that an instruction refers to.

/// A reference from an instruction to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The instruction's address.
    pub at: u64,
    /// The address that it refers to.
    pub target: u64,
    /// Whether it is a call or a jump.
    pub is_branch: bool,
    /// Whether execution does not go on after it: it is a jump that is always taken.
    pub is_last: bool,
    /// Whether the instruction contains the address itself, which may be just a number.
    pub is_absolute: bool,
}

impl Reference {
    /// From the instruction at `at` to `target`, in any other way than by a jump.
    pub fn plain(at: u64, target: u64) -> Self {
        Self {
            at,
            target,
            is_branch: false,
            is_last: false,
            is_absolute: false,
        }
    }
}

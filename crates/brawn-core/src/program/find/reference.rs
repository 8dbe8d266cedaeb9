//! What an instruction refers to.

/// A reference from an instruction to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The instruction's address.
    pub at: u64,
    /// What it refers to.
    pub target: u64,
    /// Whether it is a call or a jump.
    pub is_branch: bool,
    /// Whether what follows it is not run after it: a jump that is always taken.
    pub is_last: bool,
    /// Whether the address stands in the instruction as it is: a mere number, maybe.
    pub is_absolute: bool,
}

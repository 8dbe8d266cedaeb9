//! What of libc is exchanged.

use serde::Serialize;

/// A part of libc that a payload has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The malloc family.
    Heap,
    /// `memcpy` and its kin.
    Memory,
}

impl Component {
    /// Both.
    pub const ALL: &[Self] = &[Self::Heap, Self::Memory];

    /// As `--only` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Memory => "memory",
        }
    }

    /// The one besides.
    pub fn other(self) -> Self {
        match self {
            Self::Heap => Self::Memory,
            Self::Memory => Self::Heap,
        }
    }
}

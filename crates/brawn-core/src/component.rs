//! What of libc is exchanged.

use brawn_payload::{Function, LIBC_FAMILIES};
use serde::{Serialize, Serializer};

/// A part of libc that a payload has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The malloc family.
    Heap,
    /// `memcpy` and its kin.
    Memory,
    /// Other functions of libc, of these families.
    Libc(Families),
}

impl Component {
    /// All of everything.
    pub const ALL: &[Self] = &[Self::Heap, Self::Memory, Self::Libc(Families::ALL)];

    /// As `--only` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Memory => "memory",
            Self::Libc(_) => "libc",
        }
    }

    /// Of heap and memory functions the one besides.
    pub fn other(self) -> Self {
        match self {
            Self::Heap => Self::Memory,
            Self::Memory | Self::Libc(_) => Self::Heap,
        }
    }

    /// Whether it is other functions of libc, of whatever families.
    pub fn is_libc(self) -> bool {
        matches!(self, Self::Libc(_))
    }

    /// The families of libc's functions that are among these; `None` where those are left alone.
    pub fn families(of: &[Self]) -> Option<Families> {
        of.iter().find_map(|component| match component {
            Self::Libc(families) => Some(*families),
            Self::Heap | Self::Memory => None,
        })
    }
}

impl Serialize for Component {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Families of libc's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Families {
    /// A bit for each of [`LIBC_FAMILIES`] that is left alone.
    without: u32,
    exact_math: bool,
}

impl Families {
    /// All.
    pub const ALL: Self = Self {
        without: 0,
        exact_math: false,
    };

    /// The same without that family; as it is if there is none of the name.
    pub fn without(mut self, name: &str) -> Self {
        if let Some(number) = LIBC_FAMILIES.iter().position(|family| *family == name) {
            self.without |= 1 << number;
        }
        self
    }

    /// The same without functions of libm whose results are not musl's to the bit.
    pub fn exact_math(mut self) -> Self {
        self.exact_math = true;
        self
    }

    /// Whether the function is of one of these.  What carries the note has no family, and comes with any other.
    pub fn take(self, function: &Function) -> bool {
        let number = LIBC_FAMILIES.iter().position(|f| *f == function.family);
        number.is_none_or(|n| self.without & (1 << n) == 0)
            && (function.exact || !self.exact_math || function.family != "math")
    }

    /// Tells a choice from others, in the names of folders.
    pub(crate) fn bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.without.to_le_bytes();
        [a, b, c, d, u8::from(self.exact_math)]
    }
}

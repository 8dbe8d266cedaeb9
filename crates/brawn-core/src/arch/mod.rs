//! What differs between architectures: a room for each, with two tables.
//!
//! [`Traits`] is of every architecture that a payload can be for. [`Isa`] is an architecture whose instructions brawn
//! reads, too: `rewrite`, signatures and some questions of `inspect` need that. An architecture without one has no
//! `match` elsewhere: those functions say "not known" before they begin.

mod aarch64;
mod branch;
mod riscv64;
mod x86_64;

pub(crate) use branch::{Branch, b_or_bl};

use crate::needle::Needle;
use brawn_payload::Architecture;
use std::ops::Range;

/// What brawn knows of an architecture, whether or not it reads its instructions.
pub(crate) struct Traits {
    /// The code of musl's `__set_thread_area`, if it is in assembly, which is the same in every build, and with the
    /// position in it where its search starts: some begin with common bytes, at which the search would stop again and
    /// again.
    pub set_thread_area: Option<(Needle, usize)>,
    /// The first instructions of musl's `memcpy`, in the same way.
    pub memcpy: Option<(Needle, usize)>,
    /// The bytes that a linker may change for a relocation of this type at this place.
    pub changed: fn(at: usize, kind: u32) -> Range<usize>,
}

/// The instructions of `code` on an architecture where each has 4 bytes; a rest of less is left out.
pub(crate) fn words(
    code: &[u8],
) -> impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone {
    let words = code.as_chunks().0.iter();
    words.map(|word| u32::from_le_bytes(*word))
}

/// The traits of an architecture.
pub(crate) fn traits(architecture: Architecture) -> &'static Traits {
    match architecture {
        Architecture::X86_64 => &x86_64::TRAITS,
        Architecture::Aarch64 => &aarch64::TRAITS,
        Architecture::Riscv64 => &riscv64::TRAITS,
    }
}

/// An instruction set that brawn reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// 64-bit x86.
    X86_64,
    /// 64-bit Arm.
    Aarch64,
}

/// What differs between instruction sets.
pub(crate) struct Facts {
    /// The distance between segments that works on every kernel, in bytes.
    pub page: u64,
    /// The relocation that adds the program's address: `R_…_RELATIVE`.
    pub relative: u32,
    /// What stands between functions: an instruction that ends the program, or a part of one.
    pub filler: u8,
    /// Instructions begin at multiples of it.
    pub step: usize,
    /// The bytes of one call or jump.
    pub branch: u64,
    /// The instruction, of 4 bytes, that a function begins with which may be called by its address.
    pub landing_pad: &'static [u8],
    /// The first bytes of musl's `__clone`, which is in assembly.
    pub clone: &'static [u8],
    /// Whether a function with this code does nothing, or only returns zero.
    pub is_stub: fn(code: &[u8]) -> bool,
    /// The constant that a function with this code returns, if it does nothing else. A frame and a landing pad are
    /// allowed.
    pub returned: fn(code: &[u8]) -> Option<u32>,
}

impl Isa {
    /// Every one, in the order of [`Architecture::ALL`].
    pub const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// That of an architecture; `None` if brawn does not read its instructions.
    pub fn of(architecture: Architecture) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|isa| isa.architecture() == architecture)
    }

    /// The architecture that has it.
    pub const fn architecture(self) -> Architecture {
        match self {
            Self::X86_64 => Architecture::X86_64,
            Self::Aarch64 => Architecture::Aarch64,
        }
    }

    /// The architecture's name.
    pub const fn name(self) -> &'static str {
        self.architecture().name()
    }

    /// All names, as in `x86_64 and aarch64`.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(" and ")
    }

    pub(crate) const fn facts(self) -> &'static Facts {
        match self {
            Self::X86_64 => &x86_64::FACTS,
            Self::Aarch64 => &aarch64::FACTS,
        }
    }
}

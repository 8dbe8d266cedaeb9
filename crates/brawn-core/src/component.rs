//! The parts of libc that brawn can replace: what users ask for, what plans add and remove, and what a member of an
//! archive belongs to.

use brawn_payload::{BUFFERS, Function, LIBC_FAMILIES, Member, Payload, SORTS};
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
    /// Functions that an archive lacks once another heap has left it. Nobody asks for them: they are removed and added
    /// together with the heap.
    Supplied,
}

impl Component {
    /// All of everything.
    pub const ALL: &[Self] = &[Self::Heap, Self::Memory, Self::LIBC];
    /// Other functions of libc, of all families; in archives, members do not say of which they are.
    pub const LIBC: Self = Self::Libc(Families::ALL);

    /// The name of this part as users write it, and as the note has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Memory => "memory",
            Self::Libc(_) => "libc",
            Self::Supplied => "supplied",
        }
    }

    /// The heap for the memory functions, and the memory functions for anything else.
    pub fn other(self) -> Self {
        match self {
            Self::Heap => Self::Memory,
            Self::Memory | Self::Libc(_) | Self::Supplied => Self::Heap,
        }
    }

    /// The objects of this part in `payload`, of all families.
    pub fn members(self, payload: &Payload) -> Vec<&'static Member> {
        let of = |functions: &'static [Function]| functions.iter().map(|f| &f.member).collect();
        match self {
            Self::Heap => payload.members.iter().collect(),
            Self::Memory => of(payload.memory_functions()),
            Self::Libc(_) => of(payload.libc.functions),
            Self::Supplied => {
                let functions = payload.supplied.functions.iter();
                functions.map(|f| &f.member).collect()
            }
        }
    }

    /// Whether it is the part with the other functions of libc, of any families.
    pub fn is_libc(self) -> bool {
        matches!(self, Self::Libc(_))
    }

    /// The families of libc's functions in `of`; `None` if `of` does not include libc's functions.
    pub fn families(of: &[Self]) -> Option<Families> {
        of.iter().find_map(|component| match component {
            Self::Libc(families) => Some(*families),
            _ => None,
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
    /// The families that are left alone: one bit for each of [`LIBC_FAMILIES`].
    without: u32,
    exact_math: bool,
    stable_sort: bool,
    large_buffers: bool,
}

impl Families {
    /// Every family.
    pub const ALL: Self = Self {
        without: 0,
        exact_math: false,
        stable_sort: false,
        large_buffers: false,
    };

    /// The same without the family `name`. Unchanged if no family has that name.
    pub fn without(mut self, name: &str) -> Self {
        if let Some(number) = LIBC_FAMILIES.iter().position(|family| *family == name) {
            self.without |= 1 << number;
        }
        self
    }

    /// The same without the libm functions whose results differ from musl's in some bit.
    pub fn exact_math(mut self) -> Self {
        self.exact_math = true;
        self
    }

    /// The same with functions that sort equal elements as they came, in the place of those that sort them as musl does.
    pub fn stable_sort(mut self) -> Self {
        self.stable_sort = true;
        self
    }

    /// The same with functions that give `stdin` and `stdout` larger buffers than musl's.
    pub fn large_buffers(mut self) -> Self {
        self.large_buffers = true;
        self
    }

    /// Whether the function is not the one of two that an option has left out.
    pub fn chooses(self, function: &Function) -> bool {
        let options = [(SORTS, self.stable_sort), (BUFFERS, self.large_buffers)];
        let left_out = options.map(|([usual, other], asked)| if asked { usual } else { other });
        !left_out.contains(&function.choice)
    }

    /// Whether the function belongs to one of these families. The member that carries the note has no family: it is
    /// always taken.
    pub fn take(self, function: &Function) -> bool {
        let number = LIBC_FAMILIES.iter().position(|f| *f == function.family);
        self.chooses(function)
            && number.is_none_or(|n| self.without & (1 << n) == 0)
            && (function.exact || !self.exact_math || function.family != "math")
    }

    /// Bytes that differ for different choices, for the names of directories.
    pub(crate) fn bytes(self) -> [u8; 7] {
        let [a, b, c, d] = self.without.to_le_bytes();
        let [math, sort, buffers] =
            [self.exact_math, self.stable_sort, self.large_buffers].map(u8::from);
        [a, b, c, d, math, sort, buffers]
    }
}

//! The parts of libc that brawn can replace: what users ask for, what plans add and remove, and what a member of an
//! archive belongs to.

use brawn_payload::{BUFFERS, Function, LIBC_FAMILIES, Member, Payload, SORTS};
use serde::{Deserialize, Serialize, Serializer};

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

/// Whether these are not all parts that the payload has, with all families.
pub fn is_less(components: &[Component], payload: &Payload) -> bool {
    let offered = [
        (Component::Heap, true),
        (Component::Memory, payload.memory.is_some()),
        (Component::LIBC, !payload.libc.functions.is_empty()),
    ];
    offered
        .iter()
        .any(|(part, is_offered)| *is_offered && !components.contains(part))
}

/// Parts that are kept, with the heap if it `is_asked` for: who names a profile, or has a mimalloc replaced, asks for it.
pub fn kept(mut components: Vec<Component>, is_asked: bool) -> Vec<Component> {
    if is_asked && !components.contains(&Component::Heap) {
        components.insert(0, Component::Heap);
    }
    components
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

/// The parts that somebody chose, as brawn's record of a file keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Names of parts.
    parts: Vec<String>,
    /// Names of families of libc's functions that are left out.
    without: Vec<String>,
    exact_math: bool,
    stable_sort: bool,
    large_buffers: bool,
}

impl Chosen {
    /// What these say.
    pub fn of(components: &[Component]) -> Self {
        let families = Component::families(components).unwrap_or(Families::ALL);
        let left = LIBC_FAMILIES.iter().enumerate();
        let left = left.filter(|(number, _)| families.without & (1 << number) != 0);
        Self {
            parts: components.iter().map(|c| c.name().to_owned()).collect(),
            without: left.map(|(_, name)| (*name).to_owned()).collect(),
            exact_math: families.exact_math,
            stable_sort: families.stable_sort,
            large_buffers: families.large_buffers,
        }
    }

    /// The parts. A name that this brawn does not know is left out.
    pub fn components(&self) -> Vec<Component> {
        let mut families = self
            .without
            .iter()
            .fold(Families::ALL, |all, name| all.without(name));
        families.exact_math = self.exact_math;
        families.stable_sort = self.stable_sort;
        families.large_buffers = self.large_buffers;
        let all = [
            Component::Heap,
            Component::Memory,
            Component::Libc(families),
        ];
        let is_there = |c: &Component| self.parts.iter().any(|name| name == c.name());
        all.into_iter().filter(is_there).collect()
    }
}

#[cfg(test)]
mod tests;

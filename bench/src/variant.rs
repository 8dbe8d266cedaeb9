//! What is compared: one libc, or one heap in it.

use serde::{Deserialize, Serialize};

/// A libc that every workload is built against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The distribution's musl, static, as it is.
    Stock,
    /// The same `libc.a` after mimalloc 2 was put into it by hand: `bench/peers/build.sh v2`.
    Mimalloc2,
    /// The same with mimalloc 3.
    Mimalloc3,
    /// The distribution's glibc, dynamic: what most programs run on.
    Glibc,
    /// A copy of the distribution's musl after `brawn patch`.
    Brawn,
}

impl Variant {
    /// Every variant, in the order of the tables' columns.
    pub const ALL: [Self; 5] = [
        Self::Stock,
        Self::Mimalloc2,
        Self::Mimalloc3,
        Self::Glibc,
        Self::Brawn,
    ];

    /// The name on the command line, in paths and in the raw data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Mimalloc2 => "mimalloc2",
            Self::Mimalloc3 => "mimalloc3",
            Self::Glibc => "glibc",
            Self::Brawn => "brawn",
        }
    }

    /// The heading of its column.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Stock => "stock musl",
            Self::Mimalloc2 => "mimalloc 2 by hand",
            Self::Mimalloc3 => "mimalloc 3 by hand",
            Self::Glibc => "glibc",
            Self::Brawn => "brawn",
        }
    }

    /// The variant with that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.name() == name)
    }
}

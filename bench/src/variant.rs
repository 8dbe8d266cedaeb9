//! The variants that are compared: a libc, or a heap in a libc.

use serde::{Deserialize, Serialize};

/// A libc that every workload is built against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The distribution's musl, static, unchanged.
    Stock,
    /// The same `libc.a` after mimalloc 2 was put into it by hand: `bench/peers/build.sh v2`.
    Mimalloc2,
    /// The same with mimalloc 3.
    Mimalloc3,
    /// The same with jemalloc.
    Jemalloc,
    /// The same with rpmalloc.
    Rpmalloc,
    /// The same with snmalloc.
    Snmalloc,
    /// The distribution's glibc, dynamic, as most programs use it.
    Glibc,
    /// A copy of the distribution's musl after `brawn patch`.
    Brawn,
    /// The same with `--profile secure`.
    Secure,
    /// The same with `--profile lean`.
    Lean,
    /// The same with `--profile trace`, which records nothing unless it is told to.
    Trace,
    /// The same programs, which record with one sample in 512 KiB.
    Recording,
    /// The distribution's musl, and the crate `mimalloc` as the program's global allocator: version 3.
    Crate,
    /// The same with its feature `v2`.
    CrateV2,
    /// The same with its feature `secure`.
    CrateSecure,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Self; 15] = [
        Self::Stock,
        Self::Mimalloc2,
        Self::Mimalloc3,
        Self::Jemalloc,
        Self::Rpmalloc,
        Self::Snmalloc,
        Self::Glibc,
        Self::Brawn,
        Self::Secure,
        Self::Lean,
        Self::Trace,
        Self::Recording,
        Self::Crate,
        Self::CrateV2,
        Self::CrateSecure,
    ];

    /// What programs have today, and what they get with brawn, in the order of the tables' columns.
    pub const LIBCS: [Self; 5] = [
        Self::Stock,
        Self::Mimalloc2,
        Self::Mimalloc3,
        Self::Glibc,
        Self::Brawn,
    ];

    /// brawn's profiles, and the variant that they are compared with.
    pub const PROFILES: [Self; 4] = [Self::Glibc, Self::Brawn, Self::Secure, Self::Lean];

    /// Every heap, in the order of the columns of the table of all heaps.
    pub const HEAPS: [Self; 10] = [
        Self::Glibc,
        Self::Stock,
        Self::Brawn,
        Self::Lean,
        Self::Secure,
        Self::Mimalloc2,
        Self::Mimalloc3,
        Self::Jemalloc,
        Self::Snmalloc,
        Self::Rpmalloc,
    ];

    /// What the rule compares (`rule.rs`): profile `fast` and the heaps that people can have instead, beside stock musl.
    pub const LOADS: [Self; 8] = [
        Self::Stock,
        Self::Mimalloc2,
        Self::Mimalloc3,
        Self::Jemalloc,
        Self::Snmalloc,
        Self::Rpmalloc,
        Self::Glibc,
        Self::Brawn,
    ];

    /// What heap profiles cost, and the variant that they are compared with.
    pub const TRACED: [Self; 3] = [Self::Brawn, Self::Trace, Self::Recording];

    /// The variants for Rust programs.
    pub const RUST: [Self; 7] = [
        Self::Stock,
        Self::Crate,
        Self::CrateV2,
        Self::CrateSecure,
        Self::Glibc,
        Self::Brawn,
        Self::Secure,
    ];

    /// The variants for a large program that is not changed. Archives that were patched by hand are not among them:
    /// Rust makes position-independent programs, and the mimalloc of those recipes is not position-independent.
    pub const LINKED: [Self; 3] = [Self::Stock, Self::Glibc, Self::Brawn];

    /// The name on the command line, in paths and in the raw data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Mimalloc2 => "mimalloc2",
            Self::Mimalloc3 => "mimalloc3",
            Self::Jemalloc => "jemalloc",
            Self::Rpmalloc => "rpmalloc",
            Self::Snmalloc => "snmalloc",
            Self::Glibc => "glibc",
            Self::Brawn => "brawn",
            Self::Secure => "secure",
            Self::Lean => "lean",
            Self::Trace => "trace",
            Self::Recording => "recording",
            Self::Crate => "crate",
            Self::CrateV2 => "cratev2",
            Self::CrateSecure => "cratesecure",
        }
    }

    /// What `bench/peers/build.sh` calls the heap that it puts into this variant's `libc.a`, if it does.
    pub const fn peer(self) -> Option<&'static str> {
        match self {
            Self::Mimalloc2 => Some("v2"),
            Self::Mimalloc3 => Some("v3"),
            Self::Jemalloc | Self::Rpmalloc | Self::Snmalloc => Some(self.name()),
            _ => None,
        }
    }

    /// Whether it has brawn's payload.
    pub const fn is_brawn(self) -> bool {
        let profiled = self.profile().is_some();
        profiled || matches!(self, Self::Brawn)
    }

    /// The profile that `brawn patch` gets with `--profile`, if any.
    pub const fn profile(self) -> Option<&'static str> {
        match self {
            Self::Secure | Self::Lean | Self::Trace => Some(self.name()),
            Self::Recording => Self::Trace.profile(),
            _ => None,
        }
    }

    /// The feature of `bench/rust` that adds the crate `mimalloc`.
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::Crate => Some("v3"),
            Self::CrateV2 => Some("v2"),
            Self::CrateSecure => Some("secure"),
            _ => None,
        }
    }

    /// The title of its column.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Stock => "stock musl",
            Self::Mimalloc2 => "mimalloc 2 by hand",
            Self::Mimalloc3 => "mimalloc 3 by hand",
            Self::Jemalloc => "jemalloc by hand",
            Self::Rpmalloc => "rpmalloc by hand",
            Self::Snmalloc => "snmalloc by hand",
            Self::Glibc => "glibc",
            Self::Brawn => "brawn",
            Self::Secure => "brawn, secure",
            Self::Lean => "brawn, lean",
            Self::Trace => "brawn, trace",
            Self::Recording => "brawn, trace, recording",
            Self::Crate => "mimalloc crate",
            Self::CrateV2 => "mimalloc crate, v2",
            Self::CrateSecure => "mimalloc crate, secure",
        }
    }

    /// The variants of a table, by the name that `catalogue.txt` and `bars.txt` have for it.
    pub(crate) fn group(name: &str) -> Option<&'static [Self]> {
        let groups: [(&str, &[Self]); 8] = [
            ("brawn", &[Self::Brawn]),
            ("libcs", &Self::LIBCS),
            ("loads", &Self::LOADS),
            ("profiles", &Self::PROFILES),
            ("traced", &Self::TRACED),
            ("heaps", &Self::HEAPS),
            ("rust", &Self::RUST),
            ("linked", &Self::LINKED),
        ];
        let found = groups.into_iter().find(|(group, _)| *group == name);
        found.map(|(_, variants)| variants)
    }

    /// The variant with that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.name() == name)
    }
}

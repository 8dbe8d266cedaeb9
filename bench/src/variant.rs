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

/// The variants in their order, each with its name on the command line, in paths and in the raw data, and with the title of its
/// column.
const NAMES: [(Variant, &str, &str); 15] = [
    (Variant::Stock, "stock", "stock musl"),
    (Variant::Mimalloc2, "mimalloc2", "mimalloc 2 by hand"),
    (Variant::Mimalloc3, "mimalloc3", "mimalloc 3 by hand"),
    (Variant::Jemalloc, "jemalloc", "jemalloc by hand"),
    (Variant::Rpmalloc, "rpmalloc", "rpmalloc by hand"),
    (Variant::Snmalloc, "snmalloc", "snmalloc by hand"),
    (Variant::Glibc, "glibc", "glibc"),
    (Variant::Brawn, "brawn", "brawn"),
    (Variant::Secure, "secure", "brawn, secure"),
    (Variant::Lean, "lean", "brawn, lean"),
    (Variant::Trace, "trace", "brawn, trace"),
    (Variant::Recording, "recording", "brawn, trace, recording"),
    (Variant::Crate, "crate", "mimalloc crate"),
    (Variant::CrateV2, "cratev2", "mimalloc crate, v2"),
    (
        Variant::CrateSecure,
        "cratesecure",
        "mimalloc crate, secure",
    ),
];

impl Variant {
    /// Every variant.
    pub const ALL: [Self; 15] = {
        let mut all = [Self::Stock; 15];
        let mut at = 0;
        while at < all.len() {
            all[at] = NAMES[at].0;
            at += 1;
        }
        all
    };

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
        NAMES[self as usize].1
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
        NAMES[self as usize].2
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_its_own_names() {
        for (place, (variant, name, _)) in NAMES.into_iter().enumerate() {
            assert_eq!(variant as usize, place, "{name}");
            assert_eq!(Variant::from_name(name), Some(variant));
        }
    }
}

//! The one place that says which targets get which heap.

/// What a target gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// brawn's: where libc is linked statically (`target_feature = "crt-static"`) in the place of libc's, with
    /// brawn's memory functions; else as [`Heap::Rust`].
    ByLink,
    /// brawn's, for the Rust code of what is linked; C keeps the process's heap.
    Rust,
}

impl Heap {
    /// The value of `cfg(brawn_rt)`.  Whether libc is static is `cfg(target_feature)` in the crate itself:
    /// Cargo asks rustc in a way that leaves `crt-static` out of what it tells build scripts.
    pub fn cfg(self) -> &'static str {
        match self {
            Self::ByLink => "by-link",
            Self::Rust => "rust",
        }
    }
}

/// Targets whose heap is tested.
pub struct Tested {
    pub arch: &'static str,
    pub vendors: &'static [&'static str],
    pub env: &'static str,
    pub heap: Heap,
}

const LINUX: &[&str] = &["unknown", "alpine"];

/// Every one of them is Linux, 64-bit, little endian.
pub const TESTED: &[Tested] = &[
    tested("x86_64", "musl", Heap::ByLink),
    tested("aarch64", "musl", Heap::ByLink),
    tested("x86_64", "gnu", Heap::Rust),
    tested("aarch64", "gnu", Heap::Rust),
];

const fn tested(arch: &'static str, env: &'static str, heap: Heap) -> Tested {
    Tested {
        arch,
        vendors: LINUX,
        env,
        heap,
    }
}

/// A target as Cargo describes it to build scripts.
#[derive(Clone, Debug, Default)]
pub struct Target {
    pub triple: String,
    pub arch: String,
    pub vendor: String,
    pub os: String,
    pub env: String,
    pub abi: String,
    pub pointer_width: String,
    pub endian: String,
    /// `Some` under a sanitizer, which brings a heap of its own.
    pub sanitizer: Option<String>,
    /// Under Miri, which runs no foreign code.
    pub is_miri: bool,
}

impl Target {
    /// What it gets, or why it keeps the system's heap.
    pub fn heap(&self) -> Result<Heap, String> {
        if let Some(sanitizer) = &self.sanitizer {
            return Err(format!("the sanitizer {sanitizer} has a heap of its own"));
        }
        if self.is_miri {
            return Err("Miri runs no foreign code".to_owned());
        }
        let found = TESTED.iter().find(|tested| {
            self.os == "linux"
                && self.pointer_width == "64"
                && self.endian == "little"
                && self.abi.is_empty()
                && tested.arch == self.arch
                && tested.vendors.contains(&self.vendor.as_str())
                && tested.env == self.env
        });
        found
            .map(|tested| tested.heap)
            .ok_or_else(|| format!("not tested on {}", self.triple))
    }

    /// Whether libc is linked statically by rustc's `flags`, which are separated as in `CARGO_ENCODED_RUSTFLAGS`.
    /// Build scripts learn nothing better: Cargo leaves `crt-static` out of `CARGO_CFG_TARGET_FEATURE`.
    pub fn is_static(&self, flags: &str) -> bool {
        let words = flags.split(['\x1f', ',', '=']);
        // The last one counts.
        let mut choices = words.rev().filter_map(|word| match word {
            "+crt-static" => Some(true),
            "-crt-static" => Some(false),
            _ => None,
        });
        // Alpine's own toolchain makes dynamic programs of musl unless it is told otherwise.
        let usual = self.vendor == "unknown";
        self.env == "musl" && choices.next().unwrap_or(usual)
    }
}

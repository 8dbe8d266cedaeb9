//! The one place that says which targets get which heap.

/// What a target gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// brawn's, and its memory functions, in the place of libc's: a static program has one heap.
    Libc,
    /// brawn's for the Rust code of what is linked; C keeps the process's heap.
    Rust,
}

/// One target whose heap is tested.
pub struct Tested {
    pub arch: &'static str,
    pub vendors: &'static [&'static str],
    pub env: &'static str,
    /// Whether libc is linked statically (`target_feature = "crt-static"`); `None`: either way.
    pub is_static: Option<bool>,
    pub heap: Heap,
}

const ANY_LINUX: &[&str] = &["unknown", "alpine"];

/// Every one of them is Linux, 64-bit, little endian.
pub const TESTED: &[Tested] = &[
    Tested {
        arch: "x86_64",
        vendors: ANY_LINUX,
        env: "musl",
        is_static: Some(true),
        heap: Heap::Libc,
    },
    Tested {
        arch: "aarch64",
        vendors: ANY_LINUX,
        env: "musl",
        is_static: Some(true),
        heap: Heap::Libc,
    },
    Tested {
        arch: "x86_64",
        vendors: ANY_LINUX,
        env: "musl",
        is_static: Some(false),
        heap: Heap::Rust,
    },
    Tested {
        arch: "aarch64",
        vendors: ANY_LINUX,
        env: "musl",
        is_static: Some(false),
        heap: Heap::Rust,
    },
    Tested {
        arch: "x86_64",
        vendors: ANY_LINUX,
        env: "gnu",
        is_static: None,
        heap: Heap::Rust,
    },
    Tested {
        arch: "aarch64",
        vendors: ANY_LINUX,
        env: "gnu",
        is_static: None,
        heap: Heap::Rust,
    },
];

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
    pub features: String,
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
        let is_static = self.features.split(',').any(|f| f == "crt-static");
        let found = TESTED.iter().find(|tested| {
            self.os == "linux"
                && self.pointer_width == "64"
                && self.endian == "little"
                && self.abi.is_empty()
                && tested.arch == self.arch
                && tested.vendors.contains(&self.vendor.as_str())
                && tested.env == self.env
                && tested.is_static.is_none_or(|wanted| wanted == is_static)
        });
        found
            .map(|tested| tested.heap)
            .ok_or_else(|| format!("not tested on {}", self.triple))
    }
}

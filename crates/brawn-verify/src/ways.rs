//! The heap that a program runs on, and how the program is linked. Directives use these names.

/// The heap that a program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Libc {
    /// musl as the distribution (or zig) ships it.
    Stock,
    /// The same musl, with brawn's payload as its heap.
    Brawn,
    /// The machine's glibc, for reference.
    Glibc,
    /// Stock's executables, rewritten as `brawn rewrite` does.
    Rewritten,
    /// Stock's dynamic executables, with the object of `brawn preload`.
    Preloaded,
}

impl Libc {
    /// The libcs that programs are linked with, in the order in which trials are listed.
    pub const ALL: [Self; 3] = [Self::Stock, Self::Brawn, Self::Glibc];

    /// The name in directives and names of trials.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Brawn => "brawn",
            Self::Glibc => "glibc",
            Self::Rewritten => "rewritten",
            Self::Preloaded => "preloaded",
        }
    }

    /// Whether the heap is brawn's.
    pub const fn is_brawns(self) -> bool {
        matches!(self, Self::Brawn | Self::Rewritten | Self::Preloaded)
    }

    /// The libc of this name, or `rewritten`.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter().chain([Self::Rewritten]);
        let found = all.find(|l| l.name() == name);
        found.ok_or_else(|| format!("unknown libc {name}"))
    }
}

brawn_core::named! {
    /// How a program is compiled and linked.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Link {
        /// gcc and GNU ld, `-static`.
        Static = "static",
        /// gcc and GNU ld, position-independent: `-static-pie`.
        StaticPie = "static-pie",
        /// gcc and lld, `-static`.
        Lld = "lld",
        /// gcc and lld, `-static-pie`.
        LldPie = "lld-pie",
        /// A section for each function and object, and `--gc-sections`.
        Gc = "gc",
        /// The same with lld.
        GcLld = "gc-lld",
        /// gcc, `-flto`.
        LtoGcc = "lto-gcc",
        /// clang, `-flto`, linked by lld.
        LtoClang = "lto-clang",
        /// gcc and GNU ld with stock's libc.a, and the payload's objects before it.
        Line = "line",
        /// The same with lld.
        LineLld = "line-lld",
        /// `zig cc` or `zig c++` with zig's own musl; brawn's payload is on the link line.
        Zig = "zig",
        /// A shared object that contains libc.a, and a dynamic musl program that needs it.
        Shared = "shared",
        /// The default of a toolchain with a shared libc: glibc, and musl for the preloaded object.
        #[default]
        Dynamic = "dynamic",
    }
}

impl Link {
    /// Whether this way of linking exists only with a payload.
    pub const fn needs_payload(self) -> bool {
        matches!(self, Self::Line | Self::LineLld)
    }

    /// Whether the result is a static executable.
    pub const fn gives_static(self) -> bool {
        !matches!(self, Self::Shared | Self::Dynamic)
    }

    /// Whether the program is optimized as a whole.
    pub const fn is_lto(self) -> bool {
        matches!(self, Self::LtoGcc | Self::LtoClang)
    }

    /// Whether the payload's objects are on the link line, and libc.a is stock's.
    pub const fn payload_on_line(self) -> bool {
        matches!(self, Self::Line | Self::LineLld | Self::Zig)
    }
}

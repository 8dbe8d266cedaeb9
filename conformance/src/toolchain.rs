//! The libcs that programs run against, the ways of linking them, and where tools are found.

use crate::musls::Musl;
use brawn_payload::Profile;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whose heap a program runs on.
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
    /// Those that programs are linked with, in the order in which trials are listed.
    pub const ALL: [Self; 3] = [Self::Stock, Self::Brawn, Self::Glibc];

    /// As in directives and names of trials.
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

    /// The libc of this name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|l| l.name() == name);
        found.ok_or_else(|| format!("unknown libc {name}"))
    }
}

/// How a program is compiled and linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// gcc and GNU ld, `-static`.
    Static,
    /// gcc and GNU ld, position-independent: `-static-pie`.
    StaticPie,
    /// gcc and lld, `-static`.
    Lld,
    /// gcc and lld, `-static-pie`.
    LldPie,
    /// A section for each function and object, and `--gc-sections`.
    Gc,
    /// The same with lld.
    GcLld,
    /// gcc, `-flto`.
    LtoGcc,
    /// clang, `-flto`, linked by lld.
    LtoClang,
    /// gcc and GNU ld with stock's libc.a, and the payload's objects before it.
    Line,
    /// The same with lld.
    LineLld,
    /// `zig cc` or `zig c++` with zig's own musl; brawn's payload is on the link line.
    Zig,
    /// A shared object that holds libc.a, needed by a dynamically linked musl program.
    Shared,
    /// The default of a toolchain with a shared libc: glibc's, and musl's that is preloaded for.
    Dynamic,
}

impl Link {
    const ALL: [(Self, &'static str); 13] = [
        (Self::Static, "static"),
        (Self::StaticPie, "static-pie"),
        (Self::Lld, "lld"),
        (Self::LldPie, "lld-pie"),
        (Self::Gc, "gc"),
        (Self::GcLld, "gc-lld"),
        (Self::LtoGcc, "lto-gcc"),
        (Self::LtoClang, "lto-clang"),
        (Self::Line, "line"),
        (Self::LineLld, "line-lld"),
        (Self::Zig, "zig"),
        (Self::Shared, "shared"),
        (Self::Dynamic, "dynamic"),
    ];

    /// As in directives and names of trials.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(link, _)| *link == self);
        found.map_or("", |(_, name)| name)
    }

    /// The way of this name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, n)| *n == name);
        found
            .map(|(link, _)| *link)
            .ok_or_else(|| format!("unknown link {name}"))
    }

    /// Whether there is nothing to link in this way without a payload.
    pub const fn needs_payload(self) -> bool {
        matches!(self, Self::Line | Self::LineLld)
    }

    /// Whether a static executable comes of it.
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

/// What a program is linked with, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Whose heap it runs on.
    pub libc: Libc,
    /// The musl; the distribution's, or that of the installed zig, if `None`.
    pub musl: Option<&'static Musl>,
    /// How it is linked.
    pub link: Link,
    /// The payload's variant; the default one where there is no payload.
    pub profile: Profile,
}

impl Place {
    /// The libc as in directives and names of trials: `LIBC`, or `LIBC-PROFILE`, and `@MUSL`.
    pub fn name(self) -> String {
        let heap = self.heap();
        self.musl
            .map_or_else(|| heap.clone(), |musl| format!("{heap}@{}", musl.name))
    }

    /// The same without the musl.
    pub fn heap(self) -> String {
        match self.profile {
            Profile::Fast => self.libc.name().to_owned(),
            other => format!("{}-{}", self.libc.name(), other.name()),
        }
    }
}

/// The folder of this crate.
pub fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Debian's name for the architecture's musl folders; `BRAWN_MUSL_LIBDIR` and
/// `BRAWN_MUSL_INCLUDE` name others.
const TRIPLE: &str = "x86_64-linux-musl";

/// The folder of the distribution's musl libraries.
pub fn musl_libraries() -> Result<PathBuf, String> {
    folder("BRAWN_MUSL_LIBDIR", &format!("/usr/lib/{TRIPLE}"), "libc.a")
}

/// The folder of the distribution's musl headers.
pub fn musl_headers() -> Result<PathBuf, String> {
    folder(
        "BRAWN_MUSL_INCLUDE",
        &format!("/usr/include/{TRIPLE}"),
        "stdlib.h",
    )
}

fn folder(variable: &str, default: &str, has: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os(variable).map_or_else(|| PathBuf::from(default), PathBuf::from);
    if path.join(has).is_file() {
        return Ok(path);
    }
    let path = path.display();
    Err(format!(
        "{path}: no {has} there: install musl-tools, or set {variable}"
    ))
}

/// zig, which `make tools` installs below `target/`; `BRAWN_ZIG` names another.
pub fn zig(cache: &Path) -> Result<Command, String> {
    let path = match std::env::var_os("BRAWN_ZIG") {
        Some(path) => PathBuf::from(path),
        None => home().join("../target/tools/zig/ziglang/zig"),
    };
    if !path.is_file() {
        let path = path.display();
        return Err(format!(
            "{path}: not there: run `make tools`, or set BRAWN_ZIG"
        ));
    }
    let mut command = Command::new(path);
    command.env("ZIG_GLOBAL_CACHE_DIR", zig_cache());
    command.env("ZIG_LOCAL_CACHE_DIR", cache.join("zig-local"));
    Ok(command)
}

/// Where every zig keeps its libc and C++ library, which take it minutes: what tools/ and other tests had one compile is
/// there.
pub fn zig_cache() -> PathBuf {
    home().join("../target/tools/zig-cache")
}

/// gcc's specs for a musl whose libraries are in `libraries`: what musl-gcc's do, and static-pie,
/// which those do not know.  Stock and brawn differ in nothing but this folder.
pub fn specs(libraries: &Path, headers: &Path) -> String {
    include_str!("musl.specs")
        .replace("@LIB@", &libraries.display().to_string())
        .replace("@INC@", &headers.display().to_string())
}

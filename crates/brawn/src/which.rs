//! The flags that name toolchains instead of a path, and where these are on this machine.

use crate::threads;
use crate::ui;
use brawn_core::toolchains::{
    Archive, FoundToolchains, Places, Rust, Toolchain, ToolchainKind, find, survey, swift_sdks,
};
use brawn_core::{Error, Result};
use brawn_payload::payloads;
use rayon::prelude::*;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The next step for the user after an archive was replaced.
pub const RELINK: &str = "link your programs again: already linked programs do not change";

/// The value of `--rust` without one.
const ACTIVE: &str = "active";
/// The value of `--rust` for every toolchain.
const EVERY: &str = "all";

/// Toolchains, as `brawn toolchains` lists them.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Toolchains")]
#[command(group(clap::ArgGroup::new("toolchains").multiple(true)))]
pub struct Which {
    /// Rust's musl targets: of the toolchain that `rustc` in this directory belongs to, of TOOLCHAIN
    /// (a name of rustup's, or a sysroot), or of `all`.
    #[arg(
        long,
        group = "toolchains",
        value_name = "TOOLCHAIN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ACTIVE
    )]
    rust: Option<String>,

    /// The distribution's musl.
    #[arg(long, group = "toolchains")]
    system: bool,

    /// Cross compilers for musl, and musl installed from source.
    #[arg(long, group = "toolchains")]
    musl_cross: bool,

    /// Every musl in zig's global cache.
    #[arg(long, group = "toolchains")]
    zig: bool,

    /// Installed SDKs of Swift: NAME, as `swift sdk list` prints it, or all.
    #[arg(
        long,
        group = "toolchains",
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = EVERY
    )]
    swift: Option<String>,

    /// All of these.
    #[arg(long, group = "toolchains")]
    all: bool,

    /// Take DIR for `/`: an image or chroot.  This machine's environment is not used then.
    #[arg(long, value_name = "DIR", requires = "toolchains")]
    root: Option<PathBuf>,
}

/// The archives that flags name.
#[derive(Debug, Default)]
pub struct Chosen {
    /// In the order of listings.
    pub toolchains: Vec<Toolchain>,
    /// A requested toolchain that does not exist or cannot be read.
    pub errors: Vec<Error>,
}

impl Which {
    /// Whether any of the flags was given.
    pub fn is_any(&self) -> bool {
        !self.kinds().is_empty()
    }

    fn kinds(&self) -> Vec<ToolchainKind> {
        let is_asked = |kind: &ToolchainKind| match kind {
            ToolchainKind::Rust => self.rust.is_some(),
            ToolchainKind::System => self.system,
            ToolchainKind::MuslCross => self.musl_cross,
            ToolchainKind::Zig => self.zig,
            ToolchainKind::Swift => self.swift.is_some(),
        };
        let all = ToolchainKind::ALL.iter().copied();
        all.filter(|kind| self.all || is_asked(kind)).collect()
    }

    /// The flags, as they are typed.
    pub fn words(&self) -> Vec<String> {
        let named = |flag: &str, value: &Option<String>, default: &str| {
            value.as_ref().map(|value| match value == default {
                true => flag.to_owned(),
                false => format!("{flag}={value}"),
            })
        };
        let plain = |is_set: bool, flag: &str| is_set.then(|| flag.to_owned());
        let root = self.root.iter();
        let root = root.flat_map(|dir| ["--root".to_owned(), dir.to_string_lossy().into_owned()]);
        let flags = [
            named("--rust", &self.rust, ACTIVE),
            plain(self.system, "--system"),
            plain(self.musl_cross, "--musl-cross"),
            plain(self.zig, "--zig"),
            named("--swift", &self.swift, EVERY),
            plain(self.all, "--all"),
        ];
        flags.into_iter().flatten().chain(root).collect()
    }

    /// Looks for what the flags name.
    pub fn choose(&self) -> Chosen {
        let kinds = self.kinds();
        let mut errors = Vec::new();
        let mut places = match self.root.as_deref().map(below).transpose() {
            Ok(Some(places)) => places,
            Ok(None) => {
                let asks = kinds.contains(&ToolchainKind::Rust);
                let (places, error) = here(asks);
                let wanted = self.rust.as_deref() == Some(ACTIVE) && !self.all;
                errors.extend(error.filter(|_| wanted));
                places
            }
            Err(error) => {
                return Chosen {
                    errors: vec![error],
                    ..Chosen::default()
                };
            }
        };
        // A toolchain that nobody has installed can be named by its directory.
        let named = self.rust.as_deref().filter(|name| name.contains('/'));
        places.sysroots.extend(named.map(PathBuf::from));
        let mut found = find(&places, &kinds);
        if let (Some(asked), false) = (&self.rust, self.all) {
            let error = self.keep_rust(asked, &mut found);
            // The message about the unknown active toolchain already says it.
            if errors.is_empty() {
                errors.extend(error);
            }
        }
        if let (Some(asked), false) = (&self.swift, self.all) {
            errors.extend(keep_swift(asked, &mut found));
        }
        errors.append(&mut found.errors);
        let toolchains = surveyed(&found.archives);
        for kind in kinds.iter().filter(|kind| **kind != ToolchainKind::Rust) {
            let is_there = toolchains.iter().any(|t| t.archive.kind == *kind);
            let is_named = *kind == ToolchainKind::Swift && self.swift.as_deref() != Some(EVERY);
            if !is_there && !self.all && !is_named {
                errors.push(none_of(*kind));
            }
        }
        if self.all && toolchains.is_empty() && errors.is_empty() {
            errors.push(Error::not_applicable("no toolchain with musl"));
        }
        Chosen { toolchains, errors }
    }

    /// Keeps Rust's toolchains that `asked` means, and says if there is none.
    fn keep_rust(&self, asked: &str, found: &mut FoundToolchains) -> Option<Error> {
        let is_all = asked == EVERY || (asked == ACTIVE && self.root.is_some());
        let is_meant = |rust: &&Rust| match asked {
            _ if is_all => true,
            ACTIVE => rust.active,
            asked => rust.is_called(asked),
        };
        let meant: Vec<&Rust> = found.rust.iter().filter(is_meant).collect();
        let is_kept =
            |a: &Archive| a.kind != ToolchainKind::Rust || meant.iter().any(|rust| rust.has(a));
        found.archives.retain(is_kept);
        if found.archives.iter().any(|a| a.kind == ToolchainKind::Rust) {
            return None;
        }
        let names: Vec<&str> = found.rust.iter().map(|rust| rust.name.as_str()).collect();
        let others = match names.as_slice() {
            [] => "none is installed".to_owned(),
            names => format!("installed: {}", names.join(", ")),
        };
        Some(match (meant.first(), asked) {
            _ if is_all => none_of(ToolchainKind::Rust),
            (Some(rust), _) => {
                Error::not_applicable(format!("no musl in the Rust toolchain {}", rust.name))
                    .expected("lib/rustlib/TARGET/lib/self-contained/libc.a in it")
                    .next(
                        "`rustup target add x86_64-unknown-linux-musl`, or `--rust=all` for other \
                         toolchains; a distribution's Rust links the system's musl: `--system`",
                    )
            }
            (None, ACTIVE) => Error::not_applicable("no rustc on PATH")
                .next(format!("`--rust=TOOLCHAIN` or `--rust=all`; {others}")),
            (None, asked) => {
                Error::not_applicable(format!("no Rust toolchain {asked}")).next(others)
            }
        })
    }
}

/// Keeps the SDKs of Swift that `asked` means, and says if there is none.
fn keep_swift(asked: &str, found: &mut FoundToolchains) -> Option<Error> {
    if asked == EVERY {
        return None;
    }
    let is_swift = |a: &Archive| a.kind == ToolchainKind::Swift;
    let sdks = found.archives.iter().filter(|a| is_swift(a));
    let mut names: Vec<String> = sdks.map(|a| a.name.clone()).collect();
    names.dedup();
    let is_kept = |a: &Archive| !is_swift(a) || a.is_of_sdk(asked);
    found.archives.retain(is_kept);
    if found.archives.iter().any(is_swift) {
        return None;
    }
    let others = match names.as_slice() {
        [] => "none with musl is installed".to_owned(),
        names => format!("installed: {}", names.join(", ")),
    };
    Some(Error::not_applicable(format!("no Swift SDK {asked}")).next(others))
}

/// The error for a kind without any toolchain.
fn none_of(kind: ToolchainKind) -> Error {
    let (found, next) = match kind {
        ToolchainKind::Rust => (
            "no Rust toolchain with a musl target",
            "`rustup target add x86_64-unknown-linux-musl`; toolchains of another user are found \
             with RUSTUP_HOME",
        ),
        ToolchainKind::System => (
            "no musl of the distribution",
            "install the package that has musl's libc.a (musl-dev, musl-libc-static), or name the \
             archive: `brawn patch PATH`",
        ),
        ToolchainKind::MuslCross => (
            "no cross compiler for musl",
            "put its bin directory on PATH, or name the archive: `brawn patch PATH`",
        ),
        ToolchainKind::Zig => (
            "no musl in zig's global cache",
            "zig compiles it when a program first needs it: `zig cc -target x86_64-linux-musl`; \
             ZIG_GLOBAL_CACHE_DIR says where the cache is",
        ),
        ToolchainKind::Swift => (
            "no installed Swift SDK with musl",
            "`swift sdk install` installs one; or name the bundle: `brawn patch \
             NAME.artifactbundle.tar.gz`",
        ),
    };
    Error::not_applicable(found).next(next)
}

/// Surveys each archive, on several threads; leaves out those that are not musl's.
pub fn surveyed(archives: &[Archive]) -> Vec<Toolchain> {
    threads::with(|| {
        let all = archives.par_iter().with_max_len(1);
        all.filter_map(|archive| survey(archive, payloads()))
            .collect()
    })
}

/// Where toolchains are below `root`.
pub fn below(root: &Path) -> Result<Places> {
    // An absolute path, like those of this machine's own toolchains.
    let root = root
        .canonicalize()
        .map_err(|e| Error::io("cannot find it", e).path(root))?;
    if !root.is_dir() {
        return Err(Error::usage("`--root` with a file")
            .expected("a directory")
            .path(&root));
    }
    Ok(Places::below(&root))
}

/// Where toolchains are on this machine, and the reason if the active Rust toolchain is not known.
pub fn here(asks_rustc: bool) -> (Places, Option<Error>) {
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let at_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let (active, error) = match asks_rustc.then(sysroot).transpose() {
        Ok(sysroot) => (sysroot.flatten(), None),
        Err(error) => (None, Some(error)),
    };
    let zig = set("ZIG_GLOBAL_CACHE_DIR")
        .map(PathBuf::from)
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("zig")))
        .or_else(|| at_home(".cache/zig"));
    let swift = set("XDG_CONFIG_HOME").map(|config| Path::new(&config).join("swiftpm/swift-sdks"));
    let at_homes = home.iter().flat_map(|home| swift_sdks(home));
    let swift = swift.into_iter().chain(at_homes).collect();
    let path = set("PATH").unwrap_or_default();
    let rustup = set("RUSTUP_HOME").map(PathBuf::from);
    let places = Places {
        root: PathBuf::from("/"),
        rustup: rustup.or_else(|| at_home(".rustup")).into_iter().collect(),
        active,
        sysroots: Vec::new(),
        homes: home.clone().into_iter().collect(),
        // An empty part would mean the current directory.
        path: env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .collect(),
        zig: zig.into_iter().collect(),
        swift,
    };
    (places, error)
}

/// The toolchain of this directory: brawn asks rustc, which knows all overrides of rustup.
fn sysroot() -> Result<Option<PathBuf>> {
    let rustc = env::var_os("RUSTC").filter(|rustc| !rustc.is_empty());
    let rustc = rustc.unwrap_or_else(|| OsString::from("rustc"));
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        // Asking must not install the toolchain that a rust-toolchain.toml names.
        .env("RUSTUP_AUTO_INSTALL", "0")
        // Of rustup's error, people need the sentence.
        .env_remove("RUST_BACKTRACE")
        .output();
    let output = match output {
        Ok(output) => output,
        Err(e) if e.kind() == NotFound => return Ok(None),
        Err(e) => return Err(Error::io("cannot run it", e).path(Path::new(&rustc))),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.lines().map(str::trim).collect();
        return Err(
            Error::not_applicable("`rustc --print sysroot` failed in this directory")
                .expected("the toolchain that a build here uses")
                .next(format!(
                    "`--rust=TOOLCHAIN` or `--rust=all`; it said: {}",
                    said.join(" ").trim()
                ))
                .path(Path::new(&rustc)),
        );
    }
    let line = output.stdout.trim_ascii_end();
    Ok((!line.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(line))))
}

/// `error`, of changing the archive at `path`, with what to do about a toolchain that belongs to
/// somebody else.
pub fn denied(error: Error, path: &Path) -> Error {
    match error.os() {
        Some(PermissionDenied) => {
            let folder = path.parent().unwrap_or(path);
            let owner = match std::fs::metadata(folder).map(|folder| folder.uid()) {
                Ok(0) => "root".to_owned(),
                Ok(uid) => format!("user {uid}"),
                Err(_) => "its owner".to_owned(),
            };
            error.next(format!(
                "the directory of a toolchain has to be writable: run this as {owner}; or leave the \
                 toolchain alone, and link with `brawn link-args`"
            ))
        }
        Some(ReadOnlyFilesystem) => error.next(
            "it is on a read-only filesystem: patch it where that filesystem is made, or link with `brawn link-args`",
        ),
        _ => error,
    }
}

/// Says, for the changed kinds of toolchains, that programs linked before do not change.
pub fn note_relinking(kinds: &[ToolchainKind]) {
    if kinds.contains(&ToolchainKind::Rust) {
        ui::info(
            "Rust programs that are already built do not change: cargo does not see that libc.a has changed. Run \
             `cargo clean`, or touch the program's main.rs, and build again",
        );
    }
    if kinds.iter().any(|kind| *kind != ToolchainKind::Rust) {
        ui::info(RELINK);
    }
}

/// Whether there is anything at `toolchain` to undo.
pub fn is_recorded(toolchain: &Toolchain) -> bool {
    brawn_core::publish::has_record(&toolchain.archive.path)
}

//! Finds the `libc.a`s of the toolchains on a machine, and describes each. Changes nothing.
//!
//! [`find`] uses only the names of directories and is fast. [`survey`] reads one archive, and may run for several
//! archives at once. [`Places`] says where to look: nothing here reads the environment.

mod cross;
mod folder;
mod rust;
mod state;
mod swift;
mod system;

pub use rust::Rust;
pub use state::{State, Toolchain, survey};

use crate::error::{Error, Result};
use crate::input::is_missing;
use crate::shown::shown;
use folder::Folder;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

crate::named! {
    /// The kind of a toolchain.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ToolchainKind {
        /// A Rust toolchain's self-contained musl.
        Rust = "rust",
        /// The distribution's package.
        System = "system",
        /// A cross compiler's, or musl's own installation.
        MuslCross = "musl-cross",
        /// What zig compiled into its cache.
        Zig = "zig",
        /// An SDK that `swift sdk install` installed.
        Swift = "swift",
    }
}

/// Where to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The directory that is taken for `/`. Nothing outside of it is used, also not through symbolic links.
    pub root: PathBuf,
    /// rustup's directories (`RUSTUP_HOME`).
    pub rustup: Vec<PathBuf>,
    /// The output of `rustc --print sysroot`, of the `rustc` that a build in the current directory uses.
    pub active: Option<PathBuf>,
    /// Other directories of Rust toolchains, which are not rustup's.
    pub sysroots: Vec<PathBuf>,
    /// Home directories, since toolchains may be unpacked in them.
    pub homes: Vec<PathBuf>,
    /// The directories of `PATH`. A cross compiler in one of them leads to its libc.
    pub path: Vec<PathBuf>,
    /// zig's global caches.
    pub zig: Vec<PathBuf>,
    /// Directories with installed bundles of Swift SDKs.
    pub swift: Vec<PathBuf>,
}

impl Places {
    /// The places in a tree that this process does not run in: an image that is being built, a chroot. Only the usual
    /// places count, whatever this machine's environment says.
    pub fn below(root: &Path) -> Self {
        let mut homes = vec![root.join("root")];
        homes.extend(Folder::open(&root.join("home")).paths());
        // Rust's official image has it in the second one.
        let mut rustup: Vec<_> = homes.iter().map(|home| home.join(".rustup")).collect();
        rustup.extend(["usr/local/rustup", "opt/rustup"].map(|path| root.join(path)));
        Self {
            root: root.to_path_buf(),
            rustup,
            // A distribution's own Rust is not in rustup's directories.
            sysroots: vec![root.join("usr"), root.join("usr/local")],
            active: None,
            path: ["usr/local/bin", "usr/bin"].map(|p| root.join(p)).to_vec(),
            zig: homes.iter().map(|home| home.join(".cache/zig")).collect(),
            swift: homes.iter().flat_map(|home| swift_sdks(home)).collect(),
            homes,
        }
    }
}

/// Where Swift's package manager may keep SDKs in a home directory.
pub fn swift_sdks(home: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let folders = [".swiftpm", ".config/swiftpm", "Library/org.swift.swiftpm"];
    folders
        .map(|folder| home.join(folder).join("swift-sdks"))
        .into_iter()
}

/// An archive at a place where a toolchain has its libc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Archive {
    /// The kind of its toolchain.
    pub kind: ToolchainKind,
    /// The toolchain's name: rustup's, the distribution's, an SDK's, or the name of its directory.
    pub name: String,
    /// The target that it is for, if the name of a directory says so.
    pub target: Option<String>,
    /// Whether a build in the current directory uses it; only for Rust.
    pub active: bool,
    /// The version that the toolchain gives; only for Swift's SDKs.
    pub version: Option<String>,
    /// The archive, as it was found.
    #[serde(serialize_with = "crate::shown::path")]
    pub path: PathBuf,
    /// Whether no other libc than musl's can be at this place.
    #[serde(skip)]
    pub(crate) certain: bool,
}

impl Archive {
    /// One for which nothing but its path tells what it is.
    fn new(kind: ToolchainKind, name: String, path: PathBuf) -> Self {
        Self {
            kind,
            name,
            target: None,
            active: false,
            version: None,
            path,
            certain: false,
        }
    }
}

/// The results of [`find`].
#[derive(Debug, Default)]
pub struct FoundToolchains {
    /// The archives, in the order of [`ToolchainKind::ALL`], then by name and target. Each file is listed once.
    pub archives: Vec<Archive>,
    /// All Rust toolchains.
    pub rust: Vec<Rust>,
    /// Errors: places that could not be read, or that lead out of the root.
    pub errors: Vec<Error>,
}

/// Looks for the archives of toolchains of these kinds.
pub fn find(places: &Places, kinds: &[ToolchainKind]) -> FoundToolchains {
    type Find = fn(&Places, &mut FoundToolchains);
    const FINDERS: [(ToolchainKind, Find); 5] = [
        (ToolchainKind::Rust, rust::find),
        (ToolchainKind::System, system::find),
        (ToolchainKind::MuslCross, cross::find),
        (ToolchainKind::Zig, zig),
        (ToolchainKind::Swift, swift::find),
    ];
    let mut found = FoundToolchains::default();
    for (_, find) in FINDERS.iter().filter(|(kind, _)| kinds.contains(kind)) {
        find(places, &mut found);
    }
    once(places, &mut found);
    found
}

/// zig's cache has a directory for each result. Only the archive itself shows which libc it is.
fn zig(places: &Places, found: &mut FoundToolchains) {
    for cache in &places.zig {
        for folder in Folder::reported(&cache.join("o"), &mut found.errors).paths() {
            let path = folder.join("libc.a");
            let archive = Archive::new(ToolchainKind::Zig, name(&folder), path);
            found.archives.push(archive);
        }
    }
}

/// Drops archives that do not exist, that were already found through a link, or that are outside of the root.
fn once(places: &Places, found: &mut FoundToolchains) {
    let all = std::mem::take(&mut found.archives);
    let root = std::fs::canonicalize(&places.root).unwrap_or_else(|_| places.root.clone());
    let mut seen = HashSet::new();
    for archive in all {
        match inside(&root, &archive.path) {
            // If one file has two names, the name that was found first stays.
            Ok(Some(real)) => {
                if seen.insert(real) {
                    found.archives.push(archive);
                }
            }
            Ok(None) => {}
            Err(error) => found.errors.push(error),
        }
    }
    let order = |a: &Archive| (a.kind, a.name.clone(), a.target.clone());
    found.archives.sort_by_cached_key(order);
}

/// The file itself, links resolved; `None` if it does not exist.
fn inside(root: &Path, path: &Path) -> Result<Option<PathBuf>> {
    let real = match std::fs::canonicalize(path) {
        Ok(real) => real,
        Err(e) if is_missing(&e) => return Ok(None),
        Err(e) => return Err(Error::io("cannot look at it", e).path(path)),
    };
    if !real.starts_with(root) {
        return Err(
            Error::refused(format!("a symbolic link that leads to {}", shown(&real)))
                .expected(format!("a file in {}", shown(root)))
                .next("if that file is meant, name it")
                .path(path),
        );
    }
    Ok(Some(real))
}

/// The last part of a path as text.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;

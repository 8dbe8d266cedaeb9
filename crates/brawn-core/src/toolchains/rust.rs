//! Finds Rust's toolchains: rustup's, linked ones, and the one of the `rustc` on `PATH`.

use super::folder::Folder;
use super::{Archive, FoundToolchains, Places, ToolchainKind, name};
use std::collections::HashSet;
use std::fs::canonicalize;
use std::path::{Path, PathBuf};

pub(super) fn find(places: &Places, found: &mut FoundToolchains) {
    let active = places.active.as_deref().and_then(|p| canonicalize(p).ok());
    let mut seen = HashSet::new();
    let mut consider =
        |sysroot: &Path, name: String, is_rustups: bool, found: &mut FoundToolchains| {
            // rustup's links to other toolchains may point to nothing.
            let Ok(real) = canonicalize(sysroot) else {
                return;
            };
            let is_active = active.as_ref() == Some(&real);
            let is_toolchain = is_active || real.join("lib/rustlib").is_dir();
            // rustup may have several names for one toolchain; its archives are listed under the first name.
            if (seen.insert(real) || is_rustups) && is_toolchain {
                add(sysroot, name, is_active, found);
            }
        };
    for rustup in &places.rustup {
        let folders = Folder::reported(&rustup.join("toolchains"), &mut found.errors);
        for sysroot in folders.paths() {
            consider(&sysroot, name(&sysroot), true, found);
        }
    }
    for sysroot in places.active.iter().chain(&places.sysroots) {
        consider(
            sysroot,
            sysroot.to_string_lossy().into_owned(),
            false,
            found,
        );
    }
}

/// Adds the musl targets of the toolchain at `sysroot`.
fn add(sysroot: &Path, toolchain: String, active: bool, found: &mut FoundToolchains) {
    let targets = Folder::reported(&sysroot.join("lib/rustlib"), &mut found.errors);
    for (target, folder) in targets.named(is_musl) {
        let path = folder.join("lib/self-contained/libc.a");
        found.archives.push(Archive {
            target: Some(target),
            active,
            certain: true,
            ..Archive::new(ToolchainKind::Rust, toolchain.clone(), path)
        });
    }
    found.rust.push(Rust {
        name: toolchain,
        sysroot: sysroot.to_path_buf(),
        active,
    });
}

/// Whether a Rust target is musl compiled for a processor; WebAssembly has a `linux-musl` too.
fn is_musl(target: &str) -> bool {
    let environment = target.rsplit('-').next().unwrap_or_default();
    environment.starts_with("musl") && !target.starts_with("wasm")
}

/// A Rust toolchain, with or without a musl target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rust {
    /// rustup's name for it, or the name of its directory.
    pub name: String,
    /// Its directory.
    pub sysroot: PathBuf,
    /// Whether a build in the current directory uses it.
    pub active: bool,
}

impl Rust {
    /// Whether `asked` names this toolchain: by its whole name, by the part before the host as rustup allows
    /// (`stable`, `1.90.0`, `nightly-2026-01-31`), or by its path.
    pub fn is_called(&self, asked: &str) -> bool {
        if asked.contains('/') {
            return same(Path::new(asked), &self.sysroot);
        }
        let host = self.name.strip_prefix(asked);
        let host = host.and_then(|rest| rest.strip_prefix('-'));
        // The rest must be a host, not a date: `nightly` does not mean every nightly.
        let is_host =
            |host: &str| host.contains('-') && !host.starts_with(|c: char| c.is_ascii_digit());
        self.name == asked || host.is_some_and(is_host)
    }

    /// Whether `archive` belongs to this toolchain, under any name.
    pub fn has(&self, archive: &Archive) -> bool {
        let sysroot = archive.sysroot();
        sysroot.is_some_and(|sysroot| same(&sysroot, &self.sysroot))
    }
}

fn same(one: &Path, other: &Path) -> bool {
    match (canonicalize(one), canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

impl Archive {
    /// The directory of the Rust toolchain that this archive belongs to.
    pub fn sysroot(&self) -> Option<PathBuf> {
        // lib/rustlib/TARGET/lib/self-contained/libc.a
        let is_rust = self.kind == ToolchainKind::Rust;
        let sysroot = is_rust.then(|| self.path.ancestors().nth(6))??;
        Some(sysroot.to_path_buf())
    }
}

//! The cache of results about cargo's flags.  A build that has nothing to do must not wait until a compiler has
//! answered questions.
//!
//! The name of an entry is a hash of the contents of everything that cargo and rustup read before they decide, and of
//! this brawn's payloads.  Files that are too large to be read each time (compilers, archives) are in it with size,
//! time and inode.

use super::change::Change;
use super::libc::FOLDER;
use super::line::{Line, here, home};
use super::witness::Witness;
use super::{Request, in_path};
use brawn_core::fingerprint::hexadecimal;
use brawn_core::publish::place::File;
use brawn_core::publish::{cache, private::PrivateFolder};
use brawn_core::{Result, input};
use brawn_payload::payloads;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the cache's directory.
const FOUND: &str = "cargo-found";
/// How many are kept.
const KEPT: usize = 256;
/// How long an unused copy stays.
const UNUSED: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// What is kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct Known {
    /// The words that the command stands for.
    pub alias: Option<Vec<String>>,
    /// What cargo has to be told.
    pub change: Change,
    /// The files that it holds for.
    pub witnesses: Vec<Witness>,
}

/// Everything that the answer depends on, as it is now.
#[derive(Debug)]
pub struct Seen {
    hash: Sha256,
    /// The name of the entry, made of the hash.
    name: String,
    /// Whether all of it was seen.
    pub is_whole: bool,
    /// Whether there may be aliases.
    pub has_aliases: bool,
}

impl Known {
    /// The entry below `root` for the current state.
    pub fn find(root: &Path, seen: &Seen) -> Option<Self> {
        if !seen.is_whole {
            return None;
        }
        let private = PrivateFolder::find(root, FOUND).ok()?;
        let known: Self = serde_json::from_slice(&private.read(&seen.name)?).ok()?;
        if !known.witnesses.iter().all(Witness::still_holds) {
            return None;
        }
        cache::used(&private.path().join(&seen.name));
        for copy in known.copies() {
            cache::used(copy);
        }
        Some(known)
    }

    /// Writes it to the cache, and removes entries that were not used for a while.
    pub fn keep(&self, root: &Path, seen: &Seen) -> Result<()> {
        // If a path cannot be written in JSON, nothing is kept, and brawn asks each time.
        let Ok(bytes) = serde_json::to_vec(self) else {
            return Ok(());
        };
        if !seen.is_whole {
            return Ok(());
        }
        let name = seen.name.clone();
        let private = PrivateFolder::open(root, FOUND)?;
        private.place(&[File { name, bytes }])?;
        cache::keep_newest(private.path(), KEPT);
        cache::remove_unused(root, FOLDER, UNUSED);
        Ok(())
    }

    /// The directories of patched copies.
    fn copies(&self) -> impl Iterator<Item = &Path> {
        let folders = self.witnesses.iter().filter_map(|w| w.path.parent());
        folders.filter(|folder| {
            let name = folder.file_name().unwrap_or_default();
            name.as_bytes().starts_with(FOLDER.as_bytes())
        })
    }
}

impl Seen {
    /// Reads everything that the answer depends on.
    pub fn now(request: &Request, line: &Line, folder: &Path) -> Result<Self> {
        let here = here()?;
        let mut seen = Self {
            hash: Sha256::new(),
            name: String::new(),
            is_whole: true,
            has_aliases: false,
        };
        seen.request(request);
        seen.add(line.toolchain.as_deref().unwrap_or_default().as_bytes());
        // The words of an alias are also for cargo.
        let values = |option| match line.may_be_alias() {
            true => line.all_values(option),
            false => line.values(option),
        };
        for option in ["-C", "-Z", "--config", "--target"] {
            seen.add(option.as_bytes());
            for value in values(option) {
                seen.add(value.as_bytes());
            }
        }
        // A specification, whose contents count.
        let is_file = |target: &OsString| target.as_bytes().ends_with(b".json");
        seen.is_whole &= !values("--target").iter().any(is_file);
        let command = line.command.as_deref().filter(|_| line.may_be_alias());
        seen.add(command.unwrap_or_default().as_bytes());
        seen.add(&[line.is_cargos().into()]);
        // This changes where cargo looks for everything else.
        if !values("-C").is_empty() {
            seen.is_whole = false;
            seen.has_aliases = true;
        }
        for config in values("--config") {
            let file = here.join(&config);
            if file.is_file() {
                seen.configuration(&file);
            } else {
                seen.is_whole &= !has_include(config.as_bytes());
                seen.has_aliases |= may_have_aliases(config.as_bytes());
            }
        }

        seen.environment(line);
        seen.folders(folder, &here);
        let hash = seen.hash.clone().finalize();
        seen.name = hexadecimal(&hash[..16]) + ".json";
        Ok(seen)
    }
}

/// Whether the variable may affect cargo, rustup, rustc, or how they are found.
fn decides(name: &OsStr) -> bool {
    let name = name.as_bytes();
    ["CARGO", "RUST"]
        .iter()
        .any(|p| name.starts_with(p.as_bytes()))
        || [&b"PATH"[..], b"HOME", b"TMPDIR", b"XDG_CACHE_HOME"].contains(&name)
}

/// Whether a configuration may include others.
fn has_include(text: &[u8]) -> bool {
    text.windows(7).any(|word| word == b"include")
}

/// Whether a configuration may have aliases, or include others that have them.
fn may_have_aliases(text: &[u8]) -> bool {
    text.windows(5).any(|word| word == b"alias") || has_include(text)
}

/// What the answer depends on, part by part.
impl Seen {
    /// brawn's payloads, and the user's options.
    fn request(&mut self, request: &Request) {
        for payload in payloads() {
            self.add(payload.version.as_bytes());
            self.add(payload.source.as_bytes());
            self.add(payload.compiler.as_bytes());
            self.add(payload.memory.map_or("", |memory| memory.source).as_bytes());
        }
        let chosen = (request.profile, request.components, request.is_plain);
        self.add(format!("{chosen:?}").as_bytes());
        self.add(request.dir.unwrap_or(Path::new("")).as_os_str().as_bytes());
    }

    /// The variables that affect the result, and the programs that are found through them.
    fn environment(&mut self, line: &Line) {
        let mut variables: Vec<_> = std::env::vars_os().filter(|(n, _)| decides(n)).collect();
        variables.sort_unstable();
        for (name, value) in variables {
            self.has_aliases |= name.as_bytes().starts_with(b"CARGO_ALIAS_");
            self.add(name.as_bytes());
            self.add(value.as_bytes());
        }
        for program in [line.cargo().as_os_str(), OsStr::new("rustc")] {
            let path = in_path(program).unwrap_or_default();
            self.add(format!("{:?}", Witness::of(&path)).as_bytes());
        }
    }

    /// The files of cargo, rustup and rustc that may affect a build in `folder` that was started in `here`.
    fn folders(&mut self, folder: &Path, here: &Path) {
        self.add(folder.as_os_str().as_bytes());
        self.add(here.as_os_str().as_bytes());
        for folder in folder.ancestors().chain(here.ancestors()) {
            self.configuration(&folder.join(".cargo/config.toml"));
            self.configuration(&folder.join(".cargo/config"));
            self.contents(&folder.join("rust-toolchain.toml"));
            self.contents(&folder.join("rust-toolchain"));
        }
        if let Some(home) = home() {
            self.configuration(&home.join("config.toml"));
            self.configuration(&home.join("config"));
        }
        let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
        if let Some(home) = rustup.or_else(|| Some(std::env::home_dir()?.join(".rustup"))) {
            self.contents(&home.join("settings.toml"));
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }

    fn contents(&mut self, path: &Path) -> Option<Vec<u8>> {
        let bytes = input::read(path).ok();
        self.add(&[bytes.is_some().into()]);
        if let Some(bytes) = &bytes {
            self.add(bytes);
        }
        bytes
    }

    /// A configuration file of cargo. It may include others, and only cargo knows which.
    fn configuration(&mut self, path: &Path) {
        if let Some(bytes) = self.contents(path) {
            self.has_aliases |= may_have_aliases(&bytes);
            self.is_whole &=
                !has_include(&bytes) && !String::from_utf8_lossy(&bytes).contains(".json");
        }
    }
}

#[cfg(test)]
mod tests;

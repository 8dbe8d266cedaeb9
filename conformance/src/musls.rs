//! The musls of `tools/musls.lock`, to which the payload is held besides the distribution's.

use crate::toolchain::{Link, home};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `tools/musls.sh` gets.
const LOCK: &str = include_str!("../../tools/musls.lock");

/// The part of the long counts (threads, forks) that runs on each musl of the list: one in so many.
/// The distribution's musl runs all of them.
pub const SHARE: u32 = 10;

/// zig keeps a part of libc in archives of its own.
const ZIGS: &str = "-Wl,--start-group -lc -lzigc -lcompiler_rt -Wl,--end-group";

/// A musl of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Musl {
    /// Its name, which is its folder's.
    pub name: &'static str,
    /// How programs are linked with it: by gcc with the patched archive or, where zig's own heap is
    /// in no archive that can be patched, by its zig with the payload on the line.
    pub link: Link,
    /// What else gcc's linker needs besides libc.a.
    pub more: &'static str,
    folder: PathBuf,
}

/// Every musl of the list that this machine runs.
pub fn matrix() -> Result<Vec<Musl>, String> {
    parse(LOCK, &home().join("../target/tools/musls"))
}

fn parse(lock: &'static str, musls: &Path) -> Result<Vec<Musl>, String> {
    let mut all: Vec<Musl> = Vec::new();
    for (number, line) in lock.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with('#') {
            continue;
        }
        let [name, architecture, kind, _release, _file, _sha256] = words[..] else {
            return Err(format!("musls.lock:{}: expected six words", number + 1));
        };
        if architecture != "amd64" || all.last().is_some_and(|m| m.name == name) {
            continue;
        }
        let (link, more) = match kind {
            "deb" | "oldmalloc" => (Link::Static, ""),
            "zig" => (Link::Static, ZIGS),
            "zig-line" => (Link::Zig, ""),
            _ => {
                return Err(format!(
                    "musls.lock:{}: unknown kind {kind}, expected deb, oldmalloc, zig or zig-line",
                    number + 1
                ));
            }
        };
        let folder = musls.join(name);
        all.push(Musl {
            name,
            link,
            more,
            folder,
        });
    }
    Ok(all)
}

impl Musl {
    /// The folder of its libraries.
    pub fn libraries(&self) -> Result<PathBuf, String> {
        self.has("lib", "libc.a")
    }

    /// The folder of its headers.
    pub fn headers(&self) -> Result<PathBuf, String> {
        self.has("include", "stdlib.h")
    }

    /// The zig that brings it.
    pub fn zig(&self, cache: &Path) -> Result<Command, String> {
        let zig = self.has("zig/ziglang", "zig")?.join("zig");
        let mut command = Command::new(zig);
        command.env("ZIG_GLOBAL_CACHE_DIR", cache.join(self.name));
        command.env("ZIG_LOCAL_CACHE_DIR", cache.join("zig-local"));
        Ok(command)
    }

    fn has(&self, part: &str, file: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(part);
        if path.join(file).is_file() {
            return Ok(path);
        }
        let (path, name) = (path.display(), self.name);
        Err(format!(
            "musl {name}: no {file} in {path}: run tools/musls.sh"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let names: Vec<_> = matrix().unwrap().iter().map(|m| m.name).collect();
        assert_eq!(
            names,
            [
                "1.2.2",
                "1.2.3",
                "1.2.5",
                "1.2.6",
                "1.2.3-oldmalloc",
                "zig-0.15.2",
                "zig-0.16.0"
            ]
        );
    }

    #[test]
    fn a_missing_archive_says_what_to_run() {
        let lock = "# comment\nx amd64 deb sid pool/x.deb 00\ny arm64 deb sid pool/y.deb 00\n";
        let all = parse(lock, Path::new("/nowhere")).unwrap();
        assert_eq!(all.len(), 1);
        let error = all[0].libraries().unwrap_err();
        assert_eq!(
            error,
            "musl x: no libc.a in /nowhere/x/lib: run tools/musls.sh"
        );
        let error = parse("x amd64 rpm sid pool/x.deb 00", Path::new("/")).unwrap_err();
        assert!(
            error.starts_with("musls.lock:1: unknown kind rpm"),
            "{error}"
        );
    }
}

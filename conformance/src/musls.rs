//! The musls of `tools/musls.lock`: the payload is tested on them in addition to the distribution's musl.

use crate::toolchain::{self, home};
use brawn_core::arch::Isa;
use brawn_payload::{Architecture, Profile};
use brawn_verify::ways::Link;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The list that `tools/musls.sh` downloads.
const LOCK: &str = include_str!("../../tools/musls.lock");

/// The list that `tools/musls-shared.sh` downloads.
const SHARED: &str = include_str!("../../tools/musls-shared.lock");

/// The variable with which all trials run, with whole counts.
pub const ALL: &str = "BRAWN_CONFORMANCE_ALL";

/// On every musl and profile except the default ones, long counts are divided by this.
pub const SHARE: u32 = 10;

/// What the machine that the tests run on has for an architecture.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Tools {
    /// The architecture.
    pub architecture: Architecture,
    /// Debian's name of it, which the list uses.
    debian: &'static str,
    /// The C compiler and the archiver.
    pub gcc: (&'static str, &'static str),
    /// What the compiler always gets.
    pub flags: &'static str,
    /// The emulator for its programs; `None` if they need none.
    emulator: Option<&'static str>,
}

const TOOLS: &[Tools] = &[
    Tools {
        architecture: Architecture::X86_64,
        debian: "amd64",
        gcc: ("gcc", "ar"),
        flags: "",
        emulator: None,
    },
    Tools {
        architecture: Architecture::Aarch64,
        debian: "arm64",
        gcc: ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-ar"),
        // libgcc's functions for outlined atomics call `__getauxval`, which musl does not have.
        flags: "-mno-outline-atomics",
        emulator: Some("qemu-aarch64"),
    },
    Tools {
        architecture: Architecture::Riscv64,
        debian: "riscv64",
        gcc: ("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-ar"),
        flags: "",
        emulator: Some("qemu-riscv64"),
    },
];

/// The page size that programs see, except for those of [`PAGES`].
const PAGE: u32 = 4096;

/// The aarch64 musl whose programs also run with pages of these sizes: Arm kernels have pages of 4, 16 or 64 KiB.
const PAGED: &str = "1.2.3-arm64";
const PAGES: [u32; 2] = [16 << 10, 64 << 10];

/// The aarch64 musl whose programs are linked position-independent. For riscv64, GNU ld 2.40 links no such program with
/// thread-locals.
const PIE: &str = "1.2.5-arm64";

/// Of those that need an emulator, the musls on which all programs run, with the profiles besides the default one: guard
/// pages on the smallest and the largest pages; and on riscv64, whose only musl with all programs this is, each.
const WHOLE: [(&str, &[Profile]); 2] = [
    (PAGED, &[Profile::Secure]),
    ("1.2.5-riscv64", &[Profile::Secure, Profile::Lean]),
];

/// A second musl of an architecture that has the heap alone: it runs where all trials run.
const REPEATS: &str = "1.2.6-riscv64";

/// The pinned zig of tools/setup.sh, for aarch64, with its C++ library, its linker and its musl.
const ZIG: &str = "zig-0.15.2-arm64";

/// zig keeps parts of libc in archives of its own.
const ZIGS: &str = "-Wl,--start-group -lc -lzigc -lcompiler_rt -Wl,--end-group";

/// Which programs run on a musl. Everything takes ten times as long under qemu-user, so a musl that needs it runs
/// only the programs for which it makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All programs that can be linked with it.
    All,
    /// The same without programs that must run alone, which take longest.
    Short,
    /// Programs for which the way of linking matters: those that are also linked with `static-pie`.
    Linking,
    /// C++.
    Cxx,
}

/// A musl of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Musl {
    /// The name of its directory and, if the kernel's pages are not of 4 KiB, the page size.
    pub name: String,
    /// What is there for its architecture.
    pub tools: &'static Tools,
    /// How programs are linked with it. gcc links them with the patched archive. If zig's own heap is in no archive
    /// that can be patched, zig links them with the payload on the line.
    pub link: Link,
    /// Which programs run on it.
    pub extent: Extent,
    /// The profiles besides the default one with which all programs run that need not run alone.
    pub profiles: &'static [Profile],
    /// The flags that gcc's linker needs besides libc.a.
    pub more: &'static str,
    folder: PathBuf,
    page: u32,
}

/// Every musl of the list, those that need an emulator last.
pub fn matrix() -> Result<Vec<Musl>, String> {
    let mut all = parse(LOCK, &home().join("../target/tools/musls"))?;
    let paged = all.iter().find(|m| m.name == PAGED).cloned();
    let paged = paged.ok_or_else(|| format!("musls.lock: no musl {PAGED}"))?;
    all.extend(PAGES.map(|page| Musl {
        name: format!("{PAGED}-{}k", page >> 10),
        page,
        extent: if page == PAGES[1] {
            Extent::All
        } else {
            Extent::Short
        },
        profiles: if page == PAGES[1] {
            paged.profiles
        } else {
            &[]
        },
        ..paged.clone()
    }));
    all.push(Musl {
        name: ZIG.to_owned(),
        link: Link::Zig,
        extent: Extent::Cxx,
        profiles: &[],
        ..paged
    });
    Ok(all)
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
        if all.last().is_some_and(|m| m.name == name) {
            continue;
        }
        let tools = TOOLS.iter().find(|t| t.debian == architecture);
        let tools = tools.ok_or_else(|| {
            let known: Vec<_> = TOOLS.iter().map(|t| t.debian).collect();
            format!(
                "musls.lock:{}: unknown architecture {architecture}, expected {}",
                number + 1,
                known.join(" or ")
            )
        })?;
        let (link, more) = match kind {
            "deb" if name == PIE => (Link::StaticPie, ""),
            "deb" | "oldmalloc" => (Link::Static, ""),
            "zig" => (Link::Static, ZIGS),
            "zig-line" => (Link::Zig, ""),
            // Nothing is linked with it.
            "zig-code" => continue,
            _ => {
                return Err(format!(
                    "musls.lock:{}: unknown kind {kind}, expected deb, oldmalloc, zig, zig-line or zig-code",
                    number + 1
                ));
            }
        };
        let folder = musls.join(name);
        let whole = WHOLE.iter().find(|(whole, _)| *whole == name);
        all.push(Musl {
            name: name.to_owned(),
            tools,
            link,
            extent: if tools.emulator.is_none() || whole.is_some() {
                Extent::All
            } else {
                Extent::Linking
            },
            profiles: whole.map_or(&[], |(_, profiles)| profiles),
            more,
            folder,
            page: PAGE,
        });
    }
    Ok(all)
}

impl Musl {
    /// Whether its programs have musl's own heap. zig 0.16 links a heap of its own, which is in no archive.
    pub fn has_own_heap(&self) -> bool {
        self.link != Link::Zig || self.name == ZIG
    }

    /// Long counts (threads, forks) are divided by this. The distribution's musl runs all of them.
    pub fn share(&self) -> u32 {
        let is_whole = WHOLE.iter().any(|(name, _)| self.name == *name);
        match (self.is_emulated(), is_whole) {
            (false, _) => SHARE,
            (true, true) => 20,
            (true, false) => 200,
        }
    }

    /// Whether its programs run under qemu-user.
    pub fn is_emulated(&self) -> bool {
        self.tools.emulator.is_some()
    }

    /// The size of the pages that its programs see.
    pub fn page(&self) -> u32 {
        self.page
    }

    /// The command that starts its programs, with its arguments; empty if they need none.
    pub fn emulator(&self) -> Vec<String> {
        let page = self.page.to_string();
        let words = self.tools.emulator.map(|name| [name, "-p", &page]);
        words.into_iter().flatten().map(str::to_owned).collect()
    }

    /// Whether it repeats what another one shows, under an emulator.
    pub fn repeats(&self) -> bool {
        self.name == REPEATS
    }

    /// Whether brawn rewrites its programs.
    pub fn is_rewritten(&self) -> bool {
        Isa::of(self.tools.architecture).is_some()
    }

    /// The directory of its libraries.
    pub fn libraries(&self) -> Result<PathBuf, String> {
        self.has("lib", "libc.a")
    }

    /// Whether `tools/musls-shared.sh` gets its libc.so. Not with larger pages: there qemu-user 7.2 crashes in many
    /// dynamic programs, with stock's heap too.
    pub fn is_shared(&self) -> bool {
        let mut names = SHARED
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        names.any(|name| name == self.name)
    }

    /// The directory of its libc.so, and the path of the dynamic linker in it, by the name that programs ask for.
    pub fn shared(&self) -> Result<(PathBuf, PathBuf), String> {
        let folder = home().join("../target/tools/musls-shared").join(&self.name);
        let linker = folder.join(format!("ld-musl-{}.so.1", self.tools.architecture.name()));
        if linker.is_file() {
            // Programs ask for this name in any directory.
            let folder = folder
                .canonicalize()
                .map_err(|e| format!("{}: {e}", folder.display()))?;
            let linker = folder.join(linker.file_name().unwrap_or_default());
            return Ok((folder, linker));
        }
        let (linker, name) = (linker.display(), &self.name);
        Err(format!(
            "musl {name}: no {linker}: run tools/musls-shared.sh"
        ))
    }

    /// The directory of its headers.
    pub fn headers(&self) -> Result<PathBuf, String> {
        self.has("include", "stdlib.h")
    }

    /// The directory of the headers that programs for every musl of its architecture are compiled with, unless all
    /// trials run: musl's ABI does not change.
    pub fn common_headers(&self) -> Result<PathBuf, String> {
        let of_architecture = |name: &str| name.ends_with(self.tools.debian);
        match WHOLE.iter().find(|(name, _)| of_architecture(name)) {
            Some((name, _)) => {
                let folder = self.folder.with_file_name(name);
                Self {
                    folder,
                    ..self.clone()
                }
                .headers()
            }
            None => toolchain::musl_headers(),
        }
    }

    /// The zig that it comes from.
    pub fn zig(&self, cache: &Path) -> Result<Command, String> {
        if self.name == ZIG {
            return toolchain::zig(cache);
        }
        let zig = self.has("zig/ziglang", "zig")?.join("zig");
        let mut command = Command::new(zig);
        // tools/musls.sh made zig compile its musl into this cache.
        command.env("ZIG_GLOBAL_CACHE_DIR", toolchain::zig_cache());
        command.env("ZIG_LOCAL_CACHE_DIR", cache.join("zig-local"));
        Ok(command)
    }

    fn has(&self, part: &str, file: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(part);
        if path.join(file).is_file() {
            return Ok(path);
        }
        let (path, name) = (path.display(), &self.name);
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
        let all = matrix().unwrap();
        let names: Vec<_> = all.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "1.2.2",
                "1.2.3",
                "1.2.5",
                "1.2.6",
                "1.2.3-oldmalloc",
                "zig-0.15.2",
                "zig-0.16.0",
                "1.2.2-arm64",
                "1.2.3-arm64",
                "1.2.5-arm64",
                "1.2.6-arm64",
                "1.2.5-riscv64",
                "1.2.6-riscv64",
                "1.2.3-arm64-16k",
                "1.2.3-arm64-64k",
                "zig-0.15.2-arm64",
            ]
        );
        let pages: Vec<_> = all.iter().filter_map(|m| m.emulator().pop()).collect();
        assert_eq!(
            pages,
            [
                "4096", "4096", "4096", "4096", "4096", "4096", "16384", "65536", "4096"
            ]
        );
    }

    #[test]
    fn a_missing_archive_says_what_to_run() {
        let lock = "# comment\nx amd64 deb sid pool/x.deb 00\ny arm64 deb sid pool/y.deb 00\n";
        let all = parse(lock, Path::new("/nowhere")).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!([false, true], [0, 1].map(|i: usize| all[i].is_emulated()));
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
        let error = parse("x s390x deb sid pool/x.deb 00", Path::new("/")).unwrap_err();
        assert!(error.contains("unknown architecture s390x"), "{error}");
    }
}

//! Finds cross compilers for musl, and musl that was installed from its sources.

use super::folder::Folder;
use super::system::is_musl_triple;
use super::{Archive, FoundToolchains, Places, ToolchainKind, name};
use std::path::{Path, PathBuf};

/// Where a target's libc is below PREFIX/TARGET: for musl-cross-make, then for crosstool-NG and Buildroot.
const BELOW_TARGET: [&str; 5] = ["lib", "usr/lib", "sysroot/usr/lib", "sysroot/lib", "lib64"];

/// The names of compilers after `TARGET-`.
const COMPILERS: [&str; 4] = ["gcc", "cc", "g++", "clang"];

pub(super) fn find(places: &Places, found: &mut FoundToolchains) {
    let root = &places.root;
    // musl's own default, which images with a musl toolchain also use.
    own(&root.join("usr/local/musl"), found);
    // Toolchains that were unpacked into their own directory: PREFIX/bin, PREFIX/TARGET/lib.
    let mut folders = vec![root.join("opt"), root.join("usr/local")];
    for home in &places.homes {
        folders.extend(["", "opt", "x-tools"].map(|folder| home.join(folder)));
    }
    for folder in folders {
        let mentions = |name: &str| name.contains("musl");
        for (_, prefix) in Folder::open(&folder).named(mentions) {
            own(&prefix, found);
            targets(&prefix, found);
        }
    }
    // musl-cross-make with one prefix for all its targets.
    for prefix in ["usr/local", "opt", "opt/cross"] {
        targets(&root.join(prefix), found);
    }
    // Homebrew: musl-cross, and a formula for each target.
    for brew in ["opt/homebrew", "usr/local", "home/linuxbrew/.linuxbrew"] {
        let formulas = Folder::open(&root.join(brew).join("opt"));
        for (_, formula) in formulas.named(|name| name.contains("musl")) {
            targets(&formula.join("libexec"), found);
            targets(&formula.join("toolchain"), found);
        }
    }
    for folder in &places.path {
        compilers(folder, found);
    }
}

/// A prefix with musl alone: PREFIX/lib/libc.a.
fn own(prefix: &Path, found: &mut FoundToolchains) {
    // musl-cross-make's native compilers, and an installation of musl itself.
    for lib in ["lib", "usr/lib"] {
        add(prefix, None, prefix.join(lib), found);
    }
}

/// The targets of one prefix.
fn targets(prefix: &Path, found: &mut FoundToolchains) {
    let is_target = |name: &str| is_musl_triple(name) && alone(name) == name;
    for (target, folder) in Folder::open(prefix).named(is_target) {
        for lib in BELOW_TARGET {
            add(prefix, Some(target.clone()), folder.join(lib), found);
        }
    }
}

/// The libc that compilers in a directory of `PATH` link: `TARGET-gcc`, and musl's wrapper `musl-gcc`.
fn compilers(folder: &Path, found: &mut FoundToolchains) {
    let is_compiler = |name: &str| name == "musl-gcc" || target_of(name).is_some();
    for (compiler, path) in Folder::open(folder).named(is_compiler) {
        // Homebrew and many other installations have only a link in PATH; the compiler is elsewhere.
        let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let prefixes = [path.as_path(), &real].map(|p| p.ancestors().nth(2));
        for prefix in prefixes.into_iter().flatten() {
            match target_of(&compiler) {
                Some(target) => {
                    for lib in BELOW_TARGET {
                        let lib = prefix.join(target).join(lib);
                        add(prefix, Some(target.into()), lib, found);
                    }
                }
                // The wrapper's specs are in the same directory as the libc that they name.
                None if prefix.join("lib/musl-gcc.specs").exists() => own(prefix, found),
                None => {}
            }
        }
    }
}

/// The target at the start of a compiler's name.
fn target_of(compiler: &str) -> Option<&str> {
    let (target, tool) = compiler.rsplit_once('-')?;
    (is_musl_triple(target) && COMPILERS.contains(&tool)).then_some(target)
}

/// The target in the name of a directory with one compiler: `x86_64-linux-musl-cross`.
fn alone(name: &str) -> &str {
    name.trim_end_matches("-native").trim_end_matches("-cross")
}

fn add(prefix: &Path, target: Option<String>, lib: PathBuf, found: &mut FoundToolchains) {
    let own = match name(prefix).as_str() {
        // Homebrew's formulas have their name in the directory above.
        "libexec" | "toolchain" => name(prefix.parent().unwrap_or(prefix)),
        own => own.to_owned(),
    };
    let target = target.or_else(|| {
        let target = alone(&own);
        is_musl_triple(target).then(|| target.to_owned())
    });
    found.archives.push(Archive {
        target,
        ..Archive::new(ToolchainKind::MuslCross, own, lib.join("libc.a"))
    });
}

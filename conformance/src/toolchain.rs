//! Finds tools, and knows their arguments.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of this crate.
pub fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Debian's name for the directories of musl for x86_64. `BRAWN_MUSL_LIBDIR` and `BRAWN_MUSL_INCLUDE` name other directories.
const TRIPLE: &str = "x86_64-linux-musl";

/// The directory of the distribution's musl libraries.
pub fn musl_libraries() -> Result<PathBuf, String> {
    folder("BRAWN_MUSL_LIBDIR", &format!("/usr/lib/{TRIPLE}"), "libc.a")
}

/// The directory of the distribution's musl headers.
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

/// The cache in which every zig keeps its libc and C++ library. Compiling these takes zig minutes, so the cache is
/// shared with tools/ and with other tests.
pub fn zig_cache() -> PathBuf {
    home().join("../target/tools/zig-cache")
}

/// gcc's specs for a musl whose libraries are in `libraries`: the same as musl-gcc's, and static-pie, which those
/// lack. Stock and brawn differ only in this directory.
pub fn specs(libraries: &Path, headers: &Path) -> String {
    include_str!("musl.specs")
        .replace("@LIB@", &libraries.display().to_string())
        .replace("@INC@", &headers.display().to_string())
}

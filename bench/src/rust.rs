//! Builds the workloads that are Rust programs with the toolchain of `tools/rust-musl.sh`: the programs of
//! `bench/rust/`, the server of `bench/server/`, and wasmtime, whose sources `bench/wasmtime.sh` downloads.

use crate::catalogue::WASMTIME;
use crate::link::{Linked, shown};
use crate::variant::Variant;
use crate::{Result, context, repository};
use brawn_lab::build::checked;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the server of `bench/server/` among the workloads.
pub(crate) const AXUM: &str = "axum";

/// Whether a workload is a Rust program.
pub(crate) fn is(workload: &str) -> bool {
    workload == WASMTIME || workload == AXUM || workload.starts_with("rust-")
}

/// The directory with the toolchain's programs.
fn toolchain() -> Result<PathBuf> {
    let folder = repository().join("target/tools/rust-musl/bin");
    match folder.join("cargo").is_file() {
        true => Ok(folder),
        false => Err(format!(
            "no Rust toolchain in {}: run tools/rust-musl.sh",
            folder.display()
        )),
    }
}

/// For the raw data: versions of the compiler and of the crate that brawn is compared with.
pub(crate) fn versions() -> Result<BTreeMap<String, String>> {
    let rustc = checked(Command::new(toolchain()?.join("rustc")).arg("--version"))?;
    let lock = repository().join("bench/rust/Cargo.lock");
    let text = context(fs::read_to_string(&lock), "read", &lock)?;
    let version = locked(&text, "mimalloc").ok_or("bench/rust/Cargo.lock: no mimalloc")?;
    Ok(BTreeMap::from([
        ("rustc".to_owned(), rustc.trim().to_owned()),
        ("crate".to_owned(), format!("mimalloc {version}")),
    ]))
}

/// What the server of `bench/server/` is made of.
pub(crate) fn server_versions() -> Result<BTreeMap<String, String>> {
    let lock = repository().join("bench/server/Cargo.lock");
    let text = context(fs::read_to_string(&lock), "read", &lock)?;
    let names = [
        AXUM,
        "hyper",
        "tokio",
        "tower-http",
        "flate2",
        "miniz_oxide",
    ];
    let version = |name: &str| {
        let version = locked(&text, name).ok_or(format!("bench/server/Cargo.lock: no {name}"))?;
        Ok((name.to_owned(), version.to_owned()))
    };
    names.into_iter().map(version).collect()
}

/// A package's version in a lock file.
fn locked<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    after.split('"').next()
}

/// Builds a workload. For one target, the libcs differ only in the last step, the link.
pub(crate) fn build(
    work: &Path,
    variant: Variant,
    lib: Option<&Path>,
    workload: &str,
    output: &Path,
) -> Result<Linked> {
    let toolchain = toolchain()?;
    let (manifest, program, features) = match workload.strip_prefix("rust-") {
        Some(number) => {
            let manifest = repository().join("bench/rust/Cargo.toml");
            (manifest, format!("seed{number}"), variant.feature())
        }
        None if workload == AXUM => {
            let manifest = repository().join("bench/server/Cargo.toml");
            (manifest, "brawn-bench-server".to_owned(), None)
        }
        None => {
            checked(Command::new(repository().join("bench/wasmtime.sh")).arg(work))?;
            let features = Some("compile,cranelift,parallel-compilation");
            (
                work.join("wasmtime-cli/Cargo.toml"),
                WASMTIME.to_owned(),
                features,
            )
        }
    };
    let target = match variant {
        Variant::Glibc => "x86_64-unknown-linux-gnu",
        _ => "x86_64-unknown-linux-musl",
    };
    let built = work.join("rust");
    let map = output.with_extension("map");
    let mut command = Command::new(toolchain.join("cargo"));
    command.args(["rustc", "--release", "--locked", "--no-default-features"]);
    command.args(["--bin", &program, "--target", target, "--target-dir"]);
    command.arg(&built).arg("--manifest-path").arg(&manifest);
    if let Some(features) = features {
        command.args(["--features", features]);
    }
    command.arg("--");
    if let Some(lib) = lib {
        command.arg("-L").arg(format!("native={}", lib.display()));
    }
    let line = shown(&command, work);
    // rustc does not show the linker's output, so the linker writes a map of its inputs to a file.
    command.arg(format!("-Clink-arg=-Wl,-Map={}", map.display()));
    // Use the tools of the directory, and no settings of the caller.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", toolchain.display()));
    for (name, _) in std::env::vars() {
        let is_setting = name.starts_with("CARGO_") && name != "CARGO_HOME";
        if is_setting || name.starts_with("RUSTC") || name.starts_with("RUSTFLAGS") {
            command.env_remove(name);
        }
    }
    checked(&mut command)?;
    let executable = built.join(target).join("release").join(&program);
    context(fs::copy(&executable, output), "copy", &executable)?;
    let map_text = context(fs::read_to_string(&map), "read", &map)?;
    Ok(Linked {
        command: line,
        archives: archives(&map_text),
    })
}

/// The archives that were loaded, according to a link map.
fn archives(map: &str) -> Vec<PathBuf> {
    let loaded = map.lines().filter_map(|line| line.strip_prefix("LOAD "));
    let archives = loaded.filter(|path| path.ends_with(".a"));
    archives.map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_version_is_the_locks() {
        let lock = "[[package]]\nname = \"libmimalloc-sys\"\nversion = \"1\"\n\n[[package]]\nname = \"mimalloc\"\nversion = \"0.1.52\"\n";
        assert_eq!(locked(lock, "mimalloc"), Some("0.1.52"));
        assert_eq!(locked(lock, "none"), None);
    }

    #[test]
    fn a_map_tells_its_archives() {
        let map =
            "LOAD /a/crt1.o\nLOAD /b/libc.a\n .text 0x1 /b/libc.a(x.lo)\nLOAD /c/libstd.rlib\n";
        assert_eq!(archives(map), [PathBuf::from("/b/libc.a")]);
    }
}

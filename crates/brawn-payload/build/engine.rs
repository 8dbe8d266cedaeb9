//! Finds the engine's sources: mimalloc 2 in the `libmimalloc-sys2` crate, which this crate names as
//! a dependency of a target that does not exist, so that Cargo pins and fetches it and never
//! compiles it.

use crate::Result;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Engine {
    /// Holds `src/` and `include/`.
    pub folder: PathBuf,
    /// As in `mimalloc 2.5.2`.
    pub version: String,
    pub license: PathBuf,
}

pub fn find(manifest: &Path) -> Result<Engine> {
    let package = package(manifest)?;
    let folder = package.join("c_src/mimalloc");
    let header = folder.join("include/mimalloc.h");
    let text = fs::read_to_string(&header).map_err(|e| format!("{}: {e}", header.display()))?;
    // `#define MI_MALLOC_VERSION 20502` is version 2.5.2: two digits each for minor and patch.
    let number: u32 = text
        .lines()
        .find_map(|line| line.strip_prefix("#define MI_MALLOC_VERSION"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| format!("{}: found no MI_MALLOC_VERSION", header.display()))?;
    Ok(Engine {
        version: format!(
            "mimalloc {}.{}.{}",
            number / 10000,
            number / 100 % 100,
            number % 100
        ),
        license: folder.join("LICENSE"),
        folder,
    })
}

/// The directory of the `libmimalloc-sys2` package.
fn package(manifest: &Path) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").ok_or("CARGO is not set: run through cargo")?;
    // Offline first: this is the usual case, and needs no network.
    for offline in [true, false] {
        let mut command = Command::new(&cargo);
        command.args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--manifest-path",
        ]);
        command.arg(manifest.join("Cargo.toml"));
        if offline {
            command.arg("--offline");
        }
        let output = command.output()?;
        if !output.status.success() {
            if offline {
                continue;
            }
            return Err(format!(
                "cargo metadata: {}",
                String::from_utf8_lossy(&output.stderr)
            )
            .into());
        }
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let path = metadata["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|package| package["name"] == "libmimalloc-sys2")
            .and_then(|package| package["manifest_path"].as_str())
            .ok_or("cargo metadata: found no package libmimalloc-sys2")?;
        let folder = Path::new(path)
            .parent()
            .ok_or("a manifest without a directory")?;
        return Ok(folder.to_owned());
    }
    Err("cargo metadata gave no answer".into())
}

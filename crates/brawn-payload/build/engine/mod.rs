//! Finds the engine's sources: mimalloc 2 in the `libmimalloc-sys2` crate, which this crate names as
//! a dependency of a target that does not exist, so that Cargo pins and fetches it and never
//! compiles it.  What is compiled is a copy with the patches of `payload/engine/`.

pub mod series;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The directories of the engine's that the heap is compiled from, and that the patches may change.
pub const FOLDERS: [&str; 2] = ["include", "src"];

pub struct Engine {
    /// Holds `src/` and `include/`.
    pub folder: PathBuf,
    /// As in `mimalloc 2.5.2`.
    pub version: String,
    pub license: PathBuf,
}

impl Engine {
    /// A copy of it in `folder`, as it is.
    pub fn copied(&self, folder: &Path) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        for part in FOLDERS {
            copy(&self.folder.join(part), &folder.join(part))?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            version: self.version.clone(),
            license: self.license.clone(),
        })
    }

    /// A copy of it in `folder`, with the patches of `payload/engine/`.
    pub fn patched(&self, payload: &Path, folder: &Path) -> Result<Self> {
        let copy = self.copied(folder)?;
        series::apply(&payload.join("engine"), folder)
            .map_err(|error| format!("{}: {error}", self.version))?;
        Ok(copy)
    }
}

/// The pinned engine with the patches of `payload/engine/`, in a copy below `work`.
pub fn patched(manifest: &Path, payload: &Path, work: &Path) -> Result<Engine> {
    find(manifest)?.patched(payload, &work.join("engine"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    for entry in fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().ok_or("a file without a name")?);
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            // Written, not copied: cargo's files may be read-only, and these are to be changed.
            let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            fs::write(&target, bytes).map_err(|e| format!("{}: {e}", target.display()))?;
        }
    }
    Ok(())
}

/// The engine as it comes.
pub fn find(manifest: &Path) -> Result<Engine> {
    at(&package(manifest)?.join("c_src/mimalloc"))
}

/// The engine whose sources lie in `folder`, as they are.
pub fn at(folder: &Path) -> Result<Engine> {
    let folder = folder.to_owned();
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
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
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

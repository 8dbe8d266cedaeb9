//! Where the tests of this crate find what they look at.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The workspace's directory.
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("this crate is two directories below the workspace's")
}

/// Writes gcc's specs for the musl in `musl` into `folder`, and returns the file.
#[allow(dead_code)] // not all of them link with musl
pub fn write_specs(musl: &Path, folder: &Path) -> io::Result<PathBuf> {
    let specs = fs::read_to_string(root().join("conformance/src/musl.specs"))?
        .replace("@LIB@", &musl.join("lib").display().to_string())
        .replace("@INC@", &musl.join("include").display().to_string());
    let file = folder.join("musl.specs");
    fs::write(&file, specs)?;
    Ok(file)
}

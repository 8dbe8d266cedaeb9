//! Where the tests of this crate find what they look at.

use std::path::{Path, PathBuf};
use std::{fs, io};

#[allow(dead_code)] // few of them compile much with gcc
pub mod kept;

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

/// Copies what is below `from`, but for links to directories: a crate's may lead out of it.
#[allow(dead_code)] // not all of them copy sources
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if !entry.path().is_dir() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

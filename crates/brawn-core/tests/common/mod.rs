//! Where the tests of this crate find what they look at.

use std::path::Path;
use std::process::Command;

/// The workspace's directory.
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.ancestors().nth(2);
    root.expect("this crate is two directories below the workspace's")
}

/// Makes a file that was written a program, which can be run at once.
///
/// It becomes a copy, written by a program of its own: another test may start one while this process has the file open
/// for writing, and what is open so, in whatever process, cannot be run.
pub fn make_program(file: &Path) {
    let copy = file.with_extension("copy");
    let mut install = Command::new("install");
    let install = install.args(["-m", "755"]).args([file, &copy]);
    assert!(install.status().unwrap().success());
    std::fs::rename(&copy, file).unwrap();
}

//! Where the tests of this crate find what they look at.

use std::path::Path;

/// The workspace's directory.
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.ancestors().nth(2);
    root.expect("this crate is two directories below the workspace's")
}

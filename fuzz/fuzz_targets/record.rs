//! Any bytes are the record beside a file, which says how the file relates to it, or an error that names the record.

use brawn_core::publish::{Standing, has_record, standing};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

const FILE: &[u8] = b"what brawn wrote";

/// A file, in a directory that tools/fuzz.sh removes.
static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = std::env::temp_dir().join(format!("record-{}", std::process::id()));
    fs::write(&path, FILE).expect("it can be written");
    path
});

pub fn run(bytes: &[u8]) {
    let record = format!("{}.brawn.json", PATH.display());
    fs::write(record, bytes).expect("it can be written");
    match standing(&PATH, FILE) {
        Ok(None) => panic!("there is one"),
        Ok(Some(Standing::Written | Standing::Original)) => assert!(has_record(&PATH)),
        Ok(Some(_)) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

//! The prebuilt objects are what the payload's sources give, byte for byte.
#![allow(missing_docs)]

mod expected;

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

fn found(folder: &Path, prefix: &str, names: &mut BTreeSet<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            found(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.insert(name);
        }
    }
    Ok(())
}

#[test]
fn are_the_payloads() -> Result<(), Box<dyn Error>> {
    let root = expected::folder();
    let files = expected::files()?;
    // Two architectures with memory functions, three profiles of two forms and trace, which has one; and the licences.
    assert_eq!(files.len(), 2 * (1 + 3 * 2 + 1) + 1);
    for (name, bytes) in &files {
        let there = fs::read(root.join(name)).map_err(|e| format!("objects/{name}: {e}"))?;
        assert!(
            there == *bytes,
            "objects/{name} is not what payload/ gives: run `make rt-objects`"
        );
    }
    let mut names = BTreeSet::new();
    found(&root, "", &mut names)?;
    let expected: BTreeSet<String> = files.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, expected);
    Ok(())
}

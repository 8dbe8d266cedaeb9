//! Versions of the tools and libcs, for the raw data.

use brawn_lab::build::checked;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Versions of the tools and libcs, by name. Tools that give no version are left out.
pub fn versions(brawn: &Path) -> BTreeMap<String, String> {
    let root = crate::repository();
    let commands: [(&str, &Path, &[&str]); 7] = [
        ("gcc", Path::new("gcc"), &["--version"]),
        ("ld", Path::new("ld"), &["--version"]),
        ("glibc", Path::new("ldd"), &["--version"]),
        ("rustc", Path::new("rustc"), &["--version"]),
        (
            "musl",
            Path::new("dpkg-query"),
            &["-W", "-f", "${Version}", "musl-dev"],
        ),
        ("brawn", brawn, &["--version"]),
        (
            "revision",
            Path::new("git"),
            &["describe", "--always", "--dirty"],
        ),
    ];
    let mut versions = BTreeMap::new();
    for (name, program, arguments) in commands {
        let answer = checked(Command::new(program).args(arguments).current_dir(&root));
        if let Some(line) = answer.ok().as_deref().and_then(|text| text.lines().next()) {
            versions.insert(name.to_owned(), line.trim().to_owned());
        }
    }
    versions
}

//! `make release`: on a copy of this repository, in a directory of its own.

use crate::common::root;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A repository of all files that this one has, as one commit, with notes of what is unreleased.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let script = r#"
        cd "$0"
        git ls-files -z --cached --others --exclude-standard | tar -cf - --null --ignore-failed-read --no-recursion -T - |
            tar -xf - -C "$1"
        cd "$1"
        git init -q
        git config user.email a@b && git config user.name c
        sed -i 's/^## Unreleased$/&\n\n### Added\n- A note./' CHANGELOG.md
        git add -A && git commit -qm first
    "#;
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .args([root(), folder.path()])
        .output()
        .expect("bash");
    assert!(output.status.success(), "{output:?}");
    folder
}

fn release(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(folder.join("tools/release.py"))
        .args(words)
        .output();
    let output: Output = output.expect("python3");
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .output();
    let output = output.expect("git");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_version_changes_everywhere_at_once() {
    let folder = copy();
    let folder = folder.path();
    let (code, said) = release(
        folder,
        &["7.8.9", "--objects", "echo made >made && git add made"],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("git tag v7.8.9"), "{said}");
    assert_eq!(git(folder, &["status", "--porcelain"]), "");
    let changed = git(folder, &["diff", "--stat", "HEAD~1"]);
    for file in [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "made",
        "fuzz/Cargo.lock",
        "crates/brawn-rt/README.md",
        "docs/toolchains.md",
    ] {
        assert!(changed.contains(&format!(" {file} ")), "{file}: {changed}");
    }
    let log = std::fs::read_to_string(folder.join("CHANGELOG.md")).expect("notes");
    let notes = log.split("## ").collect::<Vec<_>>();
    assert_eq!(notes[1].trim(), "Unreleased");
    assert!(notes[2].starts_with("7.8.9 - 20"), "{}", notes[2]);
    assert!(log.contains("- A note."));
    // Cargo takes it as it is.
    let output = Command::new("cargo")
        .args([
            "metadata",
            "--no-deps",
            "--locked",
            "--offline",
            "--format-version=1",
        ])
        .current_dir(folder)
        .output()
        .expect("cargo");
    let metadata = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    assert!(metadata.contains("\"version\":\"7.8.9\""));
    // Once more, there are no notes.
    let (code, said) = release(folder, &["7.8.10", "--objects", "true"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("found no notes below `## Unreleased`"),
        "{said}"
    );
}

#[test]
fn what_is_refused_or_fails_changes_nothing() {
    let folder = copy();
    let folder = folder.path();
    let before = git(folder, &["rev-parse", "HEAD"]);
    let refused = |words: &[&str], expected: &str| {
        let (code, said) = release(folder, words);
        assert_eq!(code, Some(1), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
        assert_eq!(git(folder, &["rev-parse", "HEAD"]), before);
    };
    refused(&["0.0.1"], "expected one greater than");
    refused(&["1.0"], "expected three numbers");
    refused(&["v1.0.0"], "expected three numbers");
    refused(
        &["9.0.0", "--objects", "echo x >>Cargo.lock; exit 7"],
        "exit code 7: nothing was changed",
    );
    assert_eq!(git(folder, &["status", "--porcelain"]), "");
    // The command's parent is the script: it is told to end.
    refused(
        &["9.0.0", "--objects", "kill -TERM $PPID; sleep 9"],
        "interrupted: nothing was changed",
    );
    assert_eq!(git(folder, &["status", "--porcelain"]), "");
    // A page that nobody told the script of.
    std::fs::write(folder.join("docs/new.md"), "brawn 0.0.0-old").expect("written");
    refused(&["9.0.0"], "the tree has changes");
    let version = env!("CARGO_PKG_VERSION");
    std::fs::write(folder.join("docs/new.md"), format!("brawn {version}\n")).expect("written");
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "second"]);
    let (code, said) = release(folder, &["9.0.0", "--objects", "true"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("docs/new.md:1:brawn"), "{said}");
    assert_eq!(git(folder, &["status", "--porcelain"]), "");
}

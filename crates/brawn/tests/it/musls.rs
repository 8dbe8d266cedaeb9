//! The musls of `tools/musls.lock`: each is named right, and each that holds a heap is patched.

use crate::build::inspect;
use crate::common::{REFUSED, brawn, tools};
use std::path::PathBuf;

pub fn archive(name: &str, file: &str) -> PathBuf {
    let path = tools().join("musls").join(name).join("lib").join(file);
    assert!(path.is_file(), "{}: run tools/musls.sh", path.display());
    path
}

/// Whether a musl is one that `make test` does without, and is not there: nothing is linked with it. `make test` says so at its
/// end; `make test-all` gets it.
pub fn is_left_out(name: &str) -> bool {
    let lock = include_str!("../../../../tools/musls.lock");
    let mut kinds = lock.lines().map(|line| line.split_whitespace());
    let is_code =
        kinds.any(|mut words| words.next() == Some(name) && words.nth(1) == Some("zig-code"));
    let is_there = || tools().join("musls").join(name).exists();
    is_code && std::env::var_os("BRAWN_TEST_ALL").is_none() && !is_there()
}

/// Name, architecture, version, heap.
const KNOWN: [[&str; 4]; 15] = [
    ["1.2.2", "x86_64", "1.2.2", "musl mallocng"],
    ["1.2.3", "x86_64", "1.2.3", "musl mallocng"],
    ["1.2.5", "x86_64", "1.2.5", "musl mallocng"],
    ["1.2.6", "x86_64", "1.2.6", "musl mallocng"],
    ["1.2.3-oldmalloc", "x86_64", "1.2.3", "musl oldmalloc"],
    // zig compiles both.
    [
        "zig-0.13.0",
        "x86_64",
        "1.2.5",
        "musl mallocng + musl oldmalloc",
    ],
    [
        "zig-0.15.2",
        "x86_64",
        "1.2.5",
        "musl mallocng + musl oldmalloc",
    ],
    // Its heap is in libzigc.a.
    ["zig-0.16.0", "x86_64", "1.2.5", "none"],
    [
        "zig-0.13.0-arm64",
        "aarch64",
        "1.2.5",
        "musl mallocng + musl oldmalloc",
    ],
    ["1.2.2-arm64", "aarch64", "1.2.2", "musl mallocng"],
    ["1.2.3-arm64", "aarch64", "1.2.3", "musl mallocng"],
    ["1.2.5-arm64", "aarch64", "1.2.5", "musl mallocng"],
    ["1.2.6-arm64", "aarch64", "1.2.6", "musl mallocng"],
    ["1.2.5-riscv64", "riscv64", "1.2.5", "musl mallocng"],
    ["1.2.6-riscv64", "riscv64", "1.2.6", "musl mallocng"],
];

#[test]
fn every_version_and_heap_is_named() {
    for [name, architecture, version, heap] in KNOWN {
        if is_left_out(name) {
            continue;
        }
        let report = inspect(archive(name, "libc.a").to_str().expect("UTF-8"));
        let found = ["libc", "architecture", "libc_version", "heap"].map(|key| &report[key]);
        assert_eq!(found, ["musl", architecture, version, heap], "{name}");
    }
}

#[test]
fn every_list_entry_is_known_here() {
    let lock = include_str!("../../../../tools/musls.lock");
    let lines = lock.lines().filter(|l| !l.starts_with('#'));
    for name in lines.filter_map(|l| l.split_whitespace().next()) {
        assert!(KNOWN.iter().any(|known| known[0] == name), "{name}");
    }
}

#[test]
fn every_heap_is_exchanged() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for [name, architecture, version, heap] in KNOWN {
        if heap == "none" || is_left_out(name) {
            continue;
        }
        let out = folder.path().join(name);
        let mut patch = brawn();
        patch.arg("patch").arg(archive(name, "libc.a"));
        patch.arg("-o").arg(&out).assert().success();
        let report = inspect(out.to_str().expect("UTF-8"));
        let found = ["architecture", "libc_version", "heap", "verdict"].map(|key| &report[key]);
        assert_eq!(found, [architecture, version, "brawn", "fine"], "{name}");
    }
}

#[test]
fn zigs_libc_without_a_heap_is_refused_with_the_way_that_works() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let mut patch = brawn();
    patch.arg("patch").arg(archive("zig-0.16.0", "libc.a"));
    let patch = patch.arg("-o").arg(out.path().join("libc.a")).assert();
    let output = patch.code(REFUSED).get_output().clone();
    let text = String::from_utf8_lossy(&output.stderr);
    for part in ["musl's libc.a without a heap", "libzigc.a", "link-args"] {
        assert!(text.contains(part), "{text}");
    }
}

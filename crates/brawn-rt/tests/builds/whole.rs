//! Static programs for musl: one heap for Rust and C.

use crate::build::{Build, MUSL, inspected, run};
use brawn_core::inspect::Verdict;
use std::path::PathBuf;

fn program(name: &str, features: &str, rustflags: &str) -> PathBuf {
    Build {
        fixture: "program",
        target: Some(MUSL),
        features,
        rustflags,
        artifact: "program",
        name,
        ..Default::default()
    }
    .run()
}

fn is_brawns_alone(path: &PathBuf, profile: &str) {
    let said = run(path, &[""; 0]);
    let engine = brawn_payload::payloads()[0].engine;
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        said.trim(),
        format!("brawn {version} ({engine}, {profile}), for Rust and C")
    );
    let report = inspected(path);
    assert_eq!(report.verdict, Verdict::Fine, "{report:?}");
    assert_eq!(report.heaps.len(), 1, "{report:?}");
    let note = report.heaps[0].note.as_ref().expect("a note");
    assert_eq!((note.profile.as_str(), note.version()), (profile, version));
    assert!(report.memory_note.is_some(), "{report:?}");
}

trait Version {
    fn version(&self) -> &str;
}
impl Version for brawn_core::note::Note {
    fn version(&self) -> &str {
        &self.brawn
    }
}

#[test]
fn every_profile() {
    is_brawns_alone(&program("program", "", ""), "fast");
    is_brawns_alone(&program("program-secure", "secure", ""), "secure");
    is_brawns_alone(&program("program-lean", "lean", ""), "lean");
    // Features of a whole graph add up.
    is_brawns_alone(&program("program-both", "secure,lean", ""), "secure");
}

#[test]
fn other_linkers_and_kinds_of_executables() {
    is_brawns_alone(
        &program("program-lld", "", "-Clink-arg=-fuse-ld=lld"),
        "fast",
    );
    is_brawns_alone(
        &program("program-fixed", "", "-Crelocation-model=static"),
        "fast",
    );
    is_brawns_alone(
        &program("program-lto", "", "-Clto=fat -Cembed-bitcode=yes"),
        "fast",
    );
}

#[test]
fn a_malloc_of_the_programs_own_serves_both_and_is_told() {
    let path = program("program-own", "own-malloc", "");
    assert_eq!(
        run(&path, &[""; 0]).trim(),
        "another malloc, in brawn's place"
    );
}

#[test]
fn with_a_patched_archive() {
    // The archive's payload and the crate's have the same strong names: one of them is linked.
    let toolchain = crate::build::scratch("patched");
    let path = crate::patched::program(&toolchain);
    is_brawns_alone(&path, "fast");
}

#[test]
fn a_dynamic_program_has_a_heap_for_rust() {
    let path = Build {
        fixture: "program",
        target: Some(MUSL),
        rustflags: "-Ctarget-feature=-crt-static",
        env: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", "musl-gcc")],
        artifact: "program",
        name: "program-dynamic",
        ..Default::default()
    }
    .run();
    assert!(run(&path, &[""; 0]).trim().ends_with("fast), for Rust"));
    let path = Build {
        fixture: "program",
        artifact: "program",
        name: "program-glibc",
        ..Default::default()
    }
    .run();
    assert!(run(&path, &[""; 0]).trim().ends_with("fast), for Rust"));
}

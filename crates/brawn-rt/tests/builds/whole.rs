//! Static programs for musl: one heap for Rust and C.

use crate::build::{Build, MUSL, inspected, root, run, scratch, succeeded};
use brawn_core::report::inspect::Verdict;
use brawn_core::report::verify;
use brawn_sample::heap::{Recording, profile};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

fn program(name: &str, features: &str, rustflags: &str) -> PathBuf {
    of_musl(name, features, rustflags).run()
}

fn of_musl<'a>(name: &'a str, features: &'a str, rustflags: &'a str) -> Build<'a> {
    Build {
        fixture: "program",
        target: Some(MUSL),
        features,
        rustflags,
        artifact: "program",
        name,
        ..Default::default()
    }
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
    is_brawns_alone(&program("program-trace", "trace", ""), "trace");
    // Features of a whole graph add up.
    is_brawns_alone(&program("program-both", "secure,lean", ""), "secure");
    is_brawns_alone(&program("program-all", "secure,trace,lean", ""), "secure");
    is_brawns_alone(&program("program-traced-lean", "trace,lean", ""), "trace");
}

#[test]
fn trace_records_who_asks_for_memory() {
    let path = program("program-recorded", "trace", "");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heap");
    let options = format!("heap_interval=4096,heap_profile={}", file.display());
    let mut command = Command::new(&path);
    let output = command.env("BRAWN_OPTIONS", options).output().unwrap();
    succeeded(&output, "the recorded program");
    let profile = profile(&Recording::read(&file).unwrap());
    assert_eq!(profile.lost, 0);
    // Four threads format 20,000 words each, of six bytes at least, besides what their tables take.
    let asked = profile.asked().bytes;
    assert!(asked > 480_000.0, "{asked} bytes");
    let on_stacks = profile.frames.iter().map(|frame| &frame.function);
    let of_the_program = on_stacks
        .filter(|name| name.contains("program::main"))
        .count();
    assert!(of_the_program > 0, "{:?}", profile.frames);
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
fn zig_as_the_linker() {
    let tools = root().join("target/tools");
    let (zig, cache) = (tools.join("zig/ziglang/zig"), tools.join("zig-cache"));
    assert!(zig.exists(), "{}: run `make tools`", zig.display());
    let made = scratch("made");
    fs::create_dir_all(&made).unwrap();
    let linker = made.join("zig-cc");
    let script = format!(
        "#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR='{cache}' ZIG_LOCAL_CACHE_DIR='{cache}'\n\
         exec '{}' cc -target x86_64-linux-musl \"$@\"\n",
        zig.display(),
        cache = cache.display(),
    );
    fs::write(&linker, script).unwrap();
    fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).unwrap();
    let linker = linker.to_str().expect("a path in UTF-8");
    let path = Build {
        fixture: "program",
        target: Some(MUSL),
        // zig brings what starts a program itself.
        rustflags: "-Clink-self-contained=no",
        env: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", linker)],
        artifact: "program",
        name: "program-zig",
        ..Default::default()
    }
    .run();
    is_brawns_alone(&path, "fast");
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
fn c_libraries_have_the_heap_too() {
    let path = Build {
        fixture: "with-c",
        target: Some(MUSL),
        features: "brawn-rt",
        artifact: "with-c",
        name: "with-c",
        ..Default::default()
    }
    .run();
    let said = run(&path, &[""; 0]);
    assert!(said.starts_with("passed\nbrawn "), "{said}");
    assert!(said.trim().ends_with(", fast), for Rust and C"), "{said}");
    let report = inspected(&path);
    assert_eq!(report.verdict, Verdict::Fine, "{report:?}");
    assert_eq!(report.heaps.len(), 1, "{report:?}");
    // No function of the heap is musl's, whoever calls it.
    let bytes = fs::read(&path).unwrap();
    let report = verify::verify(&bytes, brawn_payload::payloads()).unwrap();
    assert_eq!(report.verdict, verify::Verdict::Replaced, "{report:?}");
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
    let path = dynamic("", "program-dynamic").run();
    assert!(run(&path, &[""; 0]).trim().ends_with("fast), for Rust"));
}

/// Its heap is the one without the feature, and whoever builds it is told so.
#[test]
fn what_cannot_record_says_that_trace_has_no_effect() {
    let glibc = Build {
        fixture: "program",
        features: "trace",
        artifact: "program",
        name: "program-glibc",
        ..Default::default()
    };
    for build in [glibc, dynamic("trace", "program-dynamic-trace")] {
        assert!(
            run(build.run(), &[""; 0])
                .trim()
                .ends_with("fast), for Rust")
        );
        let said = warnings(&build);
        assert!(said.contains("the feature `trace` has no effect"), "{said}");
    }
    let recording = of_musl("program-recording", "trace", "");
    recording.run();
    let said = warnings(&recording);
    assert!(!said.contains("no effect"), "{said}");
}

/// What cargo says, also when all is built already: it repeats the warnings of build scripts.
fn warnings(build: &Build<'_>) -> String {
    let output = build.output();
    succeeded(&output, build.name);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn dynamic<'a>(features: &'a str, name: &'a str) -> Build<'a> {
    Build {
        env: &[("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", "musl-gcc")],
        ..of_musl(name, features, "-Ctarget-feature=-crt-static")
    }
}

//! The same for aarch64, under qemu-user.

use crate::build::{Build, fixture, inspected, musl_toolchain, run, scratch, succeeded};
use brawn_core::report::inspect::Verdict;
use std::path::{Path, PathBuf};
use std::process::Command;

const ARM: &str = "aarch64-unknown-linux-musl";
const ARM_GNU: &str = "aarch64-unknown-linux-gnu";

fn built(fixture: &str, artifact: &str, name: &str, features: &str, rustflags: &str) -> PathBuf {
    let gcc = musl_toolchain("aarch64-linux-musl-gcc");
    let gcc = gcc.to_str().expect("a path in UTF-8");
    Build {
        fixture,
        package: "",
        target: Some(ARM),
        features,
        rustflags,
        env: &[
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", gcc),
            ("CC_aarch64_unknown_linux_musl", gcc),
        ],
        artifact,
        name,
    }
    .run()
}

/// Runs it, with that toolchain's dynamic musl.
fn emulated(program: &Path, arguments: &[&Path]) -> String {
    let toolchain = musl_toolchain("rustc");
    let musl = toolchain
        .ancestors()
        .nth(2)
        .expect("the toolchain")
        .join("musl/aarch64");
    let mut all = vec![Path::new("-E"), Path::new("EMULATED=1")];
    all.extend([Path::new("-L"), &musl, program]);
    all.extend(arguments);
    run("qemu-aarch64", &all)
}

#[test]
fn static_programs_have_one_heap() {
    for profile in ["fast", "secure", "lean", "trace"] {
        let features = if profile == "fast" { "" } else { profile };
        let name = format!("program-aarch64-{profile}");
        let path = built("program", "program", &name, features, "");
        let said = emulated(&path, &[]);
        assert!(
            said.trim()
                .ends_with(&format!(", {profile}), for Rust and C")),
            "{said}"
        );
        let report = inspected(&path);
        assert_eq!(
            (report.architecture.as_str(), report.verdict),
            ("aarch64", Verdict::Fine)
        );
        assert_eq!(report.heaps.len(), 1, "{report:?}");
    }
}

#[test]
fn a_shared_object_serves_its_rust_code() {
    let dynamic = "-Ctarget-feature=-crt-static";
    let plugin = built("plugin", "libplugin.so", "plugin-aarch64.so", "", dynamic);
    let host = scratch("made").join("host-aarch64");
    let mut command = Command::new(musl_toolchain("aarch64-linux-musl-gcc"));
    command
        .args(["-O1", "-Wall"])
        .arg(fixture("host.c"))
        .arg("-o")
        .arg(&host);
    succeeded(
        &command.output().expect("a C compiler"),
        &format!("{command:?}"),
    );
    for act in ["active", "all", "close", "reload"] {
        let said = emulated(&host, &[&plugin, Path::new(act)]);
        assert!(
            act != "active" || said.contains(", fast), for Rust"),
            "{said}"
        );
    }
    let report = inspected(&plugin);
    assert_eq!(report.verdict, Verdict::Fine, "{}", report.why);
}

/// The same for glibc.
fn built_for_glibc(fixture: &str, artifact: &str, name: &str, features: &str) -> PathBuf {
    let gcc = "aarch64-linux-gnu-gcc";
    Build {
        fixture,
        target: Some(ARM_GNU),
        features,
        env: &[
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", gcc),
            ("CC_aarch64_unknown_linux_gnu", gcc),
        ],
        artifact,
        name,
        ..Default::default()
    }
    .run()
}

/// Runs it, with the cross compiler's glibc.
fn emulated_with_glibc(program: &Path, arguments: &[&Path]) -> String {
    let mut all = vec![
        Path::new("-E"),
        Path::new("EMULATED=1"),
        Path::new("-L"),
        Path::new("/usr/aarch64-linux-gnu"),
        program,
    ];
    all.extend(arguments);
    run("qemu-aarch64", &all)
}

#[test]
fn shared_objects_for_glibc_serve_their_rust_code() {
    let made = scratch("made");
    std::fs::create_dir_all(&made).unwrap();
    let host = made.join("host-aarch64-glibc");
    let mut command = Command::new("aarch64-linux-gnu-gcc");
    command.args(["-O1", "-Wall"]).arg(fixture("host.c"));
    command.arg("-o").arg(&host);
    succeeded(
        &command.output().expect("the cross compiler"),
        &format!("{command:?}"),
    );
    for (features, profile) in [("", "fast"), ("secure", "secure"), ("lean", "lean")] {
        let name = format!("plugin-aarch64-glibc-{profile}.so");
        let plugin = built_for_glibc("plugin", "libplugin.so", &name, features);
        // Not `reload` and `thread-memory`: what qemu itself keeps of code and threads that are gone counts as
        // resident.  Not `fork`: with threads beside it, qemu 7.2 itself fails, whatever heap there is.
        for act in ["active", "all", "close"] {
            let said = emulated_with_glibc(&host, &[&plugin, Path::new(act)]);
            let expected = format!(", {profile}), for Rust");
            assert!(act != "active" || said.contains(&expected), "{said}");
        }
        let report = inspected(&plugin);
        assert!(
            report.why.contains("its Rust code has brawn's heap"),
            "{}",
            report.why
        );
    }
}

#[test]
fn a_program_for_glibc_has_a_heap_for_rust() {
    let program = built_for_glibc("program", "program", "program-aarch64-glibc", "");
    let said = emulated_with_glibc(&program, &[]);
    assert!(said.trim().ends_with("fast), for Rust"), "{said}");
}

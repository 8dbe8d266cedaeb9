//! Programs of every shape run as before.

use crate::build::{Tool, program, rewrite, root, run};
use crate::tools;
use brawn_payload::Architecture;
use std::path::Path;
use std::process::Command;

/// The command that runs a program of that architecture.
fn command(architecture: Architecture, path: &Path) -> Command {
    match architecture {
        Architecture::X86_64 => Command::new(path),
        Architecture::Aarch64 => {
            let mut command = Command::new("qemu-aarch64");
            command.arg(path);
            command
        }
    }
}

/// What it prints, and whether what was attached counts: in thread-locals of each thread, in data and in zeros.
pub fn output(architecture: Architecture, path: &Path) -> (String, String) {
    let text = |command: &mut Command| String::from_utf8(run(command).stdout).unwrap();
    let plain = text(&mut command(architecture, path));
    let probes = text(command(architecture, path).arg("probe"));
    (plain, probes)
}

/// Builds, rewrites, runs and hands to the tools.
pub fn each(tool: Tool, flags: &str, tls: (u64, u64)) {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    program(tool, flags, &old);
    let plan = rewrite(&old, &new, tls);
    let what = format!("{tool:?} {flags} {tls:?}: {:?}", plan.layout.headers);
    println!("{what}");
    let architecture = tool.architecture();
    let (plain, _) = output(architecture, &old);
    let now = output(architecture, &new);
    assert_eq!(plain, now.0, "{what}");
    assert!(
        plain.contains("main") && plain.contains("thread"),
        "{plain}"
    );
    // Each thread counts from 1: the second call of the first one is its second.
    let probes: Vec<_> = now.1.lines().filter(|l| l.starts_with("probe")).collect();
    let expected = ["probe 10142", "probe 20242", "probe 30342", "probe 40443"];
    assert_eq!(probes, expected, "{what}");
    tools::all(architecture, folder.path(), &old, &new, &now, &what);
}

const TLS: (u64, u64) = (80, 16);

#[test]
fn fixed() {
    for flags in [
        "-DTDATA",
        "-DNOTLS -g",
        "-DALIGN=1",
        "-DALIGN=64 -DTDATA --build-id",
        "-DALIGN=4096 -DTDATA -DBSS",
        "-DALIGN=4096",
        "-DTDATA -z=max-page-size=0x200000",
        "-DTDATA -z=noseparate-code -s",
    ] {
        each(Tool::Gcc, flags, TLS);
    }
}

#[test]
fn fixed_by_lld() {
    for flags in [
        "-DTDATA",
        "-DNOTLS",
        "-DBSS -DALIGN=128",
        "-DTDATA -g --build-id",
        "-z=separate-loadable-segments",
    ] {
        each(Tool::Lld, flags, TLS);
    }
}

#[test]
fn anywhere() {
    for flags in [
        "-DTDATA",
        "-DNOTLS",
        "-DTDATA -DALIGN=4096 -DBSS",
        "-DTDATA -g --build-id",
        "-DTDATA -z=pack-relative-relocs",
        "-DTDATA -z=max-page-size=0x200000",
        "-DTDATA -s",
    ] {
        each(Tool::Ld, &format!("-static-pie {flags}"), TLS);
    }
}

#[test]
fn anywhere_by_lld() {
    for flags in [
        "-DTDATA",
        "-DTDATA --pack-dyn-relocs=relr",
        "-DNOTLS -DBSS",
        "-DALIGN=64 -DTDATA -s",
    ] {
        each(Tool::Lld, &format!("-static-pie {flags}"), TLS);
    }
}

#[test]
fn by_zig() {
    each(Tool::Zig(Architecture::X86_64), "-DTDATA -DBSS", TLS);
    each(Tool::Zig(Architecture::Aarch64), "-DTDATA -DBSS", (80, 8));
}

#[test]
fn aarch64() {
    for flags in [
        "-DTDATA",
        "-DNOTLS",
        "-DALIGN=64",
        "-DALIGN=4096 -DTDATA -DBSS -g",
        "-static-pie -DTDATA --build-id",
        "-static-pie -DNOTLS",
        "-z=max-page-size=4096 -DTDATA",
    ] {
        each(Tool::LdArm, flags, (80, 8));
    }
}

/// A large `.bss` takes no place on the disk.
#[test]
fn zeros_take_no_room() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir_in(root().join("target")).unwrap();
    for (tool, flags) in [
        (Tool::Gcc, "-DBSS"),
        (Tool::Lld, "-DBSS"),
        (Tool::Lld, "-static-pie -DBSS"),
        (Tool::Ld, "-static-pie -DBSS"),
    ] {
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        program(tool, flags, &old);
        rewrite(&old, &new, TLS);
        let room = |path: &Path| std::fs::metadata(path).unwrap().blocks() * 512;
        let added = room(&new) - room(&old);
        assert!(added <= 16 << 10, "{tool:?} {flags}: {added} bytes");
        std::fs::remove_file(&new).unwrap();
    }
}

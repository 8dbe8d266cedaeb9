//! Programs of every shape run as before.

use crate::build::{Tool, probe, program, rewrite, run};
use crate::common::root;
use crate::tools;
use brawn_core::arch::Isa;
use brawn_core::program::headers::Where;
use std::path::Path;
use std::process::Command;

/// What the program prints, without and with an argument.
pub fn output(architecture: Isa, path: &Path) -> [String; 2] {
    [&[][..], &["probe"]].map(|args| {
        let mut command = match architecture {
            Isa::X86_64 => Command::new(path),
            Isa::Aarch64 => {
                let mut command = Command::new("qemu-aarch64");
                command.arg(path);
                command
            }
        };
        String::from_utf8(run(command.args(args)).stdout).unwrap()
    })
}

/// Builds it, rewrites it, runs it and hands it to the tools.  The program headers must end up there.
fn each(tool: Tool, flags: &str, tls: (u64, u64), place: Where) {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    let (compiled, is_stripped) = match flags.strip_suffix(" -s") {
        Some(rest) => (rest, true),
        None => (flags, false),
    };
    program(tool, compiled, &old);
    let probe = probe(&old);
    if is_stripped {
        run(Command::new("llvm-strip").arg(&old));
    }
    let plan = rewrite(&old, &new, tls, probe);
    let what = format!("{tool:?} {flags}: {:?}", plan.layout.headers);
    println!("{what}");
    assert_eq!(plan.layout.headers.place, place, "{what}");
    let architecture = tool.architecture();
    let [before, _] = output(architecture, &old);
    let now = output(architecture, &new);
    assert_eq!(before, now[0], "{what}");
    assert!(
        before.contains("main") && before.contains("thread"),
        "{before}"
    );
    // Thread-locals count each thread's calls, data and zeros all of them.
    let probes: Vec<_> = now[1].lines().filter(|l| l.starts_with("probe")).collect();
    let expected = ["probe 10142", "probe 20242", "probe 30342", "probe 40443"];
    assert_eq!(probes, expected, "{what}");
    tools::all(architecture, &old, &new, &now, place);
}

const TLS: (u64, u64) = (80, 16);

#[test]
fn fixed() {
    for (flags, place) in [
        ("-DTDATA", Where::InPlace),
        ("-DNOTLS -g", Where::InPlace),
        ("-DALIGN=1", Where::InPlace),
        ("-DALIGN=64 -DTDATA --build-id", Where::Below),
        ("-DALIGN=4096 -DTDATA -DBSS", Where::InPlace),
        ("-DALIGN=4096", Where::InPlace),
        ("-DTDATA -z=max-page-size=0x200000", Where::InPlace),
        ("-DTDATA -z=max-page-size=0x200000 --build-id", Where::Below),
        ("-DTDATA -z=noseparate-code -s", Where::Below),
    ] {
        each(Tool::Gcc, flags, TLS, place);
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
        each(Tool::Lld, flags, TLS, Where::Below);
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
        "-DTDATA -DMANY -z=pack-relative-relocs",
        "-DTDATA -z=max-page-size=0x200000",
        "-DTDATA -s",
    ] {
        each(
            Tool::Ld,
            &format!("-static-pie {flags}"),
            TLS,
            Where::InPlace,
        );
    }
}

#[test]
fn anywhere_by_lld() {
    for (flags, place) in [
        ("-DTDATA", Where::InPlace),
        ("-DTDATA -DMANY --pack-dyn-relocs=relr", Where::InPlace),
        // Constants follow so soon that nothing makes room.
        ("-DTDATA --pack-dyn-relocs=relr", Where::WithCode),
        ("-DNOTLS -DBSS", Where::InPlace),
        ("-DALIGN=64 -DTDATA -s", Where::InPlace),
    ] {
        each(Tool::Lld, &format!("-static-pie {flags}"), TLS, place);
    }
}

#[test]
fn by_zig() {
    each(Tool::Zig(Isa::X86_64), "-DTDATA -DBSS", TLS, Where::Below);
    each(
        Tool::Zig(Isa::Aarch64),
        "-DTDATA -DBSS",
        (80, 8),
        Where::Below,
    );
}

#[test]
fn aarch64() {
    for (flags, place) in [
        ("-DTDATA", Where::Below),
        ("-DNOTLS", Where::Below),
        ("-DALIGN=64", Where::Below),
        ("-DALIGN=4096 -DTDATA -DBSS -g", Where::Below),
        ("-static-pie -DTDATA --build-id", Where::InPlace),
        ("-static-pie -DNOTLS", Where::InPlace),
        ("-z=max-page-size=4096 -DTDATA", Where::Below),
    ] {
        each(Tool::LdArm, flags, (80, 8), place);
    }
}

/// A large `.bss` takes no room on the disk.
#[test]
fn zeros_take_no_room() {
    use std::os::unix::fs::MetadataExt as _;
    // Not in memory, where other rules hold.
    let folder = tempfile::tempdir_in(root().join("target")).unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    for (tool, flags) in [
        (Tool::Gcc, "-DBSS"),
        (Tool::Lld, "-DBSS"),
        (Tool::Lld, "-static-pie -DBSS"),
        (Tool::Lld, "-static-pie -DBSS --pack-dyn-relocs=relr"),
        (Tool::LdArm, "-DBSS"),
    ] {
        program(tool, flags, &old);
        rewrite(&old, &new, (80, 8), probe(&old));
        let room = |path: &Path| std::fs::metadata(path).unwrap().blocks() * 512;
        let added = room(&new).saturating_sub(room(&old));
        println!("{tool:?} {flags}: {added} bytes");
        assert!(added <= 16 << 10, "{tool:?} {flags}: {added} bytes");
        std::fs::remove_file(&new).unwrap();
    }
}

//! Toolchains by name: made-up machines with real archives.  Nothing looks at this machine's own.

use crate::build::{inspect, run_in, zig};
use crate::common::{
    Folder, GLIBC, IO, REFUSED, RESTORE_REFUSED, as_nobody, brawn, fail, make_program, names, read,
    succeed, tools,
};
use crate::musls;
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

mod roots;

const USAGE: i32 = 2;
const X86_64: &str = "x86_64-unknown-linux-musl";
const AARCH64: &str = "aarch64-unknown-linux-musl";
const RELINK: &str = "cargo does not see that libc.a has changed";

/// A machine of its own: a home with rustup's directory, and a `PATH` with nothing but a `rustc`.
pub struct Machine {
    folder: TempDir,
}

impl Machine {
    pub fn new() -> Self {
        let machine = Self {
            folder: tempfile::Builder::new()
                .permissions(fs::Permissions::from_mode(0o755))
                .tempdir()
                .expect("a temporary directory"),
        };
        for folder in ["bin", "home", "work", "root/usr/lib"] {
            fs::create_dir_all(machine.path(folder)).expect("a directory");
        }
        machine
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file, with its directories, below this machine's directory.
    pub fn put(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, bytes).expect("written");
        path
    }

    /// A target of one of rustup's toolchains.
    pub fn rust(&self, toolchain: &str, target: &str, bytes: &[u8]) -> PathBuf {
        self.put(
            &format!(
                "home/.rustup/toolchains/{toolchain}/lib/rustlib/{target}/lib/self-contained/libc.a"
            ),
            bytes,
        )
    }

    /// A `rustc` that gives these lines of a shell's as its answer.
    pub fn rustc(&self, script: &str) {
        let asked = "[ \"$*\" = '--print sysroot' ] || exit 9\n\
                     [ \"$RUSTUP_AUTO_INSTALL\" = 0 ] || exit 8\n";
        let path = self.put(
            "bin/rustc",
            format!("#!/bin/sh\n{asked}{script}\n").as_bytes(),
        );
        make_program(&path);
    }

    /// A `rustc` that belongs to one of rustup's toolchains.
    fn activate(&self, toolchain: &str) {
        let sysroot = self.path("home/.rustup/toolchains").join(toolchain);
        self.rustc(&format!("echo '{}'", sysroot.display()));
    }

    /// brawn as it runs on this machine.
    pub fn brawn(&self, arguments: &[&str]) -> Command {
        let mut command = brawn();
        command.args(arguments).current_dir(self.path("work"));
        for name in [
            "RUSTUP_AUTO_INSTALL",
            "RUSTUP_HOME",
            "ZIG_GLOBAL_CACHE_DIR",
            "XDG_CACHE_HOME",
            "RUSTC",
        ] {
            command.env_remove(name);
        }
        command.env("HOME", self.path("home"));
        command.env("PATH", self.path("bin"));
        command
    }

    /// brawn on what it takes for `/`.
    pub fn below(&self, arguments: &[&str]) -> Command {
        let mut command = self.brawn(arguments);
        command.arg("--root").arg(self.path("root"));
        command
    }
}

/// The objects of `toolchains --json`.
pub fn listed(command: &mut Command) -> Vec<Value> {
    serde_json::from_str(&succeed(command.arg("--json"))).expect("an array")
}

fn kept(libc: &Path) -> PathBuf {
    libc.with_file_name("libc.a.brawn-original")
}

/// Runs it, and gives standard output and standard error.
fn both(command: &mut Command) -> (String, String) {
    let output = command.assert().success().get_output().clone();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn the_active_toolchain_is_patched_with_all_its_targets_and_no_other() {
    let machine = Machine::new();
    let small = Folder::small();
    let x86_64 = machine.rust("stable-x86_64-unknown-linux-gnu", X86_64, small.old());
    let arm = read(&musls::archive("1.2.3-arm64", "libc.a"));
    let aarch64 = machine.rust("stable-x86_64-unknown-linux-gnu", AARCH64, &arm);
    let nightly = machine.rust("nightly-x86_64-unknown-linux-gnu", X86_64, small.old());
    let glibc = read(Path::new(GLIBC));
    let wasi = machine.rust("stable-x86_64-unknown-linux-gnu", "wasm32-wasip1", &glibc);
    machine.activate("stable-x86_64-unknown-linux-gnu");

    let (text, notes) = both(&mut machine.brawn(&["patch", "--rust"]));
    assert_eq!(text.matches("patched  ").count(), 2, "{text}");
    assert!(notes.contains(RELINK), "{notes}");
    assert_eq!(inspect(x86_64.to_str().unwrap())["heap"], "brawn");
    assert_eq!(inspect(aarch64.to_str().unwrap())["heap"], "brawn");
    assert!(read(&nightly) == small.old() && read(&wasi) == glibc);

    let (text, notes) = both(&mut machine.brawn(&["patch", "--rust"]));
    assert_eq!(text.matches("unchanged").count(), 2, "{text}");
    assert_eq!(notes, "");

    let (text, notes) = both(&mut machine.brawn(&["restore", "--rust"]));
    assert_eq!(text.matches("restored").count(), 2, "{text}");
    assert!(notes.contains(RELINK), "{notes}");
    assert!(read(&x86_64) == small.old() && read(&aarch64) == arm);
    assert_eq!(names(x86_64.parent().unwrap()), ["libc.a"]);
    fail(&mut machine.brawn(&["restore", "--rust"]), RESTORE_REFUSED);
}

#[test]
fn rustc_is_asked_in_the_folder_where_the_build_is() {
    let machine = Machine::new();
    let small = Folder::small();
    let stable = machine.rust("stable-x86_64-unknown-linux-gnu", X86_64, small.old());
    let pinned = machine.rust("1.90.0-x86_64-unknown-linux-gnu", X86_64, small.old());
    let toolchains = machine.path("home/.rustup/toolchains");
    machine.rustc(&format!(
        "case $PWD in */pinned) echo {0}/1.90.0-*;; *) echo {0}/stable-*;; esac",
        toolchains.display()
    ));
    fs::create_dir(machine.path("pinned")).unwrap();
    let pinned_folder = machine.path("pinned");
    let dry = |command: &mut Command| succeed(command.arg("--dry-run"));
    let here = dry(&mut machine.brawn(&["patch", "--rust"]));
    let there = dry(machine
        .brawn(&["patch", "--rust"])
        .current_dir(&pinned_folder));
    assert!(here.contains(stable.to_str().unwrap()) && !here.contains("1.90.0"));
    assert!(there.contains(pinned.to_str().unwrap()) && !there.contains("stable"));
    assert!(read(&stable) == small.old() && read(&pinned) == small.old());
    let active: Vec<_> = listed(
        machine
            .brawn(&["toolchains", "--kind=rust"])
            .current_dir(&pinned_folder),
    );
    let names: Vec<_> = active.iter().map(|t| (&t["name"], &t["active"])).collect();
    let expected = [
        ("1.90.0-x86_64-unknown-linux-gnu", true),
        ("stable-x86_64-unknown-linux-gnu", false),
    ];
    for ((name, active), expected) in names.iter().zip(expected) {
        assert!(**name == expected.0 && **active == expected.1, "{names:?}");
    }
    assert_eq!(names.len(), 2);
}

#[test]
fn toolchains_are_chosen_by_name_by_path_and_all_at_once() {
    let machine = Machine::new();
    let small = Folder::small();
    let stable = machine.rust("stable-x86_64-unknown-linux-gnu", X86_64, small.old());
    let beta = machine.rust("beta-x86_64-unknown-linux-gnu", X86_64, small.old());
    let path = format!("own/lib/rustlib/{X86_64}/lib/self-contained/libc.a");
    let own = machine.put(&path, small.old());
    let heaps = || [&stable, &beta, &own].map(|libc| read(libc) != small.old());

    succeed(&mut machine.brawn(&["patch", "--rust=beta"]));
    assert_eq!(heaps(), [false, true, false]);
    let sysroot = format!("--rust={}", machine.path("own").display());
    succeed(&mut machine.brawn(&["patch", &sysroot]));
    assert_eq!(heaps(), [false, true, true]);
    succeed(&mut machine.brawn(&["restore", "--rust=beta-x86_64-unknown-linux-gnu"]));
    assert_eq!(heaps(), [false, false, true]);
    // Linked as `rustup toolchain link` does it.
    symlink(
        machine.path("own"),
        machine.path("home/.rustup/toolchains/mine"),
    )
    .unwrap();
    succeed(&mut machine.brawn(&["restore", "--rust=mine"]));
    assert_eq!(heaps(), [false, false, false]);
    succeed(&mut machine.brawn(&["patch", "--rust=all"]));
    assert_eq!(heaps(), [true, true, true]);
    // Another directory of rustup's has none of these.
    let mut elsewhere = machine.brawn(&["restore", "--rust=all"]);
    let text = fail(elsewhere.env("RUSTUP_HOME", machine.path("work")), REFUSED);
    assert!(
        text.contains("no Rust toolchain with a musl target"),
        "{text}"
    );
    succeed(&mut machine.brawn(&["restore", "--rust=all"]));
    assert_eq!(heaps(), [false, false, false]);
}

#[test]
fn names_alone_are_what_the_flags_take() {
    let machine = Machine::new();
    let small = Folder::small();
    for target in [X86_64, AARCH64] {
        machine.rust("stable-x86_64-unknown-linux-gnu", target, small.old());
    }
    machine.rust("nightly-x86_64-unknown-linux-gnu", X86_64, small.old());
    machine.rust("two\nlines", X86_64, small.old());
    let said = succeed(&mut machine.brawn(&["toolchains", "--kind=rust", "--names"]));
    let names: Vec<_> = said.lines().collect();
    let expected = ["nightly", "stable"].map(|name| format!("{name}-x86_64-unknown-linux-gnu"));
    assert_eq!(names, expected);
    for name in names {
        let rust = format!("--rust={name}");
        succeed(&mut machine.brawn(&["patch", "--dry-run", &rust]));
    }
}

#[test]
fn what_is_not_there_is_an_error_that_says_what_to_do() {
    let machine = Machine::new();
    let patch = |argument: &str| fail(&mut machine.brawn(&["patch", argument]), REFUSED);
    let text = patch("--rust");
    assert!(
        text.contains("no rustc on PATH") && text.contains("none is installed"),
        "{text}"
    );
    let small = Folder::small();
    let stable = machine.rust("stable-x86_64-unknown-linux-gnu", X86_64, small.old());
    let text = patch("--rust");
    assert!(
        text.contains("installed: stable-x86_64-unknown-linux-gnu"),
        "{text}"
    );
    let text = patch("--rust=nightly");
    assert!(
        text.contains("no Rust toolchain nightly; installed: stable-"),
        "{text}"
    );
    // As Debian's and Alpine's: no target of its own.
    fs::create_dir_all(machine.path("usr/lib/rustlib/x86_64-unknown-linux-gnu")).unwrap();
    machine.rustc(&format!("echo '{}'", machine.path("usr").display()));
    let text = patch("--rust");
    for part in [
        "no musl in the Rust toolchain",
        "rustup target add",
        "`--system`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    machine.rustc("echo 'toolchain 1.2.3 is not installed' >&2; exit 1");
    let text = patch("--rust");
    assert!(
        text.contains("it said: toolchain 1.2.3 is not installed"),
        "{text}"
    );
    assert!(read(&stable) == small.old(), "none of these patched it");
    // The list does without.
    let (json, notes) = both(&mut machine.brawn(&["toolchains", "--kind=rust", "--json"]));
    assert!(
        json.contains(X86_64) && notes.contains("is not installed"),
        "{notes}"
    );
    let text = patch("--zig");
    assert!(text.contains("no musl in zig's global cache"), "{text}");
    for kind in ["--system", "--musl-cross", "--zig", "--rust", "--all"] {
        let text = fail(&mut machine.below(&["patch", kind]), REFUSED);
        assert!(text.contains("error: no "), "{kind}: {text}");
    }
}

#[test]
fn the_command_line_takes_a_path_or_toolchains() {
    let machine = Machine::new();
    for arguments in [
        &["patch"][..],
        &["restore"],
        &["patch", "--rust", "libc.a"],
        &["restore", "--system", "libc.a"],
        &["patch", "--rust", "-o", "out.a"],
        &["patch", "--root", "/nowhere", "libc.a"],
        &["toolchains", "--kind", "nothing"],
    ] {
        fail(&mut machine.brawn(arguments), USAGE);
    }
    let text = fail(
        &mut machine.brawn(&["toolchains", "--root", "/nowhere"]),
        IO,
    );
    assert!(text.contains("/nowhere: cannot find it"), "{text}");
}

#[test]
fn an_update_is_noticed_and_its_libc_becomes_the_original() {
    let machine = Machine::new();
    let name = "stable-x86_64-unknown-linux-gnu";
    let small = Folder::small();
    let libc = machine.rust(name, X86_64, small.old());
    let list = || listed(&mut machine.brawn(&["toolchains", "--kind=rust"])).remove(0);
    succeed(&mut machine.brawn(&["patch", "--rust=stable", "--profile=secure"]));
    let patched = list();
    assert_eq!(patched["state"], "patched");
    assert_eq!(
        (&patched["profile"], &patched["record"]),
        (&"secure".into(), &"written".into())
    );

    // rustup removes the files of the old version by name, and knows nothing of brawn's.
    let update = |bytes: &[u8]| {
        fs::remove_file(&libc).unwrap();
        fs::write(&libc, bytes).unwrap();
    };
    let new = read(&musls::archive("1.2.5", "libc.a"));
    update(&new);
    let replaced = list();
    assert_eq!(
        (&replaced["state"], &replaced["record"]),
        (&"replaced".into(), &"changed".into())
    );
    assert_eq!(replaced["libc_version"], "1.2.5");
    assert!(read(&kept(&libc)) == small.old());
    let text = fail(
        &mut machine.brawn(&["restore", "--rust=stable"]),
        RESTORE_REFUSED,
    );
    assert!(
        text.contains("as a package upgrade or `strip` does"),
        "{text}"
    );
    assert!(read(&libc) == new);

    succeed(&mut machine.brawn(&["patch", "--rust=stable"]));
    assert_eq!(list()["state"], "patched");
    assert!(read(&kept(&libc)) == new, "the original is the new one");
    succeed(&mut machine.brawn(&["restore", "--rust=stable"]));
    assert!(read(&libc) == new, "restore gives the new one");
    assert_eq!(names(libc.parent().unwrap()), ["libc.a"]);
    assert_eq!(list()["state"], "stock");

    // The same version once more, as after `rustup target remove` and `add`.
    succeed(&mut machine.brawn(&["patch", "--rust=stable"]));
    update(&new);
    let again = list();
    assert_eq!(
        (&again["state"], &again["record"]),
        (&"replaced".into(), &"original".into())
    );
    succeed(&mut machine.brawn(&["patch", "--rust=stable"]));
    assert_eq!(list()["state"], "patched");
    succeed(&mut machine.brawn(&["restore", "--rust=stable"]));
    assert!(read(&libc) == new);
}

#[test]
fn a_toolchain_of_somebody_else_is_a_clear_error() {
    let machine = Machine::new();
    let small = Folder::small();
    let libc = machine.rust("stable-x86_64-unknown-linux-gnu", X86_64, small.old());
    let folder = libc.parent().unwrap();
    let mode = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    let rustup = machine.path("home/.rustup");
    let owner = match rustix::process::geteuid() {
        root if root.is_root() => "root".to_owned(),
        user => format!("user {}", user.as_raw()),
    };
    let refused = |command: &str| {
        let output = as_nobody(&[("RUSTUP_HOME", &rustup)], &[command, "--rust=stable"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(IO), "{text}");
        for part in [
            "Permission denied",
            &format!("run this as {owner}"),
            "link-args",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // Which does not go with toolchains.
        assert!(!text.contains("`-o`"), "{text}");
    };
    mode(0o555);
    refused("patch");
    assert_eq!(names(folder), ["libc.a"]);
    assert!(read(&libc) == small.old());
    mode(0o755);
    succeed(&mut machine.brawn(&["patch", "--rust=stable"]));
    let patched = read(&libc);
    mode(0o555);
    refused("restore");
    assert!(read(&libc) == patched && read(&kept(&libc)) == small.old());
    mode(0o755);
}

//! A kill at any instant: `strace` kills brawn on entry to each system call in turn.

use crate::common::{Folder, brawn_path, read, run};
use std::path::Path;

/// Everything that changes a file or a name, and what lies between.
pub const CALLS: [&str; 14] = [
    "openat",
    "write",
    "fsync",
    "fchmod",
    "fchown",
    "fsetxattr",
    "link",
    "linkat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "ftruncate",
];

/// Runs `brawn COMMAND LIBC`, killed on entry to the `n`th `call`.  Whether it was.
pub fn killed(command: &str, libc: &Path, call: &str, n: usize) -> bool {
    let inject = format!("inject={call}:signal=KILL:when={n}");
    let output = run(
        "strace",
        &[
            "-f",
            "-o",
            "/dev/null",
            "-e",
            &inject,
            brawn_path(),
            command,
            libc.to_str().unwrap(),
        ],
    );
    let text = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => false,
        // strace dies as its child did.
        None | Some(137) => true,
        Some(code) => panic!("{call} {n}: exit code {code}: {text}"),
    }
}

/// Calls `each` for every instant at which `brawn COMMAND` can be killed; `set_up` makes the directory
/// that it then runs in.
fn at_every_instant(command: &str, set_up: impl Fn() -> Folder, each: impl Fn(&Folder, &str)) {
    let mut instants = 0;
    for call in CALLS {
        for n in 1.. {
            let folder = set_up();
            if !killed(command, &folder.libc(), call, n) {
                break;
            }
            instants += 1;
            each(&folder, &format!("{command} killed at {call} {n}"));
        }
    }
    assert!(
        instants > 15,
        "only {instants} instants: does strace inject?"
    );
}

#[test]
fn patch_killed_at_any_instant_can_be_patched_again_or_restored() {
    let new = Folder::small().new_bytes();
    at_every_instant("patch", Folder::small, |folder, instant| {
        let now = read(&folder.libc());
        assert!(now == folder.old() || now == new, "{instant}: torn");
        if now == new {
            assert!(
                read(&folder.kept()) == folder.old(),
                "{instant}: original lost"
            );
        }
        folder.patch();
        assert!(read(&folder.libc()) == new, "{instant}: patched again");
        folder.restore();
        assert!(read(&folder.libc()) == folder.old(), "{instant}: restored");
        assert_eq!(folder.names(), ["libc.a"], "{instant}");
    });
}

#[test]
fn patch_killed_at_any_instant_can_be_followed_by_restore() {
    let new = Folder::small().new_bytes();
    at_every_instant("patch", Folder::small, |folder, instant| {
        let untouched = !folder.record().exists();
        let code = if untouched { 6 } else { 0 };
        crate::common::brawn()
            .arg("restore")
            .arg(folder.libc())
            .assert()
            .code(code);
        assert!(read(&folder.libc()) == folder.old(), "{instant}");
        assert!(read(&folder.libc()) != new, "{instant}");
        assert_eq!(folder.names(), ["libc.a"], "{instant}");
    });
}

#[test]
fn restore_killed_at_any_instant_can_be_repeated() {
    let new = Folder::small().new_bytes();
    let patched = || {
        let folder = Folder::small();
        folder.patch();
        folder
    };
    at_every_instant("restore", patched, |folder, instant| {
        let now = read(&folder.libc());
        assert!(now == folder.old() || now == new, "{instant}: torn");
        if folder.record().exists() {
            folder.restore();
        }
        assert!(read(&folder.libc()) == folder.old(), "{instant}");
        assert_eq!(folder.names(), ["libc.a"], "{instant}");
    });
}

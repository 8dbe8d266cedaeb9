//! Every command that writes, where little is left to it: signals that are ignored, a narrow umask, one thread, a full disk.

use crate::build::{PROGRAM, Room};
use crate::common::{Folder, IO, REFUSED, brawn_path, names, read};
use crate::compare_saved::{data, written};
use crate::mounts::in_namespace;
use crate::others::{as_user, err, open_folder};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The commands, with what each one writes, and the mode that this gets with umask 077. What is written elsewhere has the
/// permissions of the input.
const WAYS: [(&str, &str, u32); 10] = [
    ("patch libc.a", "libc.a", 0o644),
    ("restore patched.a", "patched.a", 0o644),
    ("rewrite tool", "tool", 0o755),
    ("restore rewritten", "rewritten", 0o755),
    ("patch libc.a -o new.a", "new.a", 0o644),
    ("rewrite tool -o new", "new", 0o755),
    ("image tool -o new.tar", "new.tar", 0o644),
    ("preload -o new.so", "new.so", 0o600),
    ("link-args --dir made", "made/brawn_heap.o", 0o600),
    (
        "compare --open-data data --html new.html",
        "new.html",
        0o600,
    ),
];

/// A directory with what the commands need.
fn inputs() -> TempDir {
    let folder = open_folder();
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -s -o tool main.c"]);
    let at = |name: &str| folder.path().join(name);
    for name in ["libc.a", "patched.a"] {
        fs::copy(Folder::small().libc(), at(name)).unwrap();
        fs::set_permissions(at(name), Permissions::from_mode(0o644)).unwrap();
    }
    for name in ["tool", "rewritten"] {
        fs::copy(room.path("tool"), at(name)).unwrap();
        fs::set_permissions(at(name), Permissions::from_mode(0o755)).unwrap();
    }
    let measured = [("as it is", 20.0), ("fast", 10.0)];
    written(folder.path(), "data", &data("2026-01-01", &measured));
    for words in ["patch patched.a", "rewrite rewritten"] {
        assert!(shell(folder.path(), "", words).status.success(), "{words}");
    }
    folder
}

/// Runs brawn by a shell that does `first` before.
fn shell(folder: &Path, first: &str, words: &str) -> std::process::Output {
    let script = format!("{first}\nexec {} {words}", brawn_path());
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(folder);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.output().unwrap()
}

#[test]
fn with_every_signal_ignored_it_writes_the_same() {
    for (words, file, _) in WAYS {
        let (usual, ignoring) = (inputs(), inputs());
        let first =
            "for s in HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM CHLD XFSZ; do trap '' $s; done";
        for (folder, first) in [(&usual, ""), (&ignoring, first)] {
            let output = shell(folder.path(), first, words);
            assert!(output.status.success(), "{words}: {}", err(&output));
        }
        let [usual, ignoring] = [&usual, &ignoring].map(|f| f.path().to_owned());
        assert!(
            read(&usual.join(file)) == read(&ignoring.join(file)),
            "{words}"
        );
        assert_eq!(names(&usual), names(&ignoring), "{words}");
    }
}

#[test]
fn with_a_narrow_umask_what_it_writes_has_the_permissions_of_its_input() {
    for (words, file, mode) in WAYS {
        let folder = inputs();
        let output = shell(folder.path(), "umask 077", words);
        assert!(output.status.success(), "{words}: {}", err(&output));
        let now = fs::metadata(folder.path().join(file)).unwrap();
        assert_eq!(now.permissions().mode() & 0o7777, mode, "{words}");
    }
}

#[test]
fn one_thread_is_enough_to_write() {
    for (words, file, _) in WAYS {
        let usual = inputs();
        assert!(shell(usual.path(), "", words).status.success(), "{words}");
        let narrow = inputs();
        // A user who has no other process: the limit counts all that he has.
        let id = "65430";
        crate::common::ok(
            "chown",
            &["-R", &format!("{id}:{id}"), narrow.path().to_str().unwrap()],
        );
        let script = format!("ulimit -u 1; exec ./brawn {words}");
        let mut command = as_user(id, narrow.path(), "bash");
        command.args(["-c", &script]).env_remove("HOME");
        let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
        assert!(output.status.success(), "{words}: {}", err(&output));
        if words.starts_with("rewrite tool -o") {
            // It rewrites the program into its cache.
            let script = "ulimit -u 1; exec ./brawn run ./tool";
            let mut command = as_user(id, narrow.path(), "bash");
            command.args(["-c", script]).env_remove("HOME");
            command.env("XDG_CACHE_HOME", narrow.path());
            let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
            assert!(output.status.success(), "run: {}", err(&output));
        }
        let [usual, narrow] = [usual, narrow].map(|f| read(&f.path().join(file)));
        assert!(usual == narrow, "{words}");
    }
}

#[test]
fn eight_open_files_are_enough_and_fewer_are_an_error() {
    let mut refused = 0;
    for (words, file, _) in WAYS {
        let usual = inputs();
        assert!(shell(usual.path(), "", words).status.success(), "{words}");
        for limit in [4, 6, 8] {
            let folder = inputs();
            let before = names(folder.path());
            let output = shell(folder.path(), &format!("ulimit -n {limit}"), words);
            let said = err(&output);
            if output.status.success() {
                let [wanted, got] = [&usual, &folder].map(|f| read(&f.path().join(file)));
                assert!(wanted == got, "{words}, {limit}");
                continue;
            }
            refused += 1;
            assert!(limit < 8, "{words}: {said}");
            assert_eq!(output.status.code(), Some(IO), "{words}, {limit}: {said}");
            assert!(said.contains("Too many open files"), "{words}: {said}");
            assert_eq!(names(folder.path()), before, "{words}, {limit}: {said}");
        }
    }
    assert!(refused > 0, "four are too few");
}

#[test]
fn on_a_full_disk_it_leaves_what_was_there() {
    for (words, file, _) in WAYS {
        let folder = inputs();
        fs::remove_file(folder.path().join("brawn")).unwrap();
        // Also something to replace.
        let script = format!(
            "cd $1; mkdir disk; mount -t tmpfs -o size=8m none disk; cp -a $(ls | grep -v disk) disk; cd disk; \
             [ -e {file} ] || [ {file} = made/brawn_heap.o ] || [ {file} = new.so ] || echo mine > {file}; cp -a . ../kept; \
             if dd if=/dev/zero of=fills bs=4k 2> /dev/null; then exit 9; fi; code=0; XDG_CACHE_HOME=$PWD/cache $2 {words} 2>&1 || code=$?; \
             rm fills; rm -rf cache; cp -a . ../after; exit $code"
        );
        let output = in_namespace(folder.path(), &script);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let [kept, after] = ["kept", "after"].map(|name| folder.path().join(name));
        // What is put back is there already.
        if words.starts_with("restore") && output.status.success() {
            let kept = kept.join(format!("{file}.brawn-original"));
            assert!(read(&after.join(file)) == read(&kept), "{words}: {said}");
            continue;
        }
        assert_eq!(output.status.code(), Some(IO), "{words}: {said}");
        assert!(said.contains("No space left"), "{words}: {said}");
        // An empty directory is no half of anything.
        let _ = fs::remove_dir(after.join("made"));
        assert_eq!(names(&after), names(&kept), "{words}: {said}");
        for name in names(&after) {
            let [kept, after] = [&kept, &after].map(|f| f.join(&name));
            assert!(
                after.is_dir() || read(&kept) == read(&after),
                "{words}: {name}"
            );
        }
    }
}

#[test]
fn no_file_is_changed_through_another_users_link_where_everybody_may_lay_one() {
    for (words, file) in [
        ("patch shared/link", "libc.a"),
        ("restore shared/link", "patched.a"),
        ("rewrite shared/link", "tool"),
    ] {
        let folder = inputs();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("shared")).unwrap();
        fs::set_permissions(at("shared"), Permissions::from_mode(0o1777)).unwrap();
        symlink(format!("../{file}"), at("shared/link")).unwrap();
        lchown(at("shared/link"), Some(65533), Some(65533)).unwrap();
        let (before, was) = (names(folder.path()), read(&at(file)));
        let output = shell(folder.path(), "", words);
        let said = err(&output);
        assert_eq!(output.status.code(), Some(REFUSED), "{words}: {said}");
        assert!(said.contains("a link of user 65533"), "{words}: {said}");
        assert!(read(&at(file)) == was, "{words}");
        assert_eq!(names(folder.path()), before, "{words}");
    }
}

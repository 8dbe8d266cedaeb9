//! What another user has put into a directory where everybody may: beside a file, and in the place of an output.

use crate::common::{Folder, REFUSED, RESTORE_REFUSED, names, read};
use crate::others::{as_user, at_once, err, open_folder};
use sha2::{Digest as _, Sha256};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::PathBuf;

/// Another user.
const OTHER: u32 = 65533;

/// A directory in which everybody may make files, with root's `libc.a`.
fn shared(folder: &Folder) -> PathBuf {
    let shared = folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
    fs::copy(folder.libc(), shared.join("libc.a")).unwrap();
    shared
}

fn fingerprint(bytes: &[u8]) -> String {
    let hash: String = Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    format!(r#"{{"size":{},"sha256":"{hash}"}}"#, bytes.len())
}

/// A record that says that `result` was made from `original`.
fn record(original: &[u8], result: &[u8]) -> String {
    let (original, result) = (fingerprint(original), fingerprint(result));
    format!(r#"{{"format":1,"brawn":"0.1.0","original":{original},"results":[{result}]}}"#)
}

#[test]
fn a_record_and_an_original_of_another_user_are_not_believed() {
    let folder = Folder::small();
    let shared = shared(&folder);
    let at = |name: &str| shared.join(name);
    let evil = Folder::musl();
    fs::write(at("libc.a.brawn.json"), record(evil.old(), folder.old())).unwrap();
    fs::write(at("libc.a.brawn-original"), evil.old()).unwrap();
    let (mine, his) = (folder.old().to_vec(), evil.old().to_vec());
    let check = |whose: &str, code: i32| {
        for words in ["restore", "patch", "patch -n", "patch -o out"] {
            // Nobody asks for the original of what is not brawn's.
            if code == RESTORE_REFUSED && words.contains('-') {
                continue;
            }
            let output = at_once(&shared, &format!("{words} libc.a"));
            let said = err(&output);
            let is_ok = output.status.code() == Some(REFUSED)
                || words == "restore" && output.status.code() == Some(code);
            assert!(is_ok, "{words}, {whose}: {:?}: {said}", output.status);
            assert!(said.contains("may be somebody else's"), "{words}: {said}");
            assert!(said.contains(whose), "{words}: {said}");
            assert!(said.contains("remove it, or work in a directory"), "{said}");
            assert!(read(&at("libc.a")) == mine && read(&at("libc.a.brawn-original")) == his);
            assert!(!at("out").exists());
        }
    };
    // All of it is his.
    for name in ["libc.a.brawn.json", "libc.a.brawn-original"] {
        lchown(at(name), Some(OTHER), Some(OTHER)).unwrap();
    }
    check("user 65533", REFUSED);
    // Only the original is.
    lchown(at("libc.a.brawn.json"), Some(0), Some(0)).unwrap();
    check("user 65533", RESTORE_REFUSED);
    // It is root's, but everybody may write to it.
    lchown(at("libc.a.brawn-original"), Some(0), Some(0)).unwrap();
    fs::set_permissions(at("libc.a.brawn-original"), Permissions::from_mode(0o666)).unwrap();
    check("mode 666", RESTORE_REFUSED);
    // It is a link, to what is root's.
    fs::rename(at("libc.a.brawn-original"), folder.path().join("roots")).unwrap();
    fs::set_permissions(folder.path().join("roots"), Permissions::from_mode(0o644)).unwrap();
    symlink(folder.path().join("roots"), at("libc.a.brawn-original")).unwrap();
    check("a link", RESTORE_REFUSED);
    // So is the record.
    fs::rename(at("libc.a.brawn.json"), folder.path().join("record")).unwrap();
    symlink(folder.path().join("record"), at("libc.a.brawn.json")).unwrap();
    check("a link", REFUSED);
    assert!(fs::symlink_metadata(at("libc.a")).unwrap().is_file());
}

#[test]
fn what_brawn_keeps_itself_is_believed_by_root_and_by_the_files_owner() {
    let folder = open_folder();
    let at = |name: &str| folder.path().join(name);
    let small = Folder::small();
    // Also where the owner's group may write: as the file, so its original.
    for mode in [0o600, 0o664, 0o666] {
        fs::copy(small.libc(), at("libc.a")).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(at("libc.a"), Permissions::from_mode(mode)).unwrap();
        for path in [folder.path().to_owned(), at("libc.a")] {
            lchown(path, Some(65534), Some(65534)).unwrap();
        }
        let run = |command: &str, user: Option<&str>| {
            let output = match user {
                Some(user) => as_user(user, folder.path(), "./brawn")
                    .args([command, "libc.a"])
                    .output()
                    .unwrap(),
                None => at_once(folder.path(), &format!("{command} libc.a")),
            };
            assert!(
                output.status.success(),
                "{mode:o} {command}: {}",
                err(&output)
            );
        };
        for (by, back) in [(None, Some("65534")), (Some("65534"), None)] {
            run("patch", by);
            run("restore", back);
            assert!(read(&at("libc.a")) == small.old());
            assert_eq!(fs::metadata(at("libc.a")).unwrap().uid(), 65534);
        }
        assert_eq!(names(folder.path()), ["brawn", "libc.a"]);
    }
}

#[test]
fn whoever_may_read_a_file_may_read_its_record_and_its_original() {
    let folder = open_folder();
    let at = |name: &str| folder.path().join(name);
    let small = Folder::small();
    let run_as = |user: &str, words: &[&str]| {
        let mut command = as_user(user, folder.path(), "./brawn");
        command.args(words).output().unwrap()
    };
    for (mode, readers, others) in [
        (0o644, 0o644, true),
        (0o640, 0o640, false),
        (0o755, 0o644, true),
    ] {
        fs::copy(small.libc(), at("libc.a")).unwrap();
        lchown(at("libc.a"), Some(0), Some(65532)).unwrap();
        fs::set_permissions(at("libc.a"), Permissions::from_mode(mode)).unwrap();
        let patch = format!("umask 077; exec ./brawn patch {}", at("libc.a").display());
        let patch = std::process::Command::new("sh")
            .args(["-c", &patch])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(patch.status.success(), "{}", err(&patch));
        let record = fs::metadata(at("libc.a.brawn.json")).unwrap();
        assert_eq!((record.mode() & 0o7777, record.gid()), (readers, 65532));
        let original = fs::metadata(at("libc.a.brawn-original")).unwrap();
        assert_eq!((original.mode() & 0o7777, original.gid()), (mode, 65532));
        for words in [&["patch", "-n", "libc.a"][..], &["inspect", "."]] {
            let output = run_as("65534", words);
            if others {
                assert!(output.status.success(), "{words:?}: {}", err(&output));
            }
        }
        for name in ["libc.a", "libc.a.brawn.json", "libc.a.brawn-original"] {
            fs::remove_file(at(name)).unwrap();
        }
    }
}

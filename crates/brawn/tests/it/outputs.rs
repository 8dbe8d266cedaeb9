//! Files that commands write where the user names a place: through which links, with whose rights, and what is left.

use crate::common::{Folder, IO, REFUSED, brawn, brawn_path, fail, names, ok, read, succeed};
use crate::compare_saved::{data, written};
use crate::others::{at_once, err};
use rustix::fs::XattrFlags;
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{
    MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, chown, lchown, symlink,
};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const OTHER: u32 = 65533;

/// A directory with data of `compare`, and one in which everybody may make files.
fn room() -> TempDir {
    let room = tempfile::tempdir().unwrap();
    written(
        room.path(),
        "data",
        &data("2026-01-01", &[("as it is", 20.0), ("fast", 10.0)]),
    );
    fs::create_dir(room.path().join("shared")).unwrap();
    fs::set_permissions(room.path().join("shared"), Permissions::from_mode(0o1777)).unwrap();
    room
}

/// Each way to have a file written to `{}`.
const WAYS: [&str; 9] = [
    "compare --open-data data --export-json {}",
    "compare --open-data data --export-csv {}",
    "compare --open-data data --export-markdown {}",
    "compare --open-data data --html {}",
    "preload -o {}",
    "patch libc.a -o {}",
    "rewrite tool -o {}",
    "image tool -o {}",
    "run --heap-profile {} ./tool",
];

fn with_inputs() -> TempDir {
    let room = room();
    fs::write(room.path().join("libc.a"), Folder::small().old()).unwrap();
    let source = room.path().join("tool.c");
    fs::write(&source, "#include <stdlib.h>\nint main(void) { char *volatile p = malloc(9); free(p); return 7; }\n").unwrap();
    let tool = room.path().join("tool");
    ok(
        "musl-gcc",
        &[
            "-static",
            "-o",
            tool.to_str().unwrap(),
            source.to_str().unwrap(),
        ],
    );
    room
}

#[test]
fn no_command_writes_through_another_users_link_where_everybody_may_lay_one() {
    let room = with_inputs();
    let at = |name: &str| room.path().join(name);
    fs::write(at("precious"), "mine").unwrap();
    symlink("../precious", at("shared/out")).unwrap();
    symlink("..", at("shared/up")).unwrap();
    for link in ["shared/out", "shared/up"] {
        lchown(at(link), Some(OTHER), Some(OTHER)).unwrap();
    }
    let before = names(room.path());
    for way in WAYS {
        for out in ["shared/out", "shared/up/precious", "shared/up/fresh"] {
            let words = way.replace("{}", out);
            let output = at_once(room.path(), &words);
            let said = err(&output);
            // `run` has a code of its own for what fails before the program.
            let code = if words.starts_with("run") {
                125
            } else {
                REFUSED
            };
            assert_eq!(output.status.code(), Some(code), "{words}: {said}");
            assert!(said.contains("a link of user 65533"), "{words}: {said}");
            assert_eq!(read(&at("precious")), b"mine", "{words}");
            assert_eq!(names(room.path()), before, "{words}");
        }
    }
    let output = at_once(room.path(), "link-args --dir shared/up/new");
    assert_eq!(output.status.code(), Some(REFUSED), "{}", err(&output));
    assert_eq!(names(room.path()), before);
    // A link of the user's own stays, and its file is replaced.
    lchown(at("shared/out"), Some(0), Some(0)).unwrap();
    for way in WAYS[..4].iter().chain(&WAYS[5..8]) {
        fs::write(at("precious"), "mine").unwrap();
        let words = way.replace("{}", "shared/out");
        let output = at_once(room.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", err(&output));
        assert!(fs::symlink_metadata(at("shared/out")).unwrap().is_symlink());
        assert_ne!(read(&at("precious")), b"mine", "{words}");
    }
}

#[test]
fn an_output_has_no_right_that_was_given_to_the_bytes_before() {
    let room = with_inputs();
    let at = |name: &str| room.path().join(name);
    fs::set_permissions(at("tool"), Permissions::from_mode(0o6751)).unwrap();
    fs::set_permissions(at("libc.a"), Permissions::from_mode(0o640)).unwrap();
    for (way, mode) in [
        ("rewrite tool -o out", 0o751),
        ("patch libc.a -o out", 0o640),
        ("image tool -o out", 0o640),
        ("compare --open-data data --html out", 0o755),
    ] {
        fs::write(at("out"), "other bytes").unwrap();
        chown(at("out"), Some(65534), Some(65532)).unwrap();
        fs::set_permissions(at("out"), Permissions::from_mode(0o6755)).unwrap();
        // cap_net_raw, for everybody who runs it.
        let rights = *b"\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        for (name, value) in [
            ("security.capability", &rights[..]),
            ("security.ima", b"\x01"),
        ] {
            rustix::fs::setxattr(at("out"), name, value, XattrFlags::empty()).unwrap();
        }
        let output = at_once(room.path(), way);
        assert!(output.status.success(), "{way}: {}", err(&output));
        let now = fs::metadata(at("out")).unwrap();
        assert_eq!(now.mode() & 0o7777, mode, "{way}: {:o}", now.mode());
        assert_eq!((now.uid(), now.gid()), (65534, 65532), "{way}");
        for name in ["security.capability", "security.ima"] {
            let left = rustix::fs::getxattr(at("out"), name, &mut [0u8; 64][..]);
            assert!(left.is_err(), "{way}: {name}");
        }
    }
}

#[test]
fn a_pipe_that_nobody_reads_is_an_error_and_one_that_somebody_reads_is_written_to() {
    let room = room();
    let pipe = room.path().join("pipe");
    ok("mkfifo", &[pipe.to_str().unwrap()]);
    let words = "compare --open-data data --export-json pipe";
    let output = at_once(room.path(), words);
    assert_eq!(output.status.code(), Some(IO), "{}", err(&output));
    assert!(
        err(&output).contains("start its reader first"),
        "{}",
        err(&output)
    );
    // It is open before brawn starts.  The data is smaller than what a pipe holds, and is read afterwards.
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let mut reader = File::options()
        .read(true)
        .custom_flags(nonblocking)
        .open(&pipe)
        .unwrap();
    let output = at_once(room.path(), words);
    assert!(output.status.success(), "{}", err(&output));
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    assert!(said.contains("brawn-compare"), "{said}");
    let output = at_once(
        room.path(),
        "compare --open-data data --export-json /dev/stdout",
    );
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("brawn-compare"), "{said}");
}

#[test]
fn what_a_killed_export_leaves_the_next_one_removes() {
    let room = room();
    fs::write(room.path().join("out"), "old").unwrap();
    let words = "compare --open-data data --export-json out";
    let before = names(room.path());
    let mut killed = 0;
    for call in ["flock", "write", "fchmod", "fsync", "renameat"] {
        for n in 1.. {
            let fault = format!("inject={call}:signal=KILL:when={n}");
            let mut strace = Command::new("strace");
            strace.args(["-f", "-o", "/dev/null", "-e", &fault, brawn_path()]);
            strace.args(words.split(' ')).current_dir(room.path());
            if strace.output().unwrap().status.success() {
                break;
            }
            killed += 1;
            let output = at_once(room.path(), words);
            assert!(output.status.success(), "{}", err(&output));
            assert_eq!(names(room.path()), before, "{call} {n}");
        }
    }
    assert!(killed > 3, "only {killed}: does strace inject?");
}

#[test]
fn a_name_that_is_too_long_or_taken_is_called_so() {
    let room = with_inputs();
    let long = "n".repeat(250);
    for way in WAYS {
        let words = way.replace("{}", &long);
        let said = err(&at_once(room.path(), &words));
        assert!(
            said.contains("File name too long") && said.contains("shorter"),
            "{words}: {said}"
        );
        assert!(!said.contains("must be writable"), "{words}: {said}");
    }
    for taken in [".out.brawn-out", ".libc.a.brawn-new"] {
        fs::create_dir(room.path().join(taken)).unwrap();
    }
    // Another name is taken for an output; in place there is one name only.
    let output = at_once(room.path(), "patch libc.a -o out");
    assert!(output.status.success(), "{}", err(&output));
    let said = err(&at_once(room.path(), "patch libc.a"));
    assert!(
        said.contains(".libc.a.brawn-new") && said.contains("remove"),
        "{said}"
    );
    assert!(!said.contains("must be writable"), "{said}");
}

#[test]
fn a_file_whose_name_leaves_no_room_for_a_record_is_written_to_another_name() {
    let room = with_inputs();
    for (way, input) in [("patch", "libc.a"), ("rewrite", "tool")] {
        for length in [241, 245, 255] {
            let long = "n".repeat(length);
            fs::copy(room.path().join(input), room.path().join(&long)).unwrap();
            let before = names(room.path());
            let said = err(&at_once(room.path(), &format!("{way} {long}")));
            assert!(
                said.contains("File name too long") && said.contains("`-o`"),
                "{way} {length}: {said}"
            );
            assert_eq!(names(room.path()), before, "{way} {length}");
            let output = at_once(room.path(), &format!("{way} {long} -o out"));
            assert!(output.status.success(), "{way} {length}: {}", err(&output));
            fs::remove_file(room.path().join("out")).unwrap();
            fs::remove_file(room.path().join(&long)).unwrap();
        }
    }
}

#[test]
fn a_report_that_cannot_be_written_is_told_of_before_anything_is_measured() {
    let room = with_inputs();
    let exists = |name: &str| Path::new(&room.path().join(name)).exists();
    for out in ["none/out", "shared", "data/out"] {
        let output = at_once(room.path(), &format!("compare --export-json {out} ./tool"));
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(
            err(&output).contains(out.split('/').next().unwrap()),
            "{}",
            err(&output)
        );
        assert!(!exists("out"));
    }
}

#[test]
fn what_brawn_keeps_is_neither_changed_nor_written_over() {
    let folder = Folder::small();
    folder.patch();
    let before: Vec<_> = folder
        .names()
        .iter()
        .map(|name| read(&folder.path().join(name)))
        .collect();
    for kept in [
        "libc.a.brawn-original",
        "libc.a.brawn.json",
        "./libc.a.brawn-original",
    ] {
        for way in [
            "patch {}",
            "restore {}",
            "rewrite {}",
            "patch libc.a -o {}",
            "preload -o {}",
            "compare --export-json {} true",
        ] {
            let words = way.replace("{}", kept);
            let output = at_once(folder.path(), &words);
            assert!(!output.status.success(), "{words}");
            let now: Vec<_> = folder
                .names()
                .iter()
                .map(|name| read(&folder.path().join(name)))
                .collect();
            assert!(now == before, "{words}");
        }
    }
    let output = at_once(folder.path(), "patch libc.a.brawn-original");
    assert_eq!(output.status.code(), Some(REFUSED));
    assert!(err(&output).contains("libc.a itself"), "{}", err(&output));
    folder.restore();
    // Without a record, it is a name as any other.
    fs::copy(folder.libc(), folder.kept()).unwrap();
    let output = at_once(folder.path(), "patch libc.a.brawn-original");
    assert!(output.status.success(), "{}", err(&output));
}

#[test]
fn a_file_is_no_directory() {
    let room = with_inputs();
    let before = names(room.path());
    for words in [
        "rewrite tool/",
        "rewrite tool/.",
        "patch libc.a/",
        "restore tool/",
        "rewrite tool -o data/",
        "preload -o new/",
    ] {
        let output = at_once(room.path(), words);
        assert!(!output.status.success(), "{words}");
        assert_eq!(names(room.path()), before, "{words}");
    }
}

#[test]
fn an_output_of_which_an_original_is_kept_is_refused() {
    let (from, kept) = (Folder::musl(), Folder::musl());
    kept.patch();
    let before = read(&kept.libc());
    let patch = || {
        let mut command = brawn();
        command.args(["patch", "--only", "heap", "-o"]);
        command.arg(kept.libc()).arg(from.libc());
        command
    };
    let text = fail(&mut patch(), REFUSED);
    assert!(text.contains("brawn restore"), "{text}");
    assert!(read(&kept.libc()) == before);
    kept.restore();
    succeed(&mut patch());
    assert!(read(&kept.libc()) != before);
}

//! Programs in Debian packages and behind every compression, and what `--fail-on` makes of what is not opened.

use crate::build::{PROGRAM, Room};
use crate::common::{MALFORMED, REFUSED, brawn, fail, ok, succeed, tools};
use serde_json::Value;
use std::fs;
use std::path::Path;

const FINDING: i32 = 1;
const FAIL_ON: [&str; 3] = ["inspect", "--fail-on", "slow,mixed"];

/// A directory with a slow program, `tool`.
fn slow() -> Room {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -s main.c -o tool"]);
    room
}

/// Compresses the file by the program of that name, and says where the result is.
fn pack(room: &Room, packer: &str, name: &str) -> String {
    let end = [
        ("gzip", "gz"),
        ("xz", "xz"),
        ("zstd", "zst"),
        ("bzip2", "bz2"),
    ];
    let end = end
        .iter()
        .find(|(name, _)| *name == packer)
        .expect("known")
        .1;
    room.run(packer, &["-k", "-f", "-q", name]);
    room.path(&format!("{name}.{end}"))
}

/// The verdict of each path that is found.
fn verdicts(path: &str) -> Vec<(String, String)> {
    let json = succeed(brawn().args(["inspect", "--json", path]));
    let all: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let all = all.iter();
    all.map(|f| (text(&f["path"]), text(&f["verdict"])))
        .collect()
}

/// A Debian package with the tool at `usr/bin/tool`, compressed by `how`.
fn deb(room: &Room, how: &str) -> String {
    let root = format!("root-{how}");
    room.write(
        &format!("{root}/DEBIAN/control"),
        "Package: tool\nVersion: 1\nArchitecture: amd64\nMaintainer: a <a@b.c>\nDescription: a tool\n",
    );
    room.write(&format!("{root}/usr/share/doc/tool/copyright"), "words");
    let to = room.path(&format!("{root}/usr/bin"));
    fs::create_dir_all(&to).expect("made");
    fs::copy(room.path("tool"), format!("{to}/tool")).expect("copied");
    let package = room.path(&format!("tool-{how}.deb"));
    let how = format!("-Z{how}");
    ok(
        "dpkg-deb",
        &[
            "--root-owner-group",
            &how,
            "-b",
            &room.path(&root),
            &package,
        ],
    );
    package
}

#[test]
fn a_slow_program_is_found_behind_every_compression() {
    let room = slow();
    room.run("tar", &["-cf", "files.tar", "tool", "main.c"]);
    for packer in ["gzip", "xz", "zstd", "bzip2"] {
        let single = pack(&room, packer, "tool");
        assert_eq!(verdicts(&single), [(single.clone(), "slow heap".into())]);
        let error = fail(brawn().args(FAIL_ON).arg(&single), FINDING);
        assert!(error.contains("1 file with a verdict"), "{error}");
        let files = pack(&room, packer, "files.tar");
        assert_eq!(
            verdicts(&files),
            [(format!("{files}!tool"), "slow heap".into())]
        );
        // Text is nothing to judge, compressed or not.
        let text = pack(&room, packer, "main.c");
        assert_eq!(verdicts(&text), []);
        let error = fail(brawn().args(FAIL_ON).arg(&text), REFUSED);
        assert!(error.contains("nothing to judge"), "{error}");
    }
    for how in ["gzip", "xz", "zstd", "none"] {
        let package = deb(&room, how);
        assert_eq!(
            verdicts(&package),
            [(format!("{package}!usr/bin/tool"), "slow heap".into())]
        );
        fail(brawn().args(FAIL_ON).arg(&package), FINDING);
    }
}

#[test]
fn in_a_directory_every_package_is_found_by_its_contents() {
    for packer in ["gzip", "xz", "zstd", "bzip2"] {
        let room = slow();
        fs::create_dir(room.path("d")).expect("made");
        let packed = pack(&room, packer, "tool");
        pack(&room, packer, "main.c");
        let end = Path::new(&packed).extension().expect("one").to_owned();
        let text = Path::new(&room.path("main.c")).with_extension(format!("c.{}", end.display()));
        fs::rename(text, room.path("d/words")).expect("moved");
        // A name says nothing.
        fs::rename(packed, room.path("d/tool-1.0")).expect("moved");
        let found = verdicts(&room.path("d"));
        assert_eq!(
            found,
            [(room.path("d/tool-1.0"), "slow heap".into())],
            "{packer}"
        );
        fail(brawn().args(FAIL_ON).arg(room.path("d")), FINDING);
    }
    let room = slow();
    fs::create_dir(room.path("d")).expect("made");
    fs::rename(deb(&room, "xz"), room.path("d/tool.deb")).expect("moved");
    fail(brawn().args(FAIL_ON).arg(room.path("d")), FINDING);
}

#[test]
fn what_is_not_opened_never_passes_a_check() {
    let room = slow();
    let seven = room.path("d/tool.7z");
    room.write("d/other.txt", "words");
    fs::write(&seven, b"7z\xbc\xaf\x27\x1c\0\x04 and more").expect("written");
    fs::write(room.path("d/p.rpm"), b"\xed\xab\xee\xdb\x03\0 and more").expect("written");
    fs::copy(room.path("tool"), room.path("d/none")).expect("copied");
    room.run("strip", &["-s", "d/none"]);
    let folder = room.path("d");
    // Without a check, it is said, and no error.
    let output = brawn()
        .args(["inspect", "--only", "fine", &folder])
        .output()
        .expect("run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    for what in ["p.rpm: a RPM package", "tool.7z: a 7z archive"] {
        assert!(said.contains(what), "{said}");
    }
    let json = succeed(brawn().args(["inspect", "--json", &folder]));
    let all: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    let unopened = all.iter().filter(|f| f["status"] == "unopened").count();
    assert_eq!((all.len(), unopened), (3, 2), "{json}");
    // With one, whatever else is there.
    fs::remove_file(room.path("d/none")).expect("removed");
    let error = fail(brawn().args(FAIL_ON).arg(&folder), REFUSED);
    assert!(
        error.contains("tool.7z: a 7z archive, which brawn does not open"),
        "{error}"
    );
    // Named, it is an error in any case.
    fail(brawn().args(["inspect", &seven]), REFUSED);
    // A member with a password, beside one that can be read.
    room.run("zip", &["-q", "-P", "word", "locked.zip", "tool"]);
    room.run("zip", &["-q", "locked.zip", "main.c"]);
    let locked = room.path("locked.zip");
    let error = fail(brawn().args(FAIL_ON).arg(&locked), REFUSED);
    assert!(
        error.contains("locked.zip!tool") && error.contains("password"),
        "{error}"
    );
    // Damage is an error of its own.
    let package = deb(&room, "xz");
    let bytes = fs::read(&package).expect("read");
    fs::write(&package, &bytes[..bytes.len() - 2000]).expect("written");
    fail(brawn().args(["inspect", &package]), MALFORMED);
    let packed = pack(&room, "xz", "tool");
    let bytes = fs::read(&packed).expect("read");
    fs::write(&packed, &bytes[..bytes.len() / 2]).expect("written");
    fail(brawn().args(FAIL_ON).arg(&packed), MALFORMED);
}

/// Debian's mksh has a program with musl beside one of glibc's and two of smaller libcs.
#[test]
fn a_slow_program_in_debians_package_fails_a_check() {
    let package = tools().join("corpus/mksh_59c-28+deb12u1_amd64.deb");
    let package = package.to_str().expect("UTF-8");
    let error = fail(brawn().args(FAIL_ON).arg(package), FINDING);
    assert!(error.contains("1 file with a verdict"), "{error}");
    let slow = verdicts(package);
    let slow: Vec<_> = slow.iter().filter(|(_, v)| v == "slow heap").collect();
    let path = format!("{package}!usr/lib/x86_64-linux-musl/bin/mksh");
    assert_eq!(slow, [&(path, "slow heap".to_owned())]);
}

/// A program as UPX leaves it: no sections, and its mark behind the program headers.
fn upx(room: &Room, name: &str) -> String {
    let mut bytes = fs::read(room.path("tool")).expect("read");
    bytes[0x28..0x30].fill(0);
    bytes[0x3c..0x40].fill(0);
    let at = bytes.iter().take(4096).rposition(|b| *b != 0);
    let at = at.map_or(4092, |at| (at + 1).min(4092));
    bytes[at..at + 4].copy_from_slice(b"UPX!");
    fs::create_dir_all(room.path("d")).expect("made");
    fs::write(room.path(name), bytes).expect("written");
    room.path(name)
}

#[test]
fn what_upx_packed_never_passes_a_check() {
    let room = slow();
    let packed = upx(&room, "d/packed");
    let folder = room.path("d");
    for path in [&packed, &folder] {
        let error = fail(brawn().args(FAIL_ON).arg(path), REFUSED);
        assert!(
            error.contains("packed: packed by UPX") && error.contains("upx -d"),
            "{error}"
        );
    }
    // Without a check, it is said, and no error.
    let json = succeed(brawn().args(["inspect", "--json", &folder]));
    let all: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(all.len(), 1, "{json}");
    assert_eq!(all[0]["status"], "unopened", "{json}");
    // In a package, beside what is worse.
    room.run("tar", &["-czf", "p.tgz", "d", "tool"]);
    let error = fail(brawn().args(FAIL_ON).arg(room.path("p.tgz")), REFUSED);
    assert!(error.contains("p.tgz!d/packed: packed by UPX"), "{error}");
}

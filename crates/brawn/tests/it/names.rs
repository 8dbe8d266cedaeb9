//! Whatever files, members, symbols and arguments are called: no name moves a terminal's cursor, colours it, turns text
//! around or begins a line of its own.

use crate::build::{PROGRAM, Room};
use crate::common::{brawn_path, read};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a terminal acts on, and a line that says what brawn did not.
const BAD: &str = "a\nerror: lies\r\x07\x08\x1b[31m\x1b]0;t\x07\x7f\u{85}\u{9b}1m\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}z";

/// The same as bytes, with some that are not UTF-8: C1 as Latin-1 has it.
fn bad() -> Vec<u8> {
    [BAD.as_bytes(), b"\x9b31m\xff"].concat()
}

fn bad_name() -> OsString {
    OsStr::from_bytes(&bad()).into()
}

/// Runs brawn, and holds what it prints against the rule.  What is found is named with the command.
fn check(room: &Room, arguments: &[&OsStr], said: &mut String) -> Vec<u8> {
    let mut command = Command::new(brawn_path());
    command.args(arguments).current_dir(room.path(""));
    command.env("XDG_CACHE_HOME", room.path("cache"));
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    for bytes in [&output.stdout, &output.stderr] {
        let is_bad = |c: char| {
            c.is_control() && c != '\n' && c != '\t'
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let text = std::str::from_utf8(bytes);
        let text = text.unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", bytes.escape_ascii()));
        assert!(!text.contains(is_bad), "{arguments:?}: {text:?}");
        let lies = text.lines().any(|line| line.starts_with("error: lies"));
        assert!(!lies, "{arguments:?}: {text:?}");
        said.push_str(text);
    }
    let code = output.status.code();
    let has_panicked = code.is_none_or(|code| code == 101);
    assert!(!has_panicked, "{arguments:?}: {code:?}");
    output.stdout
}

/// Every command that takes a file, with flags that make it say more or leave files alone.
const COMMANDS: [&[&str]; 26] = [
    &["inspect"],
    &["inspect", "--json"],
    &["verify"],
    &["verify", "--verbose"],
    &["verify", "--json"],
    &["patch", "--dry-run"],
    &["patch", "--dry-run", "--json"],
    &["patch"],
    &["restore"],
    &["restore", "--json"],
    &["rewrite", "--dry-run"],
    &["rewrite", "--dry-run", "--json"],
    &["rewrite", "--dry-run", "--force"],
    &["rewrite", "--json"],
    &["rewrite"],
    &["rewrite"],
    &["restore"],
    &["image", "--dry-run"],
    &["image", "--dry-run", "--rewrite", "--json"],
    &["signatures", "find"],
    &["signatures", "find", "--json"],
    &["signatures", "learn"],
    &["run", "--verbose"],
    &["run", "--heap-profile", "/none/heap"],
    &["heap-profile"],
    &["preload", "--"],
];

fn check_all(room: &Room, path: &Path, said: &mut String) {
    for words in COMMANDS {
        let mut words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        words.push(path.as_os_str());
        check(room, &words, said);
    }
    let words = ["image", "IN", "OUT"].map(OsString::from);
    let out = room_path(room).join(bad_name()).join("out");
    let out = &out;
    for words in [
        vec![words[0].as_os_str(), path.as_os_str(), out.as_os_str()],
        vec![
            OsStr::new("rewrite"),
            path.as_os_str(),
            OsStr::new("-o"),
            out.as_os_str(),
        ],
        vec![
            OsStr::new("patch"),
            path.as_os_str(),
            OsStr::new("-o"),
            out.as_os_str(),
        ],
    ] {
        check(room, &words, said);
    }
}

fn room_path(room: &Room) -> PathBuf {
    PathBuf::from(room.path(""))
}

/// The room's program, with a function that is called as a hostile compiler would.
fn program(room: &Room, flags: &str) -> Vec<u8> {
    let name = "n".repeat(bad().len());
    room.write(
        "main.c",
        &PROGRAM.replace(
            "int main",
            &format!("void {name}(void) {{ free(malloc(9)); }}\nint main"),
        ),
    );
    room.run("musl-gcc", &[flags, "-o p main.c"]);
    let bytes = read(Path::new(&room.path("p")));
    replaced(&bytes, name.as_bytes(), &bad())
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    assert!(!places.is_empty(), "{}", old.escape_ascii());
    let mut changed = bytes.to_vec();
    for at in places {
        changed[at..at + old.len()].copy_from_slice(new);
    }
    changed
}

#[test]
fn files_of_any_name_and_kind() {
    let room = Room::new();
    let mut said = String::new();
    let path = room_path(&room).join(bad_name());
    check_all(&room, &path, &mut said);
    let program = program(&room, "-static -O1");
    let dynamic = self::program(&room, "-O1");
    let interpreter = b"/lib/ld-musl-x86_64.so.1";
    let odd = replaced(
        &dynamic,
        interpreter,
        b"/lib/ld-musl\x1b[1m\n\x9b\xe2\x80\xae.so",
    );
    for bytes in [
        &b""[..],
        b"\x1b[31mjunk\n\x9b",
        b"#!/bin/\x1b[31m\xe2\x80\xae\n",
        &program,
        &program[..program.len() / 2],
        &program[..100],
        &dynamic,
        &odd,
    ] {
        std::fs::write(&path, bytes).expect("written");
        ok_mode(&path);
        check_all(&room, &path, &mut said);
        for entry in std::fs::read_dir(room_path(&room)).expect("a directory") {
            let entry = entry.expect("an entry").path();
            let is_ours = entry
                .as_os_str()
                .as_bytes()
                .windows(2)
                .any(|w| w == b"\r\x07");
            if is_ours && entry.is_file() {
                std::fs::remove_file(&entry).expect("removed");
            }
        }
    }
    // The test sees names at all, and they are told by what they hold.
    assert!(
        said.contains("a\\nerror: lies\\r\\u{7}\\u{8}\\u{1b}[31m"),
        "{said}"
    );
    assert!(said.contains("\\u{202e}"), "{said}");
}

fn ok_mode(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("executable");
}

#[test]
fn members_and_symbols_of_any_name() {
    let room = Room::new();
    let mut said = String::new();
    let name = "m".repeat(bad().len());
    let symbol = "s".repeat(bad().len());
    room.write("a.c", &format!("void *malloc(unsigned long n) {{ extern void *{symbol}(void); return {symbol}(); }}\nint __malloc_lock[1]; int {symbol}x;"));
    room.run("musl-gcc", &[&format!("-c -o {name}.o a.c")]);
    std::fs::copy(crate::common::MUSL, room.path("libc.a")).expect("Debian's musl-dev");
    room.run("ar", &[&format!("q libc.a {name}.o")]);
    let whole = read(Path::new(&room.path("libc.a")));
    let whole = replaced(&whole, symbol.as_bytes(), &bad());
    // A newline ends a name of GNU's.
    let member: Vec<u8> = bad()
        .iter()
        .map(|b| if *b == b'\n' { b'\x0b' } else { *b })
        .collect();
    let whole = replaced(&whole, name.as_bytes(), &member);
    // The last member is the hostile one; broken, it is named in errors.
    let start = memchr::memmem::rfind(&whole, b"\x7fELF").expect("an object");
    let mut broken = whole.clone();
    broken[start + 40..start + 48].fill(0xff);
    let folder = room_path(&room).join(bad_name());
    std::fs::create_dir(&folder).expect("made");
    for bytes in [&whole, &broken] {
        let path = folder.join("libc.a");
        std::fs::write(&path, bytes).expect("written");
        check_all(&room, &path, &mut said);
        check_all(&room, &folder, &mut said);
        let root = OsStr::new("--root");
        check(
            &room,
            &[OsStr::new("toolchains"), root, folder.as_os_str()],
            &mut said,
        );
        // Those of BSD have newlines in names, too.
        let bsd = bsd_archive(&bad(), &bytes[start..]);
        std::fs::write(&path, bsd).expect("written");
        check_all(&room, &path, &mut said);
        let package = folder.join(format!("{BAD}.whl"));
        std::fs::write(&package, wheel(&bytes[start..])).expect("written");
        check_all(&room, &package, &mut said);
        let package = folder.join(format!("{BAD}.tgz"));
        std::fs::write(&package, tarball(&bytes[start..])).expect("written");
        check_all(&room, &package, &mut said);
        check_all(&room, &folder, &mut said);
        std::fs::remove_file(&package).expect("removed");
    }
    assert!(said.contains("member a\\u{b}error: lies\\r"), "{said}");
}

fn bsd_archive(name: &[u8], data: &[u8]) -> Vec<u8> {
    let size = name.len() + data.len();
    let field = format!("#1/{}", name.len());
    let mut bytes = format!(
        "!<arch>\n{field:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
        0, 0, 0, 644
    )
    .into_bytes();
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(data);
    bytes
}

fn wheel(data: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file(BAD, options).expect("begun");
    zip.write_all(data).expect("written");
    zip.finish().expect("ended").into_inner()
}

fn tarball(data: &[u8]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    let mut header = tar::Header::new_gnu();
    header.set_size(data.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, OsStr::from_bytes(&bad()), data)
        .expect("written");
    tar.into_inner()
        .and_then(|gzip| gzip.finish())
        .expect("ended")
}

#[test]
fn arguments_of_any_kind() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -o p main.c"]);
    let mut said = String::new();
    let bad = bad_name();
    for words in [
        &[][..],
        &["inspect", "--fail-on"],
        &["patch", "--profile"],
        &["rewrite", "--only"],
        &["rewrite", "p", "-o"],
        &["image", "p", "--dry-run", "--name"],
        &["image", "p", "--dry-run", "--env"],
        &["image", "p", "--dry-run", "--label"],
        &["image", "p", "--dry-run", "--user"],
        &["image", "p", "--dry-run", "--expose"],
        &["image", "p", "--dry-run", "--workdir"],
        &["image", "p", "--dry-run", "--add"],
        &["image", "p"],
        &["toolchains", "--kind"],
        &["toolchains", "--root"],
        &["link-args", "--dir"],
        &["link-args", "--format"],
        &["preload", "-o"],
        &["preload", "--json", "-o"],
        &["signatures"],
        &["signatures", "learn", "p", "--name"],
        &["verify", "--list"],
        &["verify", "--cc"],
        &["patch", "--rust"],
        &["cargo", "--profile"],
        &["run", "--profile"],
    ] {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        let of = |last: &OsStr| {
            let mut words = words.clone();
            words.push(last);
            check(&room, &words, &mut String::new());
        };
        of(&bad);
        of(OsStr::new(BAD));
        of(&[OsStr::new("--"), &bad].join(OsStr::new("")));
        let mut words = words.clone();
        let last = words.pop();
        let joined = last.map(|last| [last, &bad].join(OsStr::new("=")));
        words.extend(joined.as_deref());
        check(&room, &words, &mut said);
    }
    assert!(said.contains("error: lies\\r"), "{said}");
}

#[test]
fn json_has_the_names_as_they_are() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -o p main.c"]);
    let path = room_path(&room).join(BAD);
    std::fs::rename(room.path("p"), &path).expect("renamed");
    let words = [
        OsStr::new("inspect"),
        OsStr::new("--json"),
        path.as_os_str(),
    ];
    let text = check(&room, &words, &mut String::new());
    let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(json[0]["path"].as_str(), path.to_str());
}

/// `Path::display` escapes nothing, and there is one way that does.
#[test]
fn nothing_else_displays_a_path() {
    let mut open = vec![
        crate::common::root().join("crates/brawn/src"),
        crate::common::root().join("crates/brawn-core/src"),
    ];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let inside = std::fs::read_dir(&path).expect("a directory");
            open.extend(inside.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let is_test = name.contains("tests") || name.ends_with("testing.rs");
        if is_test || !name.ends_with(".rs") {
            continue;
        }
        let text = String::from_utf8(read(&path)).expect("UTF-8");
        let (code, _) = text.split_once("#[cfg(test)]\nmod ").unwrap_or((&text, ""));
        for way in [
            ".display()",
            "println!",
            "eprint!",
            "io::stdout().write",
            "dbg!",
        ] {
            let is_known = way == "println!" && name.ends_with("cargo-brawn.rs")
                // What rustc says passes through.
                || way.starts_with("io") && name.ends_with("cargo/record.rs");
            assert!(
                is_known || !code.contains(way),
                "{name}: {way}; see brawn_core::shown"
            );
        }
    }
}

//! Files that are made to take time and memory: whatever is done with them is linear in their size, or refused.
//!
//! The limits here hold for a brawn that is not optimized, on a busy machine: what is quadratic passes them by far.

mod files;

use crate::build::{PROGRAM, Room};
use crate::common::{brawn_path, read};
use files::{FUNCTION, OBJECT, Symbol};
use std::path::Path;
use std::process::{Command, Stdio};

/// Seconds of processor time, and KiB of address space: 256 MiB, and what the program and its threads' stacks take.
const SECONDS: u32 = 20;
const SPACE: u32 = 640 << 10;

/// What may be done with an executable or an archive.
const COMMANDS: [&[&str]; 9] = [
    &["inspect"],
    &["inspect", "--json"],
    &["verify"],
    &["patch", "--dry-run"],
    &["rewrite", "--dry-run"],
    &["rewrite", "--dry-run", "--force"],
    &["image", "--dry-run"],
    &["signatures", "find"],
    &["signatures", "learn"],
];

/// Runs brawn within the limits; whether it does what is asked or refuses it, it comes to an end.
fn ends(room: &Room, what: &str, words: &[&str], name: &str) -> String {
    let limits = format!("ulimit -c 0; ulimit -v {SPACE}; ulimit -t {SECONDS}; exec \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &limits, "sh", brawn_path()])
        .args(words)
        .arg(name);
    command
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "4");
    command.env("XDG_CACHE_HOME", room.path("cache"));
    let output = command
        .current_dir(room.path(""))
        .stdin(Stdio::null())
        .output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    let is_end = matches!(code, Some(0 | 1 | 3 | 4));
    let said = format!("{said}{}", String::from_utf8_lossy(&output.stdout));
    let shown: String = said.chars().take(2000).collect();
    assert!(is_end, "{what}: {words:?}: {:?}: {shown}", output.status);
    // Nor does it say more than there is.
    assert!(
        said.len() < 1 << 22,
        "{what}: {words:?}: {} bytes",
        said.len()
    );
    said
}

fn all_end(room: &Room, what: &str, bytes: &[u8]) {
    let path = room.path("file");
    std::fs::write(&path, bytes).expect("written");
    for words in COMMANDS {
        ends(room, what, words, &path);
    }
}

/// A static program of musl's, with symbols.
fn program(room: &Room) -> Vec<u8> {
    room.write("main.c", PROGRAM);
    room.run("musl-gcc", &["-static -O1 -o p main.c"]);
    read(Path::new(&room.path("p")))
}

fn assembled(room: &Room, text: &str) -> Vec<u8> {
    room.write("main.c", PROGRAM);
    room.write("more.s", text);
    room.run("musl-gcc", &["-static -O1 -o p main.c more.s"]);
    read(Path::new(&room.path("p")))
}

fn symbols(count: u64, name: impl Fn(u64) -> usize, kind: u8, size: u64) -> Vec<Symbol> {
    let symbol = |n| Symbol {
        name: name(n),
        kind,
        address: 0x40_1000 + n % 0x4000,
        size,
    };
    (0..count).map(symbol).collect()
}

#[test]
fn names_that_symbols_share() {
    let room = Room::new();
    let program = program(&room);
    let long = [vec![b'a'; 8 << 20], vec![0]].concat();
    let shared = files::with_symbols(&program, &long, &symbols(1_000_000, |_| 0, FUNCTION, 8));
    all_end(&room, "a name of 8 MB", &shared);
    std::fs::write(room.path("a.whl"), files::wheel(&shared)).expect("written");
    let said = ends(&room, "in a wheel", &["inspect"], "a.whl");
    assert!(said.contains("a name of more than"), "{said}");
    all_end(&room, "in an archive", &files::archive_of(&shared));
    // Each shorter than the bound, and of one text.
    let long = [vec![b'_'; 200_000], vec![0]].concat();
    let mut parts = symbols(300_000, |n| n as usize % 190_000, FUNCTION, 8);
    all_end(
        &room,
        "names of 200 KB",
        &files::with_symbols(&program, &long, &parts),
    );
    // As many as there may be.
    parts.truncate(20);
    let few = files::with_symbols(&program, &[long.as_slice(); 8].concat(), &parts);
    all_end(&room, "few names of 200 KB", &few);
}

#[test]
fn symbols_that_all_have_one_name() {
    let room = Room::new();
    let program = program(&room);
    for (name, kind) in [
        (&b"malloc\0"[..], FUNCTION),
        (b"trim\0", FUNCTION),
        (b"memcpy\0", FUNCTION),
        (b"__libc_start_main\0", FUNCTION),
        (b"mal\0", OBJECT),
        (b"__malloc_context\0", OBJECT),
        (b"mi_malloc\0", FUNCTION),
    ] {
        for size in [1, 1 << 20] {
            let more = symbols(60_000, |_| 0, kind, size);
            let what = format!("{} of {size}", name.escape_ascii());
            all_end(&room, &what, &files::with_symbols(&program, name, &more));
        }
    }
}

#[test]
fn code_that_refers_to_the_heap_everywhere() {
    let room = Room::new();
    for (what, text) in [
        (
            "calls",
            ".globl f\n.type f,@function\nf: .rept 150000\ncall malloc+9\n.endr\nret\n",
        ),
        (
            "callers",
            ".macro m\nf\\@: .type f\\@,@function\ncall free+9\n.endm\n.rept 50000\nm\n.endr\nret\n",
        ),
        (
            "thread-locals",
            ".globl f\nf: .rept 100000\ncall __tls_get_addr@PLT\n.endr\nret\n",
        ),
        (
            "functions",
            ".macro m\nf\\@: .type f\\@,@function\njmp malloc\n.size f\\@,4096\n.endm\n.rept 40000\nm\n.endr\n",
        ),
        (
            "mixed",
            ".globl mi_malloc\nmi_malloc: .rept 150000\ncall __libc_malloc\n.endr\nret\n",
        ),
    ] {
        let text = format!("{text}.section .note.GNU-stack\n");
        all_end(&room, what, &assembled(&room, &text));
    }
}

#[test]
fn headers_that_overlap() {
    let room = Room::new();
    let program = program(&room);
    for kind in [1, 2, 3, 4, 7, 0x6474_e553] {
        for count in [100, 60_000] {
            let what = format!("{count} segments of type {kind:#x}");
            all_end(&room, &what, &files::with_segments(&program, kind, count));
        }
    }
    room.write("a.c", "int a;");
    room.run("musl-gcc", &["-c a.c"]);
    let object = read(Path::new(&room.path("a.o")));
    let name = vec![b's'; 4 << 20];
    for kind in [1, 2, 3, 4, 7, 9, 11] {
        for file in [&object, &program] {
            let overlapping = files::with_sections(file, kind, 65_000, &name);
            let what = format!("sections of type {kind}");
            all_end(&room, &what, &overlapping);
        }
        let member = files::with_sections(&object, kind, 65_000, &name);
        all_end(&room, "as a member", &files::archive_of(&member));
    }
}

#[test]
fn archives_that_say_things_often() {
    let room = Room::new();
    room.write(
        "a.c",
        "void *malloc(unsigned long n) { return 0; } int __malloc_context;",
    );
    room.run("musl-gcc", &["-c a.c"]);
    let object = read(Path::new(&room.path("a.o")));
    let name = [vec![b'm'; 1 << 20], b"/\n".to_vec()].concat();
    all_end(
        &room,
        "a member's name of 1 MB",
        &files::archive(&name, 100_000, |_| 0, b""),
    );
    let name = [vec![b'm'; 100_000], b"/\n".to_vec()].concat();
    all_end(
        &room,
        "names of 100 KB",
        &files::archive(&name, 50_000, |n| n, b""),
    );
    let few = files::archive(&name, 2_000, |n| 99_000 + n % 900, &object);
    all_end(&room, "many heaps", &few);
    let name = vec![b'i'; 2 << 20];
    all_end(
        &room,
        "an index with one name",
        &files::indexed(&name, 200_000, &object),
    );
    all_end(
        &room,
        "an index for one member",
        &files::indexed(b"malloc", 500_000, b"BC\xc0\xde"),
    );
    let many = [
        b"!<arch>\n".to_vec(),
        files::archive(b"a/\n", 100_000, |_| 0, b"BC\xc0\xde")[8..].to_vec(),
    ];
    all_end(&room, "bitcode", &many.concat());
    let text = ".text\n.macro m\n.globl memcpy\\@\nmemcpy\\@: .type memcpy\\@,@function\ncall x\\@\n.endm\n.rept 60000\nm\n.endr\n.globl memcpy\nmemcpy: ret\n.globl malloc\nmalloc: ret\n";
    room.write("a.s", text);
    room.run("musl-gcc", &["-c a.s"]);
    let object = read(Path::new(&room.path("a.o")));
    all_end(
        &room,
        "an object of many functions",
        &files::archive_of(&object),
    );
}

#[test]
fn packages_that_unpack_to_much() {
    let room = Room::new();
    let elf = b"\x7fELF\x02\x01\x01";
    let gigabyte = 1 << 30;
    let bombs = [
        (
            "pax.tgz",
            files::tarball(tar::EntryType::XHeader, b"", 2 * gigabyte),
        ),
        (
            "global.tgz",
            files::tarball(tar::EntryType::XGlobalHeader, b"", gigabyte),
        ),
        (
            "name.tgz",
            files::tarball(tar::EntryType::GNULongName, b"a", gigabyte),
        ),
        (
            "link.tgz",
            files::tarball(tar::EntryType::GNULongLink, b"a", gigabyte),
        ),
        (
            "sparse.tgz",
            files::tarball(tar::EntryType::GNUSparse, b"", gigabyte),
        ),
        (
            "zeros.tgz",
            files::tarball(tar::EntryType::Regular, b"", gigabyte),
        ),
        (
            "program.tgz",
            files::tarball(tar::EntryType::Regular, elf, gigabyte / 2),
        ),
        (
            "small.tgz",
            files::tarball(tar::EntryType::Regular, elf, 60 << 20),
        ),
        (
            "again.tgz",
            files::tarball(tar::EntryType::Regular, elf, 60 << 20),
        ),
        (
            "more.tgz",
            files::tarball(tar::EntryType::Regular, elf, 60 << 20),
        ),
        (
            "zip.whl",
            files::wheel(&[&elf[..], &vec![0; 100 << 20]].concat()),
        ),
        (
            "overlap.whl",
            files::overlapping(&[&elf[..], &vec![0; 8 << 20]].concat(), 15_000),
        ),
    ];
    std::fs::create_dir(room.path("all")).expect("made");
    for (name, bytes) in &bombs {
        let path = room.path(&format!("all/{name}"));
        std::fs::write(&path, bytes).expect("written");
        ends(&room, name, &["inspect"], &path);
        ends(&room, name, &["patch", "--dry-run"], &path);
        let inside = format!("{path}!package/a");
        ends(&room, name, &["signatures", "learn"], &inside);
    }
    // Together they take no more, however many processors there are.
    ends(&room, "all", &["inspect"], &room.path("all"));
}

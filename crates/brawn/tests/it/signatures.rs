//! Signatures: they are what is learnt, they find everything where their build is, and nothing where none is.

use crate::build::Room;
use crate::common::{brawn, succeed};
use crate::musls::{self, archive};
use brawn_core::elf::program::Program;
use brawn_core::format::Format;
use brawn_core::report::package::{Limits, members};
use brawn_core::signatures;
use brawn_core::signatures::names::{Evidence, Names};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const SOURCES: &str = include_str!("../../../../tools/signatures.txt");

/// Calls everything that is looked for.
const PROGRAM: &str = include_str!("signatures.c");

/// What else brawn needs to know the place of.
const HOOKS: [&str; 10] = [
    "__errno_location",
    "__libc_start_main",
    "__pthread_exit",
    "__pthread_tsd_run_dtors",
    "pthread_create",
    "pthread_key_create",
    "dl_iterate_phdr",
    "fork",
    "__malloc_alloc_meta",
    "alloc_slot",
];

/// A file below `target/tools`, `PACKAGE!PATH` for one in a package.
fn file(path: &str) -> Vec<u8> {
    let (outer, inner) = path.split_once('!').unwrap_or((path, ""));
    let outer = Path::new(ROOT).join("target/tools").join(outer);
    let bytes = fs::read(&outer).unwrap_or_else(|e| {
        panic!(
            "{}: {e}: run tools/musls.sh and tools/corpus.sh",
            outer.display()
        )
    });
    if !matches!(Format::of(&bytes), Format::Zip | Format::Gzip) {
        return bytes;
    }
    let mut found = None;
    let mut take = |name: &[u8], bytes: &[u8]| {
        if name == inner.as_bytes() {
            found = Some(bytes.to_vec());
        }
    };
    members(&bytes, Limits::USUAL, &mut take).expect("a package");
    found.unwrap_or_else(|| panic!("{path} is not in its package"))
}

fn find(bytes: &[u8]) -> Names {
    let program = Program::read(bytes).expect("a static executable");
    signatures::name(&program).expect("a database")
}

/// Holds what signatures find in `bytes` against its symbols: what is wrong, and what is missing.
fn compare(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let program = Program::read(bytes).expect("a static executable");
    let names = signatures::name(&program).expect("a database");
    let is_symbol = |name: &str, address: u64| {
        let mut symbols = program.functions().chain(program.objects());
        symbols.any(|s| s.address == address && s.name == name)
    };
    let all = names.functions.iter().chain(&names.objects);
    let wrong = all.filter(|n| !is_symbol(&n.name, n.address));
    let wrong = wrong
        .map(|n| format!("{} is not at {:#x}", n.name, n.address))
        .collect();
    let payloads = brawn_payload::payloads().iter();
    let payload = payloads
        .clone()
        .find(|p| p.architecture == program.architecture.architecture());
    let payload = payload.expect("a payload for the architecture");
    let memory = payload.memory.iter().flat_map(|m| m.functions);
    let mut wanted: Vec<&str> = memory.flat_map(|f| f.surface).copied().collect();
    wanted.extend(payload.surface);
    wanted.extend(HOOKS);
    let symbols = program.functions();
    let symbols = symbols.filter(|s| wanted.contains(&s.name));
    let is_found = |name: &str, address| {
        names
            .functions
            .iter()
            .any(|n| n.name == name && n.address == address)
    };
    let missing = symbols.filter(|s| !is_found(s.name, s.address));
    let missing = missing
        .map(|s| format!("{} at {:#x}", s.name, s.address))
        .collect();
    (wrong, missing)
}

/// The build that names are of.
fn build_of(names: &Names) -> String {
    let evidence = names.functions.iter().map(|n| match &n.evidence {
        Evidence::Signature(build) | Evidence::Reference(build) => build.clone(),
        Evidence::Symbol => panic!("{} by a symbol", n.name),
    });
    let mut builds: Vec<String> = evidence.collect();
    builds.sort();
    builds.dedup();
    builds.join(" ")
}

/// Without the hashes of the files that it was learnt from.
fn unhashed(database: &str) -> String {
    let lines = database.lines().map(|line| match line.rsplit_once(' ') {
        Some((source, _)) if line.starts_with("source ") => source,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Without what was learnt of a build's last file: the line that names it, and the functions that were learnt of it alone, which are last.
fn without(database: &str, source: &str, functions: &str) -> String {
    let is_source = |line: &&str| line.starts_with(&format!("source {source} "));
    let is_function = |line: &&str| {
        let mut names = functions.split(',').filter_map(|f| f.split('=').next());
        names.any(|name| line.starts_with(&format!("function {name} ")))
    };
    let lines = database.lines().filter(|line| !is_source(line));
    let lines: Vec<&str> = lines.take_while(|line| !is_function(line)).collect();
    lines.join("\n") + "\n"
}

/// Whether it is a file that `make test` does without, and is not there. `make test` says so at its end.
fn is_left_out(file: &str) -> bool {
    let package = |path: &str| {
        let mut parts = path.split(['/', '!']);
        parts.next().unwrap_or_default().to_owned()
    };
    match (file.strip_prefix("musls/"), file.strip_prefix("corpus/")) {
        (Some(path), _) => musls::is_left_out(&package(path)),
        (_, Some(path)) => {
            let more = include_str!("../../../../tools/corpus-learnt.txt");
            let folder = Path::new(ROOT).join("target/tools/corpus");
            let is_there = folder.join(package(path)).exists();
            let is_listed = more.contains(&package(path));
            is_listed && !is_there && std::env::var_os("BRAWN_TEST_ALL").is_none()
        }
        _ => false,
    }
}

#[test]
fn the_database_is_what_is_learnt() {
    let mut builds: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in SOURCES.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!((5..=6).contains(&words.len()), "{line}");
        builds.entry(words[0]).or_default().push(words);
    }
    let folder = Path::new(ROOT).join("crates/brawn-core/signatures");
    let files = fs::read_dir(&folder).expect("a directory").count();
    assert_eq!(files, builds.len(), "a file for each build");
    for (name, sources) in builds {
        if sources.iter().any(|words| is_left_out(words[4])) {
            continue;
        }
        let mut learn = brawn();
        learn.current_dir(Path::new(ROOT).join("target/tools"));
        learn.args(["signatures", "learn", "--name", name]);
        let mut kept = fs::read_to_string(folder.join(format!("{name}.txt"))).expect("a file");
        for words in &sources {
            if let [_, package, version, path, file, functions] = words[..] {
                let is_there = Path::new(ROOT).join("target/tools");
                let is_there = is_there.join(file.split('!').next().expect("a package"));
                // `make corpus-all` gets it; a build's last file is the only one of this kind.
                if std::env::var_os("BRAWN_CORPUS_ALL").is_none() && !is_there.exists() {
                    kept = without(&kept, &format!("{package} {version} {path}"), functions);
                    continue;
                }
                let functions = functions.split(',');
                learn.args(functions.flat_map(|function| ["--function", function]));
            }
            learn.args([
                "--package",
                words[1],
                "--version",
                words[2],
                "--path",
                words[3],
                words[4],
            ]);
        }
        let learnt = succeed(&mut learn);
        // zig names the members of its archive after directories of its cache: no two are the same file.
        let is_zigs = sources.iter().any(|words| words[1] == "ziglang");
        let same = match is_zigs {
            true => unhashed(&learnt) == unhashed(&kept),
            false => learnt == kept,
        };
        assert!(same, "{name}: run tools/signatures.sh");
    }
}

/// Builds PROGRAM with that musl's `libc.a`, not stripped.
fn link(room: &Room, musl: &str, is_pie: bool) -> Vec<u8> {
    let lib = |file: &str| archive(musl, file).display().to_string();
    let include = archive(musl, "libc.a")
        .with_file_name("../include")
        .display()
        .to_string();
    let compiler = if musl.ends_with("arm64") {
        "aarch64-linux-gnu-gcc"
    } else {
        "gcc"
    };
    let (kind, start) = if is_pie {
        (["-static-pie", "-fPIE"], lib("rcrt1.o"))
    } else {
        (["-static", "-fno-pie"], lib("crt1.o"))
    };
    let (libc, first, last) = (lib("libc.a"), lib("crti.o"), lib("crtn.o"));
    let mut arguments = vec![
        "-w",
        "-O2",
        "-fno-builtin",
        "-fno-stack-protector",
        "-nostdlib",
        "-isystem",
        &include,
    ];
    arguments.extend(kind);
    if !is_pie {
        arguments.push("-no-pie");
    }
    let files = [
        &start, &first, "main.c", &libc, "-lgcc", &libc, &last, "-o", "main",
    ];
    arguments.extend(files);
    room.run(compiler, &arguments);
    fs::read(room.path("main")).expect("a program")
}

#[test]
fn everything_is_found_where_the_build_is_known() {
    let mut bad = Vec::new();
    let mut check = |what: &str, build: &str, bytes: &[u8]| {
        let (wrong, missing) = compare(bytes);
        let found = build_of(&find(bytes));
        if !(wrong.is_empty() && missing.is_empty() && found == build) {
            bad.push(format!(
                "{what}: build {found:?}; wrong: {wrong:?}; missing: {missing:?}"
            ));
        }
    };
    for version in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        for (musl, architecture) in [
            (version.to_owned(), "amd64"),
            (format!("{version}-arm64"), "arm64"),
        ] {
            for is_pie in [false, true] {
                let room = Room::with(PROGRAM);
                let bytes = link(&room, &musl, is_pie);
                let build = format!("musl-{version}-debian-{architecture}");
                check(&format!("{musl}, pie {is_pie}"), &build, &bytes);
            }
        }
    }
    let typos =
        "corpus/typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl!typos-1.52.0.data/scripts/typos";
    // The programs from which Rust's build was learnt do not show `cgt_init`: it is recognized by another build's.
    let builds = "musl-1.2.2-debian-amd64 musl-1.2.5-rust-x86_64";
    check("typos", builds, &file(typos));
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Has functions of musl's that load addresses from the global offset table.
const ASKS_THE_LINKER: &str = "
#include <link.h>
#include <stdlib.h>
static int each(struct dl_phdr_info *i, size_t n, void *p) { return !i || !n || p; }
int main(void) { free(malloc(9)); return dl_iterate_phdr(each, 0) + (getenv(\"none\") != 0); }
";

/// In a program at a fixed address, a linker makes a number of what is a load from the global offset table elsewhere: of the address of `environ`, and of
/// `_DYNAMIC`, which is 0 there.
#[test]
fn what_is_learnt_at_a_fixed_address_is_found_at_any() {
    let linked = |is_pie| link(&Room::with(ASKS_THE_LINKER), "1.2.5", is_pie);
    let build = signatures::learn::learn(&linked(false)).expect("symbols");
    let anywhere = linked(true);
    let program = Program::read(&anywhere).expect("a program");
    let names = signatures::name_by(&program, &[build]);
    for name in ["dl_iterate_phdr", "__init_libc", "__init_tls"] {
        assert!(names.function(name).is_some(), "{name}");
    }
}

/// Its heap is musl's simple one, of which `malloc` is a jump that nothing else of musl's refers to.
const FREES_NOTHING: &str = r"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) { char *p = malloc(count + 99); puts(strcpy(p, words[count - 1])); }
";

#[test]
fn the_heap_of_a_program_that_frees_nothing_is_found_and_replaced() {
    let mut bad = Vec::new();
    for version in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        for (musl, strip) in [
            (version.to_owned(), "strip"),
            (format!("{version}-arm64"), "aarch64-linux-gnu-strip"),
        ] {
            for is_pie in [false, true] {
                let room = Room::with(FREES_NOTHING);
                let (wrong, missing) = compare(&link(&room, &musl, is_pie));
                if !(wrong.is_empty() && missing.is_empty()) {
                    bad.push(format!(
                        "{musl}, pie {is_pie}: wrong {wrong:?}, missing {missing:?}"
                    ));
                }
                room.run(strip, &["main"]);
                let (main, out) = (room.path("main"), room.path("out"));
                let report = succeed(brawn().args(["rewrite", "--json", &main, "-o", &out]));
                let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
                let functions = report["plan"]["functions"].as_array().expect("functions");
                let mut names = functions.iter().map(|f| f["name"].as_str());
                assert!(names.any(|name| name == Some("malloc")), "{musl}: {report}");
                if strip == "strip" {
                    assert_eq!(room.run(&out, &["said"]), "said\n", "{musl}");
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Functions of the program's own, under names that only musl's heap uses, and that other files may call.
const NAMESAKES: &str = r"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *alloc_slot(size_t n) { return calloc(n, 3); }
void *get_meta(void *p) { return realloc(p, 99); }
void trim(void *p) { free(p); }
int main(int count, char **words) { char *p = get_meta(alloc_slot(count + 7)); puts(strcpy(p, words[count - 1])); trim(p); }
";

#[test]
fn own_functions_under_names_of_the_heaps_hide_nothing() {
    for musl in ["1.2.2", "1.2.3", "1.2.6"] {
        for flag in ["-g", "-x", "-s"] {
            let room = Room::with(NAMESAKES);
            link(&room, musl, true);
            room.run("strip", &[flag, "main"]);
            let (main, out) = (room.path("main"), room.path("out"));
            let said = succeed(brawn().args(["rewrite", &main, "-o", &out]));
            assert!(said.contains("heap functions"), "{musl} {flag}: {said}");
            assert_eq!(room.run(&out, &["said"]), "said\n", "{musl} {flag}");
        }
    }
}

#[test]
fn stripping_changes_nothing() {
    let room = Room::with(PROGRAM);
    let whole = link(&room, "1.2.3", true);
    room.run("strip", &["-s", "main"]);
    let stripped = fs::read(room.path("main")).expect("a program");
    let program = Program::read(&stripped).expect("a program");
    assert_eq!(program.functions().chain(program.objects()).count(), 0);
    assert_eq!(find(&stripped), find(&whole));
    assert!(find(&whole).function("__libc_malloc_impl").is_some());
}

#[test]
fn of_an_unknown_build_nothing_is_said_that_is_wrong() {
    for is_pie in [false, true] {
        let room = Room::with(PROGRAM);
        let (wrong, missing) = compare(&link(&room, "1.2.3-oldmalloc", is_pie));
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(
            missing.iter().any(|m| m.starts_with("free ")),
            "{missing:?}"
        );
    }
}

/// Not musl's: static glibc of several ages, Go, jemalloc beside glibc.
const OTHERS: [&str; 8] = [
    "corpus/esbuild-linux-x64-0.28.2.tgz!package/bin/esbuild",
    "corpus/esbuild-linux-arm64-0.28.2.tgz!package/bin/esbuild",
    "corpus/lefthook-linux-x64-2.2.2.tgz!package/bin/lefthook",
    "corpus/catatonit_0.1.7-1+b2_amd64/usr/bin/catatonit",
    "corpus/tini_0.19.0-1+b3_amd64/usr/bin/tini-static",
    "corpus/rescript-linux-x64-12.3.1.tgz!package/bin/ninja.exe",
    "corpus/protoc-bin-vendored-linux-x86_64-3.3.0.crate!protoc-bin-vendored-linux-x86_64-3.3.0/bin/protoc",
    "corpus/protoc-bin-vendored-linux-aarch_64-3.3.0.crate!protoc-bin-vendored-linux-aarch_64-3.3.0/bin/protoc",
];

#[test]
fn nothing_is_found_where_no_musl_is() {
    let mut found = Vec::new();
    let mut check = |what: &str, bytes: &[u8]| {
        let names = find(bytes);
        let all = names.functions.iter().chain(&names.objects);
        found.extend(all.map(|n| format!("{what}: {} at {:#x}", n.name, n.address)));
    };
    for other in OTHERS {
        check(other, &file(other));
    }
    let source = PROGRAM
        .replace("strlcpy", "strncpy")
        .replace("strlcat", "strncat");
    let jemalloc = Path::new(ROOT)
        .join("target/tools/corpus/libjemalloc-dev_5.3.0-1_amd64/usr/lib/x86_64-linux-gnu/libjemalloc.a")
        .display()
        .to_string();
    let builds: [(&str, &[&str]); 7] = [
        ("gcc", &["-static"]),
        ("gcc", &["-static-pie", "-fPIE", "-O3", "-fno-builtin"]),
        (
            "gcc",
            &[
                "-static",
                "-Os",
                "-fno-builtin",
                "-Wl,--gc-sections",
                "-ffunction-sections",
            ],
        ),
        ("g++", &["-static", "-fpermissive", "-x", "c++"]),
        (
            "gcc",
            &[
                "-static",
                "-fno-builtin",
                "-Wl,--whole-archive",
                &jemalloc,
                "-Wl,--no-whole-archive",
                "-lstdc++",
                "-lm",
            ],
        ),
        ("aarch64-linux-gnu-gcc", &["-static", "-fno-builtin"]),
        ("aarch64-linux-gnu-gcc", &["-static-pie", "-fPIE", "-O3"]),
    ];
    for (compiler, flags) in builds {
        let room = Room::with(&source);
        let mut arguments = vec!["-w", "-O2"];
        arguments.extend(flags.iter().take_while(|f| !f.starts_with("-Wl,--whole")));
        arguments.push("main.c");
        arguments.extend(flags.iter().skip_while(|f| !f.starts_with("-Wl,--whole")));
        arguments.extend(["-o", "main"]);
        room.run(compiler, &arguments);
        check(
            &format!("{compiler} {flags:?}"),
            &fs::read(room.path("main")).expect("a program"),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

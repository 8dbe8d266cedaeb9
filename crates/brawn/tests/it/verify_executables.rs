//! `brawn verify` on finished executables.

use crate::build::{Room, musl};
use crate::common::{MUSL, REFUSED, brawn, fail};
use crate::verify::patched;
use brawn_core::identify::PUBLIC;
use serde_json::Value;

const FINDING: i32 = 1;

/// What `verify --json` says of one executable, and its exit code.
fn look(room: &Room, name: &str) -> (Value, i32) {
    let mut command = brawn();
    let output = command
        .args(["verify", "--json", &room.path(name)])
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (json[0].clone(), output.status.code().unwrap())
}

/// The functions that a report gives to `provider`, those of libc beside heap and memory apart.
fn of(report: &Value, provider: &str) -> Vec<String> {
    let functions = report["functions"].as_array().expect("an array");
    let names = functions
        .iter()
        .filter(|f| f["provider"] == provider && f["group"] != "libc");
    names
        .map(|f| f["name"].as_str().unwrap().to_owned())
        .collect()
}

fn is_memory(name: &str) -> bool {
    brawn_core::identify::MEMORY.contains(&name)
}

/// Rust's code has another heap, by its own names, as with jemalloc's crate: musl's for C is replaced, and that is all
/// that there is to do.
const RUSTS: &str = "#include <stdlib.h>
#include <string.h>
static char pool[4096];
int _rjem_mallctl(void) { return pool[1]; }
void *_rjem_malloc(size_t n) { return n < sizeof pool ? pool : 0; }
int main(int argc, char **argv) {
    char *text = strdup(argv[0]), *other = _rjem_malloc(9);
    memcpy(other, text, 2);
    free(text);
    return _rjem_mallctl() == 1;
}
";

mod beside;
mod folded;

/// Calls every public function.
const ALL: &str = "#include <malloc.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    void *volatile p = malloc(argc * 100);
    p = realloc(p, argc * 200);
    free(p);
    p = calloc(argc, 5);
    p = memalign(64, argc);
    void *q;
    int wrong = posix_memalign(&q, 64, argc);
    p = valloc(argc);
    p = reallocarray(p, argc, 7);
    p = aligned_alloc(64, argc * 64);
    return wrong || !malloc_usable_size(p) || !strdup(argv[0]);
}
";

// Long because each form of one program is built, changed and looked at in turn.
#[test]
fn every_function_of_an_executable_has_a_provider() {
    let room = patched();
    room.write("main.c", ALL);
    let lib = format!("-L{}", room.path("lib"));
    let build = |more: &[&str], name: &str| {
        let mut arguments = vec!["-static", "-O1", "-fno-builtin", "-D_GNU_SOURCE"];
        arguments.extend(more);
        arguments.extend(["-o", name]);
        room.run("musl-gcc", &arguments);
    };
    build(&["main.c"], "stock");
    let (report, code) = look(&room, "stock");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("not-replaced"), FINDING)
    );
    assert_eq!(of(&report, "musl")[..10], *PUBLIC, "{report:#}");
    assert_eq!(of(&report, "brawn"), Vec::<String>::new());

    build(&[&lib, "main.c"], "patched");
    let (report, code) = look(&room, "patched");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("replaced"), 0),
        "{report:#}"
    );
    assert_eq!(of(&report, "brawn")[..10], *PUBLIC);
    assert_eq!(
        of(&report, "brawn")
            .iter()
            .filter(|n| !is_memory(n))
            .count(),
        18
    );
    assert_eq!(report["memory"], "brawn");
    assert_eq!(report["memory_note"]["component"], "memory");
    assert_eq!(report["note"]["profile"], "fast");
    let memcpy = report["functions"].as_array().unwrap();
    let memcpy = memcpy.iter().find(|f| f["name"] == "memcpy").unwrap();
    assert_eq!(
        (&memcpy["provider"], &memcpy["sure"]),
        (&"brawn".into(), &"certain".into())
    );

    // Position-independent code has other instructions in the places that linkers change, and this
    // linker drops what is not used.
    let object = room.link_args("cc");
    let [begin, crti, libc, crtn] = ["rcrt1.o", "crti.o", "libc.a", "crtn.o"].map(musl);
    build(&["-fPIE", "-c", "main.c"], "main.o");
    let gcc = crate::build::libgcc();
    for linker in ["ld.lld", "ld.bfd"] {
        room.run(
            linker,
            &[
                "-static",
                "-pie",
                "--no-dynamic-linker",
                "--gc-sections",
                "-z",
                "text",
                "-o",
                "pie",
                &begin,
                &crti,
                &object,
                "main.o",
                &libc,
                &gcc,
                &crtn,
            ],
        );
        let (report, code) = look(&room, "pie");
        assert_eq!(
            (report["verdict"].as_str(), code),
            (Some("replaced"), 0),
            "{report:#}"
        );
        assert_eq!(of(&report, "brawn")[..10], *PUBLIC, "{linker}");
    }

    // One function of its own, right before the payload's or right behind.
    room.write(
        "own.c",
        "#include <stdlib.h>\nvoid *memalign(size_t a, size_t n) { return aligned_alloc(a, n); }\n",
    );
    for inputs in [[&object, "own.c", "main.c"], ["main.c", "own.c", &object]] {
        build(&inputs, "own");
        let (report, code) = look(&room, "own");
        assert_eq!(
            (report["verdict"].as_str(), code),
            (Some("own"), FINDING),
            "{report:#}"
        );
        assert_eq!(of(&report, "own"), ["memalign"]);
        assert_eq!(
            of(&report, "musl")
                .iter()
                .filter(|n| PUBLIC.contains(&n.as_str()))
                .count(),
            0
        );
    }

    room.run("strip", &["-o", "stripped", "patched"]);
    let (report, code) = look(&room, "stripped");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("replaced"), 0),
        "{report:#}"
    );
    assert_eq!(report["sure"], "likely");
    let brawns = of(&report, "brawn");
    for name in ["malloc", "free", "calloc", "realloc", "aligned_alloc"] {
        assert!(brawns.iter().any(|b| b == name), "{name}: {report:#}");
    }
    // Without the note, too: the code is there.
    room.run(
        "objcopy",
        &["--remove-section=.note.brawn", "patched", "unnoted"],
    );
    let (report, _) = look(&room, "unnoted");
    assert_eq!(of(&report, "brawn")[..10], *PUBLIC, "{report:#}");
    // Of another version of brawn there is nothing to compare with: its note and its bindings count.
    let mut bytes = std::fs::read(room.path("patched")).unwrap();
    let source = bytes.windows(8).position(|w| w == b"\nsource=").unwrap() + 8;
    bytes[source] = if bytes[source] == b'0' { b'1' } else { b'0' };
    std::fs::write(room.path("other"), bytes).unwrap();
    let (report, code) = look(&room, "other");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("replaced"), 0),
        "{report:#}"
    );
    let functions = report["functions"].as_array().unwrap();
    let brawns = functions
        .iter()
        .filter(|f| f["provider"] == "brawn" && f["group"] == "heap");
    let sure: Vec<&Value> = brawns.map(|f| &f["sure"]).collect();
    assert_eq!(sure, ["likely"; 18]);
    room.run("strip", &["-o", "stripped", "stock"]);
    let (report, code) = look(&room, "stripped");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("not-replaced"), FINDING)
    );
    assert_eq!(report["sure"], "likely");

    room.write("none.c", "int main(void) { return 0; }\n");
    build(&["none.c"], "none");
    let (report, code) = look(&room, "none");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("no-heap"), 0),
        "{report:#}"
    );
}

/// Calls memory functions of every size, one of which is its own.
const MEMORY: &str = "#include <stdlib.h>
#include <string.h>
char *strrchr(const char *s, int c) {
    const char *found = 0;
    do if (*s == (char)c) found = s; while (*s++);
    return (char *)found;
}
int main(int argc, char **argv) {
    char text[100], *copy = malloc(argc * 100);
    memset(text, argc, 90);
    strcpy(text, argv[0]);
    memcpy(copy, text, 90);
    return !memchr(text, 0, 90) || memcmp(text, copy, argc) || strcmp(text, copy) || strncmp(text, copy, argc)
        || strnlen(text, 90) != strlen(copy) || !strrchr(text, '/');
}
";

/// A heap without a name, by musl's own names, too.
const NAMELESS: &str = "#include <stddef.h>
static char room[1 << 16], *next = room;
void *malloc(size_t n) { char *p = next; next += n + 15 & -16; return p; }
void free(void *p) {}
void *calloc(size_t m, size_t n) { return malloc(m * n); }
void *realloc(void *p, size_t n) { return malloc(n); }
void *aligned_alloc(size_t a, size_t n) { return malloc(n); }
size_t malloc_usable_size(void *p) { return 0; }
extern __typeof(malloc) __libc_malloc __attribute__((alias(\"malloc\")));
extern __typeof(free) __libc_free __attribute__((alias(\"free\")));
extern __typeof(calloc) __libc_calloc __attribute__((alias(\"calloc\")));
extern __typeof(realloc) __libc_realloc __attribute__((alias(\"realloc\")));
";

#[test]
fn musls_own_names_in_another_heap_are_not_musls() {
    let room = patched();
    room.write("main.c", ALL);
    room.write("nameless.c", NAMELESS);
    let line = ["-static", "-fno-builtin", "-D_GNU_SOURCE", "-o", "main"];
    room.run("musl-gcc", &[&line[..], &["main.c", "nameless.c"]].concat());
    let (report, code) = look(&room, "main");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("own"), FINDING),
        "{report:#}"
    );
    let own = of(&report, "own");
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let heap = ["aligned_alloc", "calloc", "free", "malloc"];
    let rest = ["malloc_usable_size", "realloc"];
    let private = ["calloc", "free", "malloc", "realloc"].map(|n| format!("__libc_{n}"));
    let private = private.each_ref().map(String::as_str);
    assert_eq!(own, [&heap[..], &rest, &private].concat(), "{report:#}");
}

#[test]
fn without_names_memory_functions_are_told_by_what_they_alone_have() {
    let room = patched();
    room.write("main.c", MEMORY);
    let lib = format!("-L{}", room.path("lib"));
    let line = ["-static", "-fno-builtin", "main.c", "-o", "main"];
    room.run("musl-gcc", &[&line[..], &[&lib]].concat());
    room.run("strip", &["-o", "stripped", "main"]);
    let (named, _) = look(&room, "main");
    let (told, code) = look(&room, "stripped");
    assert_eq!(code, 0, "{told:#}");
    let functions = |report: &Value| report["functions"].as_array().unwrap().clone();
    let named = functions(&named);
    for told in functions(&told) {
        let name = told["name"].as_str().unwrap();
        let named = named.iter().find(|f| f["name"] == name).expect(name);
        // Nothing else is taken for brawn's, and what is not there is not taken for anything.
        match told["provider"].as_str().unwrap() {
            "brawn" => {
                assert_eq!(named["provider"], "brawn", "{name}");
                assert_eq!(named["address"], told["address"], "{name}");
            }
            other => assert_eq!(other, "unknown", "{name}"),
        }
    }
    let brawns = of(&told, "brawn");
    for name in ["memchr", "memcmp", "memcpy", "memset", "strlen", "strncmp"] {
        assert!(brawns.iter().any(|b| b == name), "{name}: {told:#}");
    }
    let evidence = |name: &str| {
        let functions = functions(&told);
        let found = functions.iter().find(|f| f["name"] == name).unwrap();
        found["evidence"].as_str().unwrap().to_owned()
    };
    assert!(evidence("strncpy").contains("too short"));
    assert!(evidence("strstr").contains("not in the program"));
    // Of musl's own nothing is taken for brawn's, short or not.
    room.run("musl-gcc", &line);
    room.run("strip", &["main"]);
    let (stock, _) = look(&room, "main");
    assert_eq!(of(&stock, "brawn"), Vec::<String>::new(), "{stock:#}");
}

#[test]
fn without_a_note_the_profile_is_told_by_most_of_its_code() {
    let room = patched();
    room.write("main.c", ALL);
    let archive = room.path("lib/libc.a");
    for profile in ["fast", "secure", "lean"] {
        let patch = ["patch", "--profile", profile, &archive];
        brawn().args(patch).assert().success();
        let lib = format!("-L{}", room.path("lib"));
        let line = ["-static", "-fno-builtin", "-D_GNU_SOURCE", "main.c", &lib];
        room.run("musl-gcc", &[&line[..], &["-o", "main"]].concat());
        room.run("objcopy", &["--remove-section=.note.brawn", "main"]);
        let (report, code) = look(&room, "main");
        assert_eq!(code, 0, "{profile}: {report:#}");
        let heap = of(&report, "brawn");
        assert_eq!(heap.iter().filter(|n| !is_memory(n)).count(), 18);
        room.run("strip", &["main"]);
        let (report, _) = look(&room, "main");
        let heap = of(&report, "brawn");
        for name in ["malloc", "free", "calloc", "realloc", "aligned_alloc"] {
            assert!(heap.iter().any(|b| b == name), "{profile}: {report:#}");
        }
    }
}

#[test]
fn musls_heap_beside_brawns_is_mixed() {
    let room = Room::with(
        "#include <stdlib.h>\nvoid *plugin(void);\nint main(void) { free(malloc(10)); return !plugin(); }\n",
    );
    room.write(
        "plugin.c",
        "#include <stdlib.h>\nvoid *plugin(void) { free(malloc(40)); return malloc(50); }\n",
    );
    room.run("musl-gcc", &["-fno-builtin", "-c", "plugin.c"]);
    room.run("ld", &["-r", "-o", "whole.o", "plugin.o", &musl("libc.a")]);
    room.run("objcopy", &["--keep-global-symbol=plugin", "whole.o"]);
    let object = room.link_args("cc");
    room.run(
        "musl-gcc",
        &[
            "-static",
            "-fno-builtin",
            &object,
            "main.c",
            "whole.o",
            "-o",
            "main",
        ],
    );
    let (report, code) = look(&room, "main");
    assert_eq!(
        (report["verdict"].as_str(), code),
        (Some("mixed"), FINDING),
        "{report:#}"
    );
    let text = brawn()
        .args(["verify", &room.path("main")])
        .output()
        .unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.starts_with("mixed       "), "{text}");
    assert!(text.contains("\n            heap    brawn's    "), "{text}");
}

#[test]
fn what_is_no_static_musl_executable_is_refused() {
    let room = Room::new();
    let error = fail(brawn().args(["verify", MUSL]), REFUSED);
    assert!(
        error.contains("an archive; expected a static executable of musl"),
        "{error}"
    );
    let error = fail(brawn().args(["verify", "/bin/sh"]), REFUSED);
    assert!(
        error.contains("dynamic, linked with glibc; expected"),
        "{error}"
    );
    let text = room.write("text", "some text");
    let error = fail(brawn().args(["verify", &text]), REFUSED);
    assert!(
        error.contains("expected a static executable of musl"),
        "{error}"
    );
    fail(
        brawn().args(["verify", &room.path("nothing")]),
        crate::common::IO,
    );
}

/// Calls nothing but `malloc`: musl then links its simple heap, which has no tables to be told by.
const NEVER_FREES: &str = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char *p = malloc(argc * 100);
    sprintf(p, argv[0]);
    return puts(p) < 0;
}
";

#[test]
fn functions_of_a_stripped_program_are_told_by_their_code() {
    let room = Room::with(NEVER_FREES);
    for (source, name) in [(ALL, "all"), (NEVER_FREES, "never")] {
        let file = format!("{name}.c");
        room.write(&file, source);
        let flags = [
            "-static",
            "-s",
            "-O1",
            "-fno-builtin",
            "-D_GNU_SOURCE",
            &file,
        ];
        room.run("musl-gcc", &[&flags[..], &["-o", name]].concat());
    }
    let (report, code) = look(&room, "all");
    assert_eq!(
        (&report["has_symbols"], code),
        (&Value::Bool(false), FINDING)
    );
    let musls = of(&report, "musl");
    for name in [
        "malloc",
        "free",
        "realloc",
        "calloc",
        "__libc_malloc_impl",
        "memcpy",
    ] {
        assert!(musls.iter().any(|m| m == name), "{name}: {musls:?}");
    }
    let functions = report["functions"].as_array().expect("an array");
    let malloc = functions
        .iter()
        .find(|f| f["name"] == "malloc")
        .expect("listed");
    assert!(malloc["address"].is_u64(), "{malloc}");
    let (report, _) = look(&room, "never");
    assert_eq!(report["verdict"], "not-replaced", "{report}");
    let inspected = crate::build::inspect(&room.path("never"));
    assert_eq!(inspected["heap"], "musl simple malloc", "{inspected}");
    // Where nothing of musl's is left, brawn's is found as before.
    brawn()
        .args(["rewrite", &room.path("all")])
        .assert()
        .success();
    let (report, code) = look(&room, "all");
    assert_eq!(
        (&report["verdict"], code),
        (&Value::from("replaced"), 0),
        "{report}"
    );
}

#[test]
fn signatures_are_for_executables() {
    let said = fail(
        brawn().args(["verify", "--list", "--signatures", "mine.txt"]),
        2,
    );
    assert!(
        said.contains("`--signatures` without an executable"),
        "{said}"
    );
}

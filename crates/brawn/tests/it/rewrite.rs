//! `brawn rewrite`: what becomes of the file, and what other commands say of it.

use crate::build::{OWN_FAMILY, PROGRAM, Room, inspect, zig};
use crate::common::{MALFORMED, REFUSED, RESTORE_REFUSED, brawn, fail, names, ok, read, succeed};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// A room with the program `p`, linked by musl-gcc with these flags.
fn linked(flags: &str) -> Room {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &[&format!("-O1{flags} -static -o p main.c")]);
    room
}

fn rewrite(room: &Room, arguments: &[&str]) -> String {
    let path = room.path("p");
    succeed(brawn().arg("rewrite").arg(path).args(arguments))
}

fn refused(room: &Room, arguments: &[&str], words: &[&str]) {
    let old = read(Path::new(&room.path("p")));
    let text = fail(
        brawn().arg("rewrite").arg(room.path("p")).args(arguments),
        REFUSED,
    );
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(read(Path::new(&room.path("p"))) == old);
    assert!(!Path::new(&room.path("p.brawn.json")).exists());
}

/// The verdict of `verify`, and the functions that are brawn's.
fn verify(path: &str) -> (String, Vec<String>) {
    let output = brawn().args(["verify", "--json", path]).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let functions = json[0]["functions"].as_array().expect("an array");
    let brawns = functions.iter().filter(|f| f["provider"] == "brawn");
    let names = brawns.map(|f| f["name"].as_str().unwrap().to_owned());
    let verdict = json[0]["verdict"].as_str().unwrap();
    (verdict.to_owned(), names.collect())
}

fn holds_brawns(path: &str) {
    let report = inspect(path);
    assert_eq!(report["heap"], "brawn", "{report:#}");
    assert_eq!(report["verdict"], "fine", "{report:#}");
    assert_eq!(report["libc"], "musl", "{report:#}");
    assert_eq!(verify(path).0, "replaced", "{report:#}");
}

#[test]
fn a_program_is_rewritten_and_restored() {
    let room = linked("");
    let path = room.path("p");
    let old = read(Path::new(&path));
    let stat = fs::metadata(&path).unwrap();
    let text = rewrite(&room, &[]);
    for word in [
        "rewritten",
        "heap functions (profile fast)",
        "memory functions",
        "brawn restore ",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let new = read(Path::new(&path));
    assert!(new != old);
    assert_eq!(fs::metadata(&path).unwrap().mode(), stat.mode());
    room.succeeds("p");
    holds_brawns(&path);
    let (_, functions) = verify(&path);
    for name in ["malloc", "free", "realloc", "strlen", "memcpy"] {
        assert!(functions.iter().any(|f| f == name), "{name}: {functions:?}");
    }
    assert!(rewrite(&room, &[]).starts_with("unchanged"));
    assert!(read(Path::new(&path)) == new);
    let text = succeed(brawn().args(["restore", &path]));
    assert!(text.starts_with("restored"), "{text}");
    assert!(read(Path::new(&path)) == old);
    assert_eq!(names(Path::new(&path).parent().unwrap()), ["main.c", "p"]);
    // The same bytes each time.
    rewrite(&room, &[]);
    assert!(read(Path::new(&path)) == new);
}

#[test]
fn a_plan_is_shown_and_nothing_written() {
    let room = linked("");
    let old = read(Path::new(&room.path("p")));
    assert!(!rewrite(&room, &["-n"]).contains("0x"));
    let text = rewrite(&room, &["--dry-run", "-v"]);
    for word in [
        "would do",
        "malloc",
        "memcpy",
        "bytes of code",
        "brawn_attach_start",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let json: Value = serde_json::from_str(&rewrite(&room, &["-n", "--json"])).expect("JSON");
    assert_eq!(json["status"], "planned");
    let functions = json["plan"]["functions"].as_array().unwrap();
    assert!(functions.iter().any(|f| f["name"] == "malloc"), "{json:#}");
    assert!(read(Path::new(&room.path("p"))) == old);
    assert_eq!(
        names(Path::new(&room.path("p")).parent().unwrap()),
        ["main.c", "p"]
    );
}

#[test]
fn another_file_gets_what_was_rewritten() {
    let room = linked("");
    let old = read(Path::new(&room.path("p")));
    let out = room.path("out");
    let text = rewrite(&room, &["-o", &out]);
    assert!(text.contains("written to"), "{text}");
    assert!(read(Path::new(&room.path("p"))) == old);
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, 0o755);
    room.succeeds("out");
    holds_brawns(&out);
    // Alone it is what it is: there is nothing to do, and nothing to restore.
    let text = succeed(brawn().args(["rewrite", &out]));
    assert!(text.starts_with("unchanged"), "{text}");
    fail(brawn().args(["restore", &out]), RESTORE_REFUSED);
}

#[test]
fn profiles_and_parts_are_made_from_the_original() {
    let room = linked("");
    let path = room.path("p");
    let old = read(Path::new(&path));
    let profile = || inspect(&path)["heaps"][0]["note"]["profile"].clone();
    rewrite(&room, &["--only", "memory"]);
    assert_eq!(inspect(&path)["heap"], "musl mallocng");
    room.succeeds("p");
    // Without a choice it keeps what it has; a choice is made from the original.
    let text = rewrite(&room, &[]);
    assert!(text.contains("keeps the parts"), "{text}");
    let text = rewrite(&room, &["--only", "heap,memory", "--profile", "secure"]);
    assert!(text.starts_with("upgraded"), "{text}");
    holds_brawns(&path);
    let report = inspect(&path);
    assert_eq!(
        (profile(), &report["memory"]),
        ("secure".into(), &"brawn".into())
    );
    room.succeeds("p");
    assert!(
        rewrite(&room, &["--only", "heap,memory"]).starts_with("unchanged"),
        "the profile stays"
    );
    rewrite(&room, &["--profile", "lean"]);
    assert_eq!(profile(), "lean");
    room.succeeds("p");
    succeed(brawn().args(["restore", &path]));
    assert!(read(Path::new(&path)) == old);
}

#[test]
fn what_was_rewritten_elsewhere_is_never_kept_as_an_original() {
    let room = linked("");
    let (path, half) = (room.path("p"), room.path("half"));
    let old = read(Path::new(&path));
    rewrite(&room, &["--only", "memory", "-o", &half]);
    rewrite(&room, &[]);
    fs::copy(&half, &path).unwrap();
    let text = fail(brawn().args(["rewrite", &path]), REFUSED);
    assert!(text.contains("put the original back"), "{text}");
    assert!(read(Path::new(&room.path("p.brawn-original"))) == old);
    assert!(read(Path::new(&path)) == read(Path::new(&half)));
}

#[test]
fn it_stays_rewritten_when_it_is_stripped() {
    for (flags, tool) in [("", "strip"), (" -g", "strip"), (" -g", "llvm-strip")] {
        let room = linked(flags);
        rewrite(&room, &["-o", &room.path("out")]);
        room.run(tool, &["-o", "stripped", "out"]);
        room.succeeds("stripped");
        let path = room.path("stripped");
        holds_brawns(&path);
        let text = succeed(brawn().args(["rewrite", &path]));
        assert!(text.starts_with("unchanged"), "{text}");
        room.run("objcopy", &["--only-keep-debug", "out", "out.debug"]);
    }
}

#[test]
fn without_local_symbols_or_without_any_it_is_the_same_program() {
    let room = linked("");
    let functions = |flag: &str| {
        room.run("strip", &[flag, "-o", "less", "p"]);
        let (less, out) = (room.path("less"), room.path("out"));
        let json = succeed(brawn().args(["rewrite", "--json", &less, "-o", &out]));
        let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        room.succeeds("out");
        let heap = room.inspect("less")["heap"].clone();
        assert_eq!(heap, "musl mallocng", "{flag}");
        let functions = report["plan"]["functions"].as_array().expect("functions");
        let functions = functions.iter().filter(|f| f["component"] == "heap");
        functions.map(|f| f["address"].clone()).collect::<Vec<_>>()
    };
    let all = functions("-s");
    assert_eq!(functions("-x"), all);
    assert_eq!(functions("-g"), all);
}

#[test]
fn what_the_kernel_trusts_is_refused_in_place() {
    let room = linked("");
    let path = room.path("p");
    for (mode, word) in [(0o4755, "setuid"), (0o2755, "setgid")] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        refused(&room, &[], &[word, "to another file"]);
        refused(&room, &["-n"], &[word]);
    }
    let out = room.path("out");
    rewrite(&room, &["-o", &out]);
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, 0o755);
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    ok("setcap", &["cap_net_raw=ep", &path]);
    refused(&room, &[], &["file capabilities"]);
    rewrite(&room, &["-o", &out]);
    assert_eq!(ok("getcap", &[&out]), "");
    ok("setcap", &["-r", &path]);
    // As `evmctl ima_hash` writes it: a digest of SHA-256.
    let digest: Vec<u8> = [4u8, 4].into_iter().chain([7; 32]).collect();
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&path, "security.ima", &digest, flags).unwrap();
    refused(&room, &[], &["signature", "security.ima"]);
    rewrite(&room, &["-o", &out]);
}

#[test]
fn what_is_no_static_program_of_musls_is_refused() {
    let room = Room::with(PROGRAM);
    room.run("gcc", &["-o p main.c"]);
    refused(
        &room,
        &[],
        &[
            "dynamic",
            "linked with glibc: brawn rewrites static musl programs",
        ],
    );
    room.run("gcc", &["-static -o p main.c"]);
    refused(&room, &[], &["musl"]);
    room.run("musl-gcc", &["-o p main.c"]);
    refused(&room, &[], &["dynamic", "`brawn preload -- PROGRAM`"]);
    room.run("musl-gcc", &["-Wl,-I/lib/ld-other.so.1 -o p main.c"]);
    refused(&room, &[], &["dynamic", "by LD_PRELOAD"]);
    room.write("p", "!<arch>\n");
    refused(&room, &[], &["an archive", "`brawn patch`"]);
    room.write("p", "PK\x03\x04");
    refused(&room, &[], &["a package", "unpack"]);
    room.write("p", "#!/bin/sh\n");
    refused(&room, &[], &["a script"]);
    room.write("p", "some text");
    refused(&room, &[], &["not an ELF file"]);
    room.run("musl-gcc", &["-c -o p main.c"]);
    refused(&room, &[], &["an object file"]);
    let whole = linked("");
    let bytes = read(Path::new(&whole.path("p")));
    fs::write(whole.path("p"), &bytes[..bytes.len() / 3]).unwrap();
    fail(brawn().args(["rewrite", &whole.path("p")]), MALFORMED);
}

#[test]
fn a_heap_of_the_programs_own_is_refused() {
    let room = Room::with(OWN_FAMILY);
    room.run("musl-gcc", &["-static -O1 -o p main.c"]);
    refused(&room, &[], &["malloc", "--only memory"]);
    rewrite(&room, &["--only", "memory"]);
    room.succeeds("p");
    assert_eq!(inspect(&room.path("p"))["memory"], "brawn");
}

/// Starts without a libc, so that nothing of musl's comes along but what it asks for.
const BARE: &str = "extern int *__errno_location(void);
extern int getpagesize(void);
int main(void) { return getpagesize() < *__errno_location(); }
";

#[test]
fn what_has_nothing_to_replace_is_refused_and_no_part_recommended() {
    let room = Room::with(BARE);
    room.run("musl-gcc", &["-static -O1 -fno-builtin -o whole main.c"]);
    // The one that the start has is a function without a name then.
    let nameless = "-w -N *mem* -N *str* -N *stp* whole p";
    room.run("objcopy", &[nameless]);
    room.succeeds("p");
    let nothing = "nothing to replace";
    for flags in [&[][..], &["--only", "memory"], &["--only", "heap"]] {
        refused(&room, flags, &[nothing]);
        refused(&room, &[flags, &["--force"]].concat(), &[nothing]);
        refused(&room, &[flags, &["-n", "--json"]].concat(), &[]);
        let out = room.path("out");
        refused(
            &room,
            &[flags, &["--force", "-o", &out]].concat(),
            &[nothing],
        );
        assert!(!Path::new(&out).exists());
    }
    let image = ["--rewrite", "-o", "image.tar"];
    let text = fail(
        brawn().arg("image").arg(room.path("p")).args(image),
        REFUSED,
    );
    assert!(text.contains(nothing), "{text}");
    let text = fail(brawn().arg("run").arg(room.path("p")), 126);
    assert!(text.contains(nothing), "{text}");
    // A heap of its own, and no memory functions: the rest is nothing, too.
    room.write("main.c", OWN_FAMILY);
    room.run("musl-gcc", &["-static -O1 -o whole main.c"]);
    room.run("objcopy", &[nameless]);
    let text = fail(brawn().arg("rewrite").arg(room.path("p")), REFUSED);
    assert!(!text.contains("--only"), "{text}");
    assert!(text.contains("`malloc` is the program's own"), "{text}");
    refused(&room, &["--only", "memory"], &[nothing]);
}

/// Names as their authors wrote them; in `--json` functions have their symbols.
#[test]
fn functions_of_the_program_are_named_as_in_its_source() {
    let room = Room::new();
    room.write(
        "main.cc",
        "extern \"C\" void *malloc(unsigned long); extern \"C\" char __malloc_context[];
        namespace app { struct Pool { char *look(int); }; }
        char *app::Pool::look(int n) { return __malloc_context + n; }
        int main(int c, char **) { app::Pool p; return !malloc(c) || !p.look(c); }\n",
    );
    // musl's own name is hidden, and the linker lets nobody else have it.
    let libc = crate::build::musl("libc.a");
    room.run(
        "objcopy",
        &["--globalize-symbol=__malloc_context", &libc, "libc.a"],
    );
    room.run("gcc", &["-O1 -c -fno-exceptions main.cc -fno-pie"]);
    room.run("musl-gcc", &["-static -no-pie -L. -o p main.o"]);
    refused(
        &room,
        &[],
        &["`app::Pool::look` uses the state of musl's heap"],
    );
}

#[test]
fn a_program_that_was_linked_with_brawns_heap_has_it_already() {
    let room = Room::with(PROGRAM);
    let line = room.link_args("cc");
    room.run("musl-gcc", &["-static -O1 -o p main.c", &line]);
    assert!(rewrite(&room, &[]).starts_with("unchanged"));
}

#[test]
fn the_file_may_have_changed_since() {
    let room = linked("");
    let path = room.path("p");
    rewrite(&room, &[]);
    // A new build in its place.
    room.run("musl-gcc", &["-static -O2 -o p main.c"]);
    let new = read(Path::new(&path));
    fail(brawn().args(["restore", &path]), RESTORE_REFUSED);
    let text = rewrite(&room, &[]);
    assert!(text.starts_with("rewritten"), "{text}");
    succeed(brawn().args(["restore", &path]));
    assert!(read(Path::new(&path)) == new);
}

/// C++ with exceptions, threads and forks.
const CXX: &str = r#"#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>
thread_local std::string mine = "thread";
static long work(int seed) {
    std::map<std::string, std::vector<int>> all;
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
        all[mine + std::to_string(i % 97 + seed)].push_back(i);
        try {
            if (i % 3 == 0) throw std::runtime_error(std::to_string(i));
        } catch (const std::exception &e) {
            sum += std::stol(e.what());
        }
    }
    mine += "!";
    return sum + (long)all.size() + (long)mine.size();
}
int main() {
    for (int round = 0; round < 20; round++) {
        std::vector<std::thread> threads;
        std::vector<long> sums(4);
        for (int t = 0; t < 4; t++) threads.emplace_back([&, t] { sums[t] = work(t); });
#ifdef ALONE
        for (auto &t : threads) t.join();
#endif
        pid_t pid = fork();
        if (!pid) {
            alarm(200);
            _exit(work(1) != 666437);
        }
        int status = -1;
        waitpid(pid, &status, 0);
#ifndef ALONE
        for (auto &t : threads) t.join();
#endif
        for (long s : sums) if (s != 666437 || status) { printf("%ld %d\n", s, status); return 1; }
    }
    return 0;
}
"#;

#[test]
fn cxx_with_exceptions_threads_and_forks() {
    let room = Room::new();
    room.write("main.cc", CXX);
    // qemu-user 7.2 may hang in the child of a process with several threads, with stock musl as well.
    for (target, forks) in [("x86_64", ""), ("aarch64", " -DALONE")] {
        let flags = format!("c++ -target {target}-linux-musl{forks} -O1 -o p main.cc");
        room.run(&zig(), &[&flags]);
        let emulator = match target {
            "x86_64" => "env",
            _ => "qemu-aarch64",
        };
        ok(emulator, &[&room.path("p")]);
        rewrite(&room, &[]);
        ok(emulator, &[&room.path("p")]);
        room.run("llvm-strip", &["p"]);
        ok(emulator, &[&room.path("p")]);
        holds_brawns(&room.path("p"));
        for name in ["p.brawn-original", "p.brawn.json"] {
            fs::remove_file(room.path(name)).unwrap();
        }
    }
}

/// Stops in the first system call of `malloc` for memory.
const GDB: &str = "break main
run
catch syscall mmap
catch syscall brk
continue
backtrace
";

#[test]
fn gdb_goes_from_the_heap_back_to_main() {
    let room = Room::with("#include <stdlib.h>\nint main(void) { return !malloc(5); }\n");
    room.run("musl-gcc", &["-g -O1 -fno-builtin -static -o p main.c"]);
    room.write("script", GDB);
    rewrite(&room, &["-o", &room.path("out")]);
    let text = room.run("gdb", &["-nx -batch -x script out"]);
    let frames: Vec<&str> = text.lines().filter(|l| l.starts_with('#')).collect();
    // `malloc` itself goes on to another function by a jump.
    let heap = frames.iter().filter(|f| f.contains("mi_")).count();
    assert!(heap > 2, "{text}");
    let main = frames.iter().position(|f| f.contains(" in main ("));
    assert!(main.is_some_and(|main| main > heap), "{text}");
    assert!(frames.iter().all(|f| !f.contains("?? ()")), "{text}");
}

/// A directory for programs that take much room.
fn big(megabytes: usize) -> (Room, PathBuf) {
    let room = Room::with(PROGRAM);
    let bytes: Vec<u8> = (0..megabytes << 19)
        .map(|i| (i * 7 + (i >> 12)) as u8)
        .collect();
    fs::write(room.path("filler"), &bytes).unwrap();
    room.write(
        "filler.s",
        ".text\n.incbin \"filler\"\n.data\n.incbin \"filler\"\n.section .note.GNU-stack, \"\", @progbits\n",
    );
    room.run("musl-gcc", &["-static -O1 -o p main.c filler.s"]);
    let path = room.path("p").into();
    (room, path)
}

#[test]
fn a_large_program_stands_in_memory_once_or_twice() {
    let (room, path) = big(32);
    let size = fs::metadata(&path).unwrap().len();
    // Twice the file, and what brawn itself takes.
    let limit = format!("--as={}", 2 * size + crate::common::brawn_mapped());
    let own = crate::common::brawn_path();
    ok("prlimit", &[&limit, own, "rewrite", path.to_str().unwrap()]);
    room.succeeds("p");
    ok("prlimit", &[&limit, own, "restore", path.to_str().unwrap()]);
}

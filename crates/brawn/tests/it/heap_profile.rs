//! `brawn run --heap-profile` and `brawn heap-profile`: who asked for how much is told, by every way into the heap, and the
//! program is the program all the same.  `heap_profile/routes.rs` has the routes by which a program gets the
//! profile, `heap_profile/processes.rs` those that have children.

use crate::build::{Room, zig};
use crate::common::{brawn, brawn_path};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

mod processes;
mod routes;

/// Asks by each of the heap's functions, from functions that nothing is inlined into, 20,000 times.
pub const DEEP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define OWN __attribute__((noinline)) char *
static volatile int after;
OWN by_malloc(size_t n) { char *p = malloc(n); after++; return p; }
OWN by_calloc(size_t n) { char *p = calloc(1, n); after += p[0] + p[n - 1]; return p; }
OWN by_posix_memalign(size_t n) { void *p = 0; after += posix_memalign(&p, 64, n); return p; }
OWN by_aligned_alloc(size_t n) { char *p = aligned_alloc(256, n); after++; return p; }
OWN by_realloc(char *q, size_t n) { char *p = realloc(q, n); after++; return p; }
OWN by_reallocarray(size_t n) { char *p = reallocarray(0, n, 1); after++; return p; }
__attribute__((noinline)) void caller(int depth) {
    if (depth > 0) {
        caller(depth - 1);
        after++;
        return;
    }
    char *all[] = {by_malloc(1000), by_calloc(1000), by_posix_memalign(1000), by_aligned_alloc(1024), by_realloc(0, 1000),
        by_reallocarray(1000)};
    memset(all[0], 1, 1000);
    all[0] = by_realloc(all[0], 2000);
    if (all[0][999] != 1) abort();
    for (int i = 0; i < 6; i++) free(all[i]);
}
int main(int argc, char **argv) {
    if (argc > 1) for (int fd = 0; fd < 100; fd++) close(fd);
    for (int i = 0; i < 20000; i++) caller(4);
    puts("done");
    return argc > 1 ? 0 : 7;
}
"#;

const WAYS: [&str; 6] = [
    "by_malloc",
    "by_calloc",
    "by_posix_memalign",
    "by_aligned_alloc",
    "by_realloc",
    "by_reallocarray",
];

/// Room for the source, and a cache of its own.
fn room() -> Room {
    let room = Room::with(DEEP);
    room.run("musl-gcc", &["-static -O2 -o deep main.c"]);
    room
}

fn run(room: &Room, arguments: &[&str]) -> Output {
    let mut command = brawn();
    command.env("XDG_CACHE_HOME", room.path("cache"));
    command.current_dir(room.path(".")).args(arguments);
    command.output().unwrap()
}

/// Runs a program of [`DEEP`], which records, and holds that all is told.
pub fn records(room: &Room, program: &str) {
    let recording = format!("{program}.heap");
    let mut command = Command::new(room.path(program));
    let options = format!("heap_interval=32768,heap_profile={recording}");
    command
        .current_dir(room.path("."))
        .env("BRAWN_OPTIONS", options);
    assert_eq!(command.output().unwrap().status.code(), Some(7));
    is_right(&figures(room, &recording));
}

pub fn figures(room: &Room, recording: &str) -> Value {
    figures_below(room, recording, "/")
}

/// The same, where the program's files are below `root`.
fn figures_below(room: &Room, recording: &str, root: &str) -> Value {
    let own = ["heap-profile", recording, "--root", root];
    let output = run(
        room,
        &[&own[..], &["--export-json", "figures.json"]].concat(),
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&std::fs::read(room.path("figures.json")).unwrap()).unwrap()
}

/// What each stack with that function on it asked for, in bytes, and the names of the frames of the largest.
pub fn asked(figures: &Value, function: &str) -> (f64, Vec<String>) {
    let name = |frame: &Value| {
        let frame = &figures["frames"][frame.as_u64().unwrap() as usize];
        frame["function"].as_str().unwrap().to_owned()
    };
    let mut sum = 0.0;
    let mut largest = (0.0, Vec::new());
    for stack in figures["stacks"].as_array().unwrap() {
        let names: Vec<String> = stack["frames"]
            .as_array()
            .unwrap()
            .iter()
            .map(name)
            .collect();
        if names.iter().any(|name| name == function) {
            let bytes = stack["asked"]["bytes"].as_f64().unwrap();
            sum += bytes;
            if bytes > largest.0 {
                largest = (bytes, names);
            }
        }
    }
    (sum, largest.1)
}

/// Each way asked for 20 MB; `by_realloc` for 60.  There is a sample for each 32 KiB, so that a sum is right to
/// some hundredths: a wrong one is off by a half and more.
pub fn is_right(figures: &Value) {
    for way in WAYS {
        let (bytes, names) = asked(figures, way);
        let expected = if way == "by_realloc" { 60e6 } else { 20e6 };
        assert!(
            (bytes / expected - 1.0).abs() < 0.3,
            "{way}: {bytes} of {expected}"
        );
        let callers: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| *name == "caller")
            .collect();
        assert_eq!(callers.len(), 5, "{names:?}");
        assert!(names.iter().any(|name| name == "main"), "{names:?}");
    }
}

#[test]
fn a_program_that_is_run_is_recorded_and_exits_as_it_would() {
    let room = room();
    let output = run(
        &room,
        &[
            "run",
            "--heap-interval",
            "32768",
            "--heap-profile",
            "heap.pb.gz",
            "./deep",
        ],
    );
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("at its peak") && said.contains("heap.html for the browser"),
        "{said}"
    );
    let page = std::fs::read_to_string(room.path("heap.html")).unwrap();
    assert!(
        page.contains("by_posix_memalign") && !page.contains("<script"),
        "{page}"
    );
    let gzip = std::fs::read(room.path("heap.pb.gz")).unwrap();
    let mut message = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*gzip), &mut message).unwrap();
    for name in WAYS.into_iter().chain(["peak_space", "main"]) {
        assert!(
            memchr::memmem::find(&message, name.as_bytes()).is_some(),
            "{name}"
        );
    }
}

#[test]
fn every_way_to_ask_is_told_with_its_callers() {
    let room = room();
    let objects = room.run(brawn_path(), &["link-args --profile trace"]);
    room.run(
        "musl-gcc",
        &["-static -O2 -o linked main.c", objects.trim()],
    );
    let rewritten = run(
        &room,
        &["rewrite", "--profile", "trace", "deep", "-o", "rewritten"],
    );
    assert!(rewritten.status.success());
    for program in ["linked", "rewritten"] {
        records(&room, program);
    }
}

#[test]
fn a_program_for_aarch64_is_told_as_well() {
    let room = room();
    let objects = room.run(brawn_path(), &["link-args --profile trace --arch aarch64"]);
    room.run(
        &zig(),
        &[
            "cc -target aarch64-linux-musl -static -O2 -o arm main.c",
            objects.trim(),
        ],
    );
    let mut command = Command::new("qemu-aarch64");
    command.current_dir(room.path(".")).arg("./arm");
    command.env("BRAWN_OPTIONS", "heap_interval=32768,heap_profile=arm.heap");
    assert_eq!(command.output().unwrap().status.code(), Some(7));
    is_right(&figures(&room, "arm.heap"));
}

/// Its functions are told apart, by where they begin.
#[test]
fn a_stripped_program_has_no_names_and_the_same_stacks() {
    let room = room();
    room.run("strip", &["deep -o bare"]);
    run(
        &room,
        &["rewrite", "--profile", "trace", "bare", "-o", "rewritten"],
    );
    let mut command = Command::new(room.path("rewritten"));
    command.current_dir(room.path(".")).env(
        "BRAWN_OPTIONS",
        "heap_interval=32768,heap_profile=bare.heap",
    );
    assert_eq!(command.output().unwrap().status.code(), Some(7));
    let figures = figures(&room, "bare.heap");
    let symbols = room.run("nm", &["deep"]);
    let address = |name: &str| {
        let line = symbols
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")))
            .unwrap();
        u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
    };
    for way in WAYS {
        let name = format!("function at {:#x}", address(way));
        let (bytes, names) = asked(&figures, &name);
        assert!(bytes > 10e6, "{way}: {bytes}, {:?}", figures["frames"]);
        assert!(
            names.contains(&format!("function at {:#x}", address("main"))),
            "{names:?}"
        );
    }
}

/// It may not be harmed: its numbers of files are its own, other files stay as they are, and a full disk is no reason to end.
#[test]
fn what_cannot_be_recorded_harms_neither_the_program_nor_a_file() {
    let room = room();
    run(
        &room,
        &["rewrite", "--profile", "trace", "deep", "-o", "deep.trace"],
    );
    let program = room.path("deep.trace");
    let record = |path: &str, arguments: &[&str]| {
        let mut command = Command::new(&program);
        let options = format!("heap_interval=4096,heap_profile={path}");
        command
            .args(arguments)
            .env("BRAWN_OPTIONS", options)
            .output()
            .unwrap()
            .status
            .code()
    };
    // All descriptors closed in the middle: the recording goes on.
    let closed = room.path("closed.heap");
    assert_eq!(record(&closed, &["close"]), Some(0));
    assert!(figures(&room, "closed.heap")["samples"].as_u64().unwrap() > 1000);
    // Somebody's file, a link to one, a directory that is not there.
    room.write("letter", "dear brawn");
    symlink(room.path("letter"), room.path("link")).unwrap();
    for path in [
        room.path("letter"),
        room.path("link"),
        room.path("none/there"),
    ] {
        assert_eq!(record(&path, &[]), Some(7));
    }
    assert_eq!(
        std::fs::read_to_string(room.path("letter")).unwrap(),
        "dear brawn"
    );
    assert!(!Path::new(&room.path("none")).exists());
    // A limit on files, and a disk with room for two of three parts.
    let limited = format!(
        "ulimit -f 300; BRAWN_OPTIONS=heap_interval=4096,heap_profile={} {program}",
        room.path("limit.heap")
    );
    let full = "mount -t tmpfs -o size=600k none full && BRAWN_OPTIONS=heap_interval=4096,heap_profile=full/heap ./deep.trace; \
                code=$?; cp full/heap full.heap; exit $code";
    std::fs::create_dir(room.path("full")).unwrap();
    for (line, recording) in [(limited.as_str(), "limit.heap"), (full, "full.heap")] {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "bash", "-c", line])
            .current_dir(room.path("."));
        let output = command.output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(7),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let figures = figures(&room, recording);
        let (samples, lost) = (
            figures["samples"].as_u64().unwrap(),
            figures["lost"].as_u64().unwrap(),
        );
        assert!(samples > 0 && lost > 100, "{recording}: {samples}, {lost}");
    }
}

/// A sampled block of 1,000 bytes has a page of its own, of which nothing can go back to the kernel while it waits.
#[test]
fn a_mapping_of_one_page_is_not_purged_without_end() {
    let room = Room::with(
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { SMALL = 16, LARGE = 64, AGAIN = 48, SIZE = 2000000 };
static char *small[SMALL], *large[LARGE];
static void take(int count) { for (int i = 0; i < count; i++) large[i] = memset(malloc(SIZE), 1, SIZE); }
static void give(int count) { for (int i = 0; i < count; i++) free(large[i]); }
int main(void) {
    for (int i = 0; i < SMALL; i++) small[i] = malloc(1000);
    take(LARGE);
    give(LARGE);
    take(AGAIN);
    for (int i = 0; i < SMALL; i++) free(small[i]);
    give(AGAIN);
    return puts("done") < 0;
}
"#,
    );
    room.run("musl-gcc", &["-static -O2 -o waits main.c"]);
    run(
        &room,
        &[
            "rewrite",
            "--profile",
            "trace",
            "waits",
            "-o",
            "waits.trace",
        ],
    );
    let mut command = Command::new("timeout");
    command.args(["60", "./waits.trace"]);
    command.env("BRAWN_OPTIONS", "heap_interval=16,heap_profile=waits.heap");
    let output = command.current_dir(room.path(".")).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

/// What lies behind a stack is a neighbour's, who takes it away when he ends: nothing is copied from there.
#[test]
fn threads_that_end_beside_others_do_no_harm() {
    let room = Room::with(
        r#"
#include <pthread.h>
#include <stdlib.h>
static volatile int after;
__attribute__((noinline)) void in_thread(void) { free(malloc(1000)); after++; }
static void *work(void *more) {
    pthread_t next;
    for (int i = 0; i < 50; i++) in_thread();
    if (more) {
        if (pthread_create(&next, 0, work, (char *)more - 1)) abort();
        pthread_detach(next);
    }
    for (int i = 0; i < 50; i++) in_thread();
    return 0;
}
int main(void) {
    pthread_t threads[2];
    for (int n = 0; n < 100; n++) {
        for (int i = 0; i < 2; i++) if (pthread_create(&threads[i], 0, work, (void *)20)) abort();
        for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    }
    return 0;
}
"#,
    );
    room.run("musl-gcc", &["-static -O2 -fno-builtin -o ends main.c"]);
    run(&room, &["rewrite", "--profile", "trace", "ends"]);
    let mut command = Command::new(room.path("ends"));
    command
        .current_dir(room.path("."))
        .env("BRAWN_OPTIONS", "heap_interval=4096,heap_profile=ends.heap");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let (bytes, _) = asked(&figures(&room, "ends.heap"), "in_thread");
    assert!(bytes > 200e6, "{bytes}");
}

/// A coroutine's stack ends where nobody knows, here at a guard page shortly below the thread's own structure.
#[test]
fn coroutines_are_recorded_no_farther_than_their_stacks() {
    let room = Room::with(
        r#"
#include <stdlib.h>
#include <sys/mman.h>
static __thread volatile char large[4096]; /* too much for the place that musl has for thread-locals: it maps them */
__attribute__((noinline)) void in_coroutine(void) { for (int i = 0; i < 500; i++) free(malloc(10000)); }
__attribute__((noinline)) static void on_stack(char *top) {
#ifdef __x86_64__
    void (*call)(void) = in_coroutine;
    __asm__ volatile("movq %%rsp, %%rbx\n movq %0, %%rsp\n call *%1\n movq %%rbx, %%rsp" : "+S"(top), "+D"(call)
        :: "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc", "memory");
#else
    __asm__ volatile("mov x19, sp\n mov sp, %0\n blr %1\n mov sp, x19" ::"r"(top), "r"(in_coroutine)
        : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19",
        "x30", "cc", "memory");
#endif
}
int main(void) {
    enum { STACKS = 6, SIZE = 12288, GUARD = 4096 };
    char *stacks[STACKS];
    large[1] = 1;
    for (int i = 0; i < STACKS; i++) {
        stacks[i] = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mprotect(stacks[i], GUARD, PROT_NONE)) abort();
    }
    for (int i = 0; i < STACKS; i++) on_stack(stacks[i] + SIZE);
    /* Or in the first stack itself. */
    char inside[4 * GUARD] __attribute__((aligned(GUARD)));
    if (mprotect(inside + 2 * GUARD, GUARD, PROT_NONE)) abort();
    on_stack(inside + 2 * GUARD);
    return mprotect(inside, sizeof inside, PROT_READ | PROT_WRITE);
}
"#,
    );
    room.run("musl-gcc", &["-static -O2 -fno-builtin -o stacks main.c"]);
    run(&room, &["rewrite", "--profile", "trace", "stacks"]);
    let mut command = Command::new(room.path("stacks"));
    command.current_dir(room.path(".")).env(
        "BRAWN_OPTIONS",
        "heap_interval=4096,heap_profile=stacks.heap",
    );
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let (bytes, _) = asked(&figures(&room, "stacks.heap"), "in_coroutine");
    assert!(bytes > 20e6, "{bytes}");
}

#[test]
fn what_is_no_recording_is_refused_in_words() {
    let room = room();
    for (name, text, code, says) in [
        ("empty", "", 3, "not a recording of a heap"),
        (
            "other",
            "hello, this is a text of more than sixteen bytes",
            3,
            "not a recording of a heap",
        ),
        ("short", "brawn heap trace", 4, "version 0"),
    ] {
        room.write(name, text);
        let output = run(&room, &["heap-profile", name]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says), "{said}");
    }
    assert_eq!(run(&room, &["heap-profile", "none"]).status.code(), Some(5));
    let own = run(
        &room,
        &["run", "--heap-profile", "x", "--or-plain", "./deep"],
    );
    assert_eq!(own.status.code(), Some(125));
}

#[test]
fn a_profile_does_not_replace_its_program() {
    let room = room();
    let before = std::fs::read(room.path("deep")).unwrap();
    for file in ["deep", "./deep"] {
        let output = run(&room, &["run", "--heap-profile", file, "./deep"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{said}");
        assert!(said.contains("would be lost"), "{said}");
    }
    assert!(std::fs::read(room.path("deep")).unwrap() == before);
}

//! `brawn verify`: toolchains that are in order, broken and no toolchain at all.

use crate::build::{Room, zig};
use crate::common::{MUSL, REFUSED, brawn, brawn_path, fail, names, ok, succeed};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

const FINDING: i32 = 1;
const USAGE: i32 = 2;

/// A room with a directory of musl's libraries whose libc.a is patched.
pub fn patched() -> Room {
    let room = Room::new();
    let lib = room.path("lib");
    ok(
        "cp",
        &[
            "-r",
            Path::new(MUSL).parent().unwrap().to_str().unwrap(),
            &lib,
        ],
    );
    succeed(brawn().args(["patch", &room.path("lib/libc.a")]));
    room
}

/// Breaks the payload in the room's libc.a: it writes errno to where nobody looks.
fn break_errno(room: &Room) {
    room.write(
        "wrong.c",
        "int *wrong_errno_location(void) { static int nobodys; return &nobodys; }\n",
    );
    room.run("gcc", &["-c", "wrong.c"]);
    room.run("ar", &["x", "lib/libc.a", "brawn_heap.o"]);
    let rename = "__errno_location=wrong_errno_location";
    room.run("objcopy", &["--redefine-sym", rename, "brawn_heap.o"]);
    room.run("ar", &["r", "lib/libc.a", "brawn_heap.o", "wrong.o"]);
}

fn cc(room: &Room) -> String {
    format!("musl-gcc -static -L{}", room.path("lib"))
}

/// What `--json` says, whatever the exit code.
fn json(arguments: &[&str], code: i32) -> Value {
    let mut command = brawn();
    let output = command
        .arg("verify")
        .args(arguments)
        .arg("--json")
        .assert()
        .code(code);
    serde_json::from_slice(&output.get_output().stdout).expect("JSON")
}

/// The verdict of each case, as `PROGRAM/CASE VERDICT`.
fn verdicts(report: &Value) -> Vec<String> {
    let cases = report["cases"].as_array().expect("an array");
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    cases
        .iter()
        .map(|c| {
            format!(
                "{}/{} {}",
                text(&c["program"]),
                text(&c["case"]),
                text(&c["verdict"])
            )
        })
        .collect()
}

#[test]
fn a_stock_toolchain_is_tried_with_the_payload_on_its_line() {
    let folder = Room::new();
    let mut command = brawn();
    command.env("TMPDIR", folder.path("")).args([
        "verify",
        "--cc",
        "musl-gcc -static",
        "--filter",
        "semantics/",
        "--filter",
        "own_family_archive",
        "--filter",
        "constructors",
        "--filter",
        "shared",
        "--filter",
        "limit_as/1024",
        "--filter",
        "containers",
    ]);
    let text = succeed(&mut command);
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    for line in [
        "before: as it is (musl mallocng)",
        "with: payload added to its line (brawn ",
        "semantics 27 27 27 passes",
        "own_family_archive 1 1 1 passes",
        "limit_as 1 1 1 passes",
        "constructors 2 1 1 1 failed before too",
        "preinit fails fails failed before too: musl runs no .preinit_array",
        "containers 3 - - not run: C++, and no --cxx",
        "shared 1 - - not run: linked as shared, not as a static program",
        "35 cases: 30 pass, 1 failed before too, 4 not run, no new failure",
        "C++ programs that were not run: 1;",
        "one time in 20",
    ] {
        assert!(words.contains(line), "no `{line}` in:\n{text}");
    }
    // By default one line a program.
    assert!(!text.contains("malloc_huge"), "{text}");
    assert!(!text.contains('\x1b'), "no colour where nobody looks");
    assert_eq!(names(Path::new(&folder.path(""))), Vec::<String>::new());
}

#[test]
fn a_patched_toolchain_is_held_against_its_original() {
    let room = patched();
    let report = json(&["--cc", &cc(&room), "--filter", "semantics/malloc"], 0);
    assert_eq!(report["c"]["has_payload"], true, "{report:#}");
    assert_eq!(report["c"]["before"]["heap"], "musl mallocng");
    let what = report["c"]["before"]["what"].as_str().unwrap();
    assert!(
        what.ends_with("lib/libc.a.brawn-original in place of libc.a"),
        "{what}"
    );
    assert_eq!(report["c"]["with"]["heap"], "brawn");
    assert_eq!(report["c"]["with"]["note"]["profile"], "fast");
    assert_eq!(report["counts"]["passes"], 3);
    assert_eq!(report["cases"][0]["before"]["result"], "passes");
    assert_eq!(report["cases"][0]["with"]["result"], "passes");
    // The command may also have the payload in itself.
    let object = room.link_args("cc");
    let cc = format!("musl-gcc -static {object}");
    let report = json(&["--cc", &cc, "--filter", "own_basics_archive"], 0);
    assert_eq!(report["c"]["has_payload"], true, "{report:#}");
    assert_eq!(report["c"]["before"]["command"], "musl-gcc -static");
    assert_eq!(verdicts(&report), ["own_basics_archive/ passes"]);
}

#[test]
fn a_broken_heap_is_a_new_failure_and_named() {
    let room = patched();
    break_errno(&room);
    let cc = cc(&room);
    let arguments = [
        "--cc",
        &cc,
        "--filter",
        "semantics/malloc_",
        "--filter",
        "/distinct",
    ];
    let report = json(&arguments, FINDING);
    let expected = [
        "semantics/malloc_huge new-failure",
        "semantics/malloc_max new-failure",
        "semantics/malloc_zero passes",
        "semantics/distinct passes",
    ];
    assert_eq!(verdicts(&report), expected, "{report:#}");
    assert_eq!(report["cases"][0]["before"]["result"], "passes");
    let what = report["cases"][0]["with"]["what"].as_str().unwrap();
    assert!(
        what.contains("expected 12") || what.contains("errno"),
        "{what}"
    );

    let keep = room.path("kept");
    let mut command = brawn();
    command
        .arg("verify")
        .args(arguments)
        .args(["--keep", &keep]);
    let output = command.assert().code(FINDING).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("NEW FAILURE: expected found_errno == 12"),
        "{text}"
    );
    assert!(
        text.contains("NEW FAILURE semantics/malloc_huge\n"),
        "{text}"
    );
    assert!(text.contains("2 pass, 2 NEW FAILURES"), "{text}");
    // Where it happened, without the directory that is gone.
    assert!(text.contains("\n            semantics.c:"), "{text}");
    // What it says repeats the failure.
    let repeat = text.lines().find_map(|l| l.split_once("to repeat: "));
    let (_, line) = repeat.expect("a line that repeats it");
    assert!(line.ends_with("/with/semantics malloc_huge"), "{line}");
    let status = std::process::Command::new("sh").args(["-c", line]).output();
    assert_eq!(status.unwrap().status.code(), Some(1));
    // A directory with something in it is nobody's to fill.
    let mut command = brawn();
    command
        .arg("verify")
        .args(arguments)
        .args(["--keep", &keep]);
    let error = fail(&mut command, USAGE);
    assert!(
        error.contains("a directory with something in it"),
        "{error}"
    );

    // Without the original nothing excuses a failure, and it says so.
    std::fs::remove_file(room.path("lib/libc.a.brawn-original")).unwrap();
    let report = json(&["--cc", &cc, "--filter", "semantics/malloc_huge"], FINDING);
    assert_eq!(verdicts(&report), ["semantics/malloc_huge new-failure"]);
    assert_eq!(report["c"]["before"], Value::Null);
    let why = report["c"]["unknown"].as_str().unwrap();
    assert!(
        why.ends_with("lib/libc.a: no original is kept beside it"),
        "{why}"
    );
    assert_eq!(report["cases"][0]["before"]["result"], "unknown");
}

#[test]
fn zig_links_its_own_musl() {
    let zig = zig();
    let cache = Path::new(&zig)
        .ancestors()
        .nth(3)
        .unwrap()
        .join("zig-cache");
    let cc = format!("{zig} cc -target x86_64-linux-musl");
    let mut command = brawn();
    command.env("ZIG_GLOBAL_CACHE_DIR", cache).args([
        "verify",
        "--json",
        "--cc",
        &cc,
        "--filter",
        "realloc/to_one",
    ]);
    let report: Value = serde_json::from_str(&succeed(&mut command)).expect("JSON");
    assert_eq!(
        verdicts(&report),
        ["realloc/to_one_gib passes"],
        "{report:#}"
    );
    assert_eq!(report["c"]["has_payload"], false);
}

#[test]
fn what_is_no_toolchain_for_static_musl_programs_is_refused() {
    let error = |cc: &str, code| fail(brawn().args(["verify", "--cc", cc]), code);
    let text = error("gcc -static", REFUSED);
    assert!(
        text.contains("`gcc -static` links static programs of x86_64 with glibc"),
        "{text}"
    );
    assert!(text.contains("musl-gcc -static"), "{text}");
    let text = error("musl-gcc", REFUSED);
    assert!(text.contains("links dynamic programs"), "{text}");
    assert!(text.contains("add `-static`"), "{text}");
    let text = error("musl-gcc -static -lthere_is_none", REFUSED);
    assert!(text.contains("does not link a small program"), "{text}");
    assert!(text.contains("there_is_none"), "{text}");
    let text = error("no-such-compiler -static", USAGE);
    assert!(text.contains("cannot run `no-such-compiler`"), "{text}");
    let text = error("musl-gcc 'x", USAGE);
    assert!(text.contains("missing closing quote"), "{text}");
    let text = error("", USAGE);
    assert!(text.contains("expected a command"), "{text}");
    let own = Room::with(
        "void *malloc(unsigned long n) { (void)n; return 0; }\nvoid free(void *p) { (void)p; }\n",
    );
    own.run("musl-gcc", &["-c", "-fno-builtin", "main.c"]);
    let text = error(&format!("musl-gcc -static {}", own.path("main.o")), REFUSED);
    assert!(text.contains("heap: the program's own"), "{text}");
    assert!(
        text.contains("leave out what brings the other heap"),
        "{text}"
    );
    let none = [
        "verify",
        "--cc",
        "musl-gcc -static",
        "--filter",
        "no such case",
    ];
    let text = fail(brawn().args(none), USAGE);
    assert!(text.contains("no case with"), "{text}");
    fail(brawn().arg("verify"), USAGE);
    fail(
        brawn().args(["verify", "--cc", "musl-gcc -static", "file"]),
        USAGE,
    );
    // Nothing that only a toolchain has a use for is passed over.
    for flag in ["--cxx", "--runner", "--filter", "--jobs", "--keep"] {
        fail(brawn().args(["verify", flag, "1", "file"]), USAGE);
    }
    for flags in [["--profile", "fast"], ["--full", "--verbose"]] {
        fail(brawn().arg("verify").args(flags).arg("file"), USAGE);
    }
    // Nor what a list has no use for.
    for flag in ["--filter", "--jobs", "--keep"] {
        fail(brawn().args(["verify", "--list", flag, "1"]), USAGE);
    }
}

#[test]
fn what_the_compiler_does_not_compile_is_no_failure_of_the_heap() {
    // Empties check.h, on which every program builds, and the probe does not.
    let arguments = [
        "--cc",
        "musl-gcc -static -DCHECK_H",
        "--filter",
        "semantics/distinct",
    ];
    let report = json(&arguments, 0);
    assert_eq!(verdicts(&report), ["semantics/distinct not-compiled"]);
    assert_eq!(report["counts"]["not_compiled"], 1);
    let text = succeed(brawn().arg("verify").args(arguments));
    assert!(text.contains("does not compile: "), "{text}");
    assert!(text.contains("0 pass, 1 not compiled"), "{text}");
}

#[test]
fn a_runner_runs_every_program() {
    let room = Room::new();
    let runner = room.write(
        "run",
        "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/log\"\nexec \"$@\"\n",
    );
    ok("chmod", &["755", &runner]);
    let runner = format!("'{runner}' env");
    let arguments = [
        "--cc",
        "musl-gcc -static",
        "--runner",
        &runner,
        "--filter",
        "semantics/distinct",
    ];
    let report = json(&arguments, 0);
    assert_eq!(verdicts(&report), ["semantics/distinct passes"]);
    let log = std::fs::read_to_string(room.path("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    // The probe, then both sides.
    assert_eq!(lines.len(), 3, "{log}");
    assert!(
        lines[0].starts_with("env /") && lines[0].ends_with("/probe"),
        "{log}"
    );
    assert!(lines[1].ends_with("/before/semantics distinct"), "{log}");
    assert!(lines[2].ends_with("/with/semantics distinct"), "{log}");
    let arguments = [
        "verify",
        "--cc",
        "musl-gcc -static",
        "--runner",
        "no-such-emulator",
    ];
    let error = fail(brawn().args(arguments), USAGE);
    assert!(error.contains("no-such-emulator"), "{error}");
}

#[test]
fn every_case_is_listed() {
    let list = succeed(brawn().args(["verify", "--list"]));
    assert!(list.lines().count() > 150, "{list}");
    assert!(
        list.contains("\nsemantics/malloc_huge: what each call answers"),
        "{list}"
    );
    let json: Value =
        serde_json::from_str(&succeed(brawn().args(["verify", "--list", "--json"]))).unwrap();
    assert_eq!(json.as_array().unwrap().len(), list.lines().count());
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let room = Room::new();
    let temporary = room.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut child = crate::common::interruptible()
        .args([
            "verify",
            "--full",
            "--cc",
            "musl-gcc -static",
            "--filter",
            "threads_come_and_go/",
        ])
        .env("TMPDIR", &temporary)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Until one of its programs runs: that is when there is something to leave behind.
    let running = || ok("ps", &["-eo", "args"]).contains(&format!("{temporary}/"));
    let is_program = || {
        let all = ok("ps", &["-eo", "args"]);
        all.lines()
            .any(|l| l.starts_with(&temporary) && l.contains("threads_come_and_go"))
    };
    let started = Instant::now();
    while !is_program() {
        assert!(
            started.elapsed() < Duration::from_secs(600),
            "no program runs"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    ok("kill", &["-INT", &child.id().to_string()]);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "{status}");
    assert!(!running(), "a program is left");
    assert_eq!(names(Path::new(&temporary)), Vec::<String>::new());
}

#[test]
fn a_compiler_that_is_ended_with_brawn_leaves_nothing_behind() {
    let room = Room::new();
    let temporary = room.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    room.write("cc", "#!/bin/sh\ntouch $TMPDIR/left\nexec sleep 600\n");
    crate::common::make_program(room.path("cc").as_ref());
    let mut child = std::process::Command::new(brawn_path())
        .args(["verify", "--cc", &room.path("cc")])
        .env("TMPDIR", &temporary)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !ok("find", &[&temporary]).contains("left") {
        assert!(started.elapsed() < Duration::from_secs(600), "no compiler");
        std::thread::sleep(Duration::from_millis(20));
    }
    ok("kill", &["-TERM", &child.id().to_string()]);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(names(Path::new(&temporary)), Vec::<String>::new());
}

//! Signals that come while brawn writes a report, and nobody reads what it writes: it ends.

use crate::build::Room;
use crate::common::{ok, read};
use crate::compare_saved::{data, written};
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Each way to have a report written to `pipe`.
const TO_A_FILE: [&str; 9] = [
    "compare --open-data data --export-json pipe",
    "compare --open-data data --export-csv pipe",
    "compare --open-data data --export-markdown pipe",
    "compare --open-data data --html pipe",
    "compare --runs 2 --html pipe ./tool",
    "heap-profile recording --pprof pipe",
    "heap-profile recording --html pipe",
    "heap-profile recording --export-json pipe",
    "run --heap-interval 4096 --heap-profile pipe ./tool",
];

/// Each way to have one written to standard output.
const TO_OUTPUT: [&str; 12] = [
    "compare --open-data data --json",
    "compare --runs 2 --json ./tool",
    "compare --predict ./tool",
    "compare --predict --json ./tool",
    "heap-profile recording",
    "verify --json --filter semantics/distinct --cc musl-gcc\\ -static",
    "verify ./tool",
    "inspect --json ./tool",
    "toolchains --json",
    "rewrite -n --json ./tool",
    "completions bash",
    "signatures list",
];

/// The most that a test waits before it says that nothing happens.
const PATIENCE: Duration = Duration::from_secs(120);

fn room() -> Room {
    let room = Room::with(
        "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 9999; i++) free(malloc(9999)); return 0; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -fno-builtin -o tool main.c"]);
    let measured = [("as it is", 20.0), ("fast", 10.0)];
    let folder = PathBuf::from(room.path(""));
    written(&folder, "data", &data("2026-01-01", &measured));
    ok("mkfifo", &[&room.path("pipe")]);
    fs::create_dir(room.path("tmp")).unwrap();
    let traced = room.path("traced");
    let brawn = crate::common::brawn_path();
    ok(
        brawn,
        &[
            "rewrite",
            "--profile",
            "trace",
            &room.path("tool"),
            "-o",
            &traced,
        ],
    );
    let options = format!(
        "BRAWN_OPTIONS=heap_interval=4096,heap_profile={}",
        room.path("recording")
    );
    ok("env", &[&options, &traced]);
    room
}

/// The pipe with a reader that reads nothing, and without room for a single byte.
fn full(pipe: &Path) -> File {
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(nonblocking)
        .open(pipe)
        .unwrap();
    while file.write(&[b'x'; 4096]).is_ok() {}
    while file.write(b"x").is_ok() {}
    file
}

/// Starts brawn, which writes to the pipe, and waits until it waits there.
fn waiting(room: &Room, words: &str, is_output: bool) -> Child {
    let pipe = room.path("pipe");
    let mut command = crate::common::interruptible();
    command
        .args(
            words
                .replace("\\ ", "\u{a0}")
                .split(' ')
                .map(|word| word.replace('\u{a0}', " ")),
        )
        .current_dir(room.path(""))
        .env("TMPDIR", room.path("tmp"))
        .env("XDG_CACHE_HOME", room.path("cache"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if is_output {
        let to = OpenOptions::new().write(true).open(&pipe).unwrap();
        command.stdout(to);
    }
    let mut child = command.spawn().unwrap();
    let proc = PathBuf::from(format!("/proc/{}", child.id()));
    let is_waiting = || {
        // As in `1 0x3 …`: the call is `write`, the first argument the file's number.
        let call = fs::read_to_string(proc.join("syscall")).unwrap_or_default();
        let mut call = call.split_whitespace();
        let file = match (call.next(), call.next()) {
            (Some("1"), Some(file)) => u32::from_str_radix(&file[2..], 16).unwrap(),
            _ => return false,
        };
        let file = fs::read_link(proc.join("fd").join(file.to_string()));
        file.is_ok_and(|file| file == Path::new(&pipe))
    };
    let started = Instant::now();
    while !is_waiting() {
        if let Some(status) = child.try_wait().unwrap() {
            panic!("{words}: {status}: {}", said(child));
        }
        assert!(started.elapsed() < PATIENCE, "{words}: writes nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn said(mut child: Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn signal(child: &Child, name: &str) {
    ok("kill", &[name, &child.id().to_string()]);
}

/// How it ended, if it does.
fn ended(child: &mut Child, words: &str) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{words}: does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_report_that_nobody_reads_keeps_no_signal_from_ending_brawn() {
    let room = room();
    let _full = full(Path::new(&room.path("pipe")));
    let before = crate::common::names(Path::new(&room.path("")));
    let all = TO_A_FILE.iter().map(|words| (words, false));
    for (words, is_output) in all.chain(TO_OUTPUT.iter().map(|words| (words, true))) {
        let numbers: &[_] = match words.starts_with("run ") {
            true => &[("-HUP", 1), ("-INT", 2), ("-TERM", 15)],
            false => &[("-TERM", 15)],
        };
        for (name, number) in numbers {
            let mut child = waiting(&room, words, is_output);
            signal(&child, name);
            let status = ended(&mut child, words);
            let said = said(child);
            assert_eq!(status.signal(), Some(*number), "{words}: {status}: {said}");
            // Beside the page that was not begun, and the cache.
            let mut now = crate::common::names(Path::new(&room.path("")));
            now.retain(|name| name != "cache");
            assert_eq!(now, before, "{words}");
            let left = crate::common::names(Path::new(&room.path("tmp")));
            if !words.starts_with("run ") {
                assert!(left.is_empty(), "{words}: {left:?}");
                continue;
            }
            // What was recorded is kept, and it says where.
            let kept = said
                .split("`brawn heap-profile ")
                .nth(1)
                .expect("where it is");
            let kept = kept.split('`').next().unwrap();
            ok(crate::common::brawn_path(), &["heap-profile", kept]);
            assert_eq!(left.len(), 1, "{left:?}");
            fs::remove_dir_all(Path::new(&room.path("tmp")).join(&left[0])).unwrap();
        }
    }
}

#[test]
fn what_comes_late_for_the_program_neither_ends_brawn_nor_gets_into_the_profile() {
    let room = room();
    let pipe = room.path("pipe");
    let mut reader = full(Path::new(&pipe));
    let words = "run --heap-interval 4096 --heap-profile pipe ./tool";
    let mut child = waiting(&room, words, false);
    for name in ["-USR1", "-USR2", "-ALRM"] {
        signal(&child, name);
    }
    let mut bytes = Vec::new();
    let started = Instant::now();
    let mut is_over = false;
    loop {
        let mut some = [0; 4096];
        match reader.read(&mut some) {
            Ok(length) => bytes.extend_from_slice(&some[..length]),
            Err(_) if is_over => break,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        is_over = child.try_wait().unwrap().is_some();
        assert!(started.elapsed() < PATIENCE, "does not end");
    }
    assert!(child.wait().unwrap().success());
    let begin = bytes.iter().position(|byte| *byte != b'x').unwrap();
    fs::write(room.path("profile.gz"), &bytes[begin..]).unwrap();
    ok("gzip", &["-t", &room.path("profile.gz")]);
    let page = read(Path::new(&room.path("pipe.html")));
    assert!(page.trim_ascii_end().ends_with(b"</html>"));
}

//! What stands behind a program's name reaches the program, whatever it would mean to brawn.  The options are clap's own
//! list, from the script for bash; what arrives is asked of a program.

use crate::build::Room;
use crate::common::{brawn_path, ok};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::process::{Command, Output, Stdio};

/// Appends its arguments to the file that `TOLD` names, as one write, and asks for memory.
const TELL: &str = "#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char text[4096], *end = text;
    for (int i = 1; i < argc; i++) end = stpcpy(end, argv[i]) + 1;
    *end++ = '\\n';
    int file = open(getenv(\"TOLD\"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(file, text, end - text) != end - text) return 1;
    for (int i = 0; i < 100; i++) {
        void *volatile block = malloc(5000);
        free(block);
    }
    return 7;
}
";

/// What `brawn NAME` knows of options, each as it is typed.
fn options(name: &str) -> Vec<String> {
    let script = ok(brawn_path(), &["completions", "bash"]);
    let begin = format!("        brawn__{})\n", name.replace('-', "__"));
    let begin = [begin.clone(), begin.replace("brawn__", "brawn__subcmd__")]
        .into_iter()
        .find_map(|begin| Some(script.find(&begin)? + begin.len()))
        .unwrap_or_else(|| panic!("{name}: {script}"));
    let mut lines = script[begin..].lines().map(str::trim_start);
    let line = lines
        .find(|line| line.starts_with("opts="))
        .expect("its options");
    let words = line.split('"').nth(1).expect("a list").split(' ');
    let words = words.filter(|word| word.starts_with('-') && *word != "--");
    let words: Vec<String> = words.map(str::to_owned).collect();
    assert!(words.iter().any(|word| word == "--help"), "{name}: {line}");
    words
}

struct Setting {
    room: Room,
}

impl Setting {
    fn new() -> Self {
        let room = Room::with(TELL);
        room.run("musl-gcc", &["-static -O1 -w -o still main.c"]);
        room.run("musl-gcc", &["-O1 -w -o dynamic main.c"]);
        Self { room }
    }

    /// Runs brawn with `begin`, then a program, then `words`; holds that each run of the program got `words`, and gives
    /// brawn's output.
    fn gives(&self, begin: &[&str], program: &str, words: &[OsString]) -> Output {
        let told = self.room.path("told");
        let _ = fs::remove_file(&told);
        let mut command = Command::new(brawn_path());
        command.args(begin).arg(program).args(words);
        command.env("XDG_CACHE_HOME", self.room.path("cache"));
        command
            .env("TOLD", &told)
            .env("CARGO", self.room.path("still"));
        let output = command.stdin(Stdio::null()).output().expect("brawn runs");
        let mut expected = Vec::new();
        // What stands for cargo gets cargo's command, too.
        let command = Some(OsStr::new(program)).filter(|_| begin[0] == "cargo");
        for word in command
            .into_iter()
            .chain(words.iter().map(OsString::as_os_str))
        {
            expected.extend_from_slice(word.as_bytes());
            expected.push(0);
        }
        expected.push(b'\n');
        let found = fs::read(&told).unwrap_or_default();
        let found: Vec<&[u8]> = found.split_inclusive(|byte| *byte == b'\n').collect();
        assert!(!found.is_empty(), "{begin:?} {words:?}: {output:?}");
        for found in found {
            let text = String::from_utf8_lossy(found);
            assert_eq!(found, expected, "{begin:?} {words:?}: {text}");
        }
        output
    }

    /// Holds that every option of `brawn NAME` is the program's behind its name; without and with `--` before it.
    fn passes_everything_on(&self, begin: &[&str], program: &str, code: i32) {
        let mut all: Vec<Vec<OsString>> = Vec::new();
        for option in options(begin[0]) {
            all.push(vec![option.clone().into()]);
            all.push(vec![option.clone().into(), "2".into()]);
            all.push(vec![format!("{option}=2").into()]);
        }
        let all_at_once = all.concat();
        all.push(all_at_once);
        all.push(
            ["", "--", "", "-", "--version", "-V", "--", "-h"]
                .map(OsString::from)
                .into(),
        );
        all.push(vec![OsString::from_vec(vec![b'-', 0xff]), "--help".into()]);
        for (number, words) in all.iter().enumerate() {
            // One of both for each, since a debug build takes its time.
            let with = [begin, &["--"]].concat();
            let begin = if number % 2 == 0 { begin } else { &with };
            let output = self.gives(begin, program, words);
            assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
        }
    }
}

#[test]
fn run_passes_everything_on() {
    let setting = Setting::new();
    setting.passes_everything_on(&["run"], &setting.room.path("still"), 7);
}

#[test]
fn run_passes_everything_on_while_it_records() {
    let setting = Setting::new();
    let file = setting.room.path("heap.pb.gz");
    let begin = ["run", "--heap-interval", "1", "--heap-profile", &file];
    setting.passes_everything_on(&begin, &setting.room.path("still"), 7);
}

#[test]
fn preload_passes_everything_on() {
    let setting = Setting::new();
    setting.passes_everything_on(&["preload"], &setting.room.path("dynamic"), 7);
}

#[test]
fn cargo_passes_everything_on() {
    let setting = Setting::new();
    setting.passes_everything_on(&["cargo"], "clean", 7);
}

/// It runs the program, and says by its own exit code what it found.
#[test]
fn compare_passes_everything_on() {
    let setting = Setting::new();
    for program in ["still", "dynamic"] {
        let program = setting.room.path(program);
        let words = ["--ignore-failure", "-v", "--", "--help"].map(OsString::from);
        setting.gives(&["compare", "-i", "--runs", "1"], &program, &words);
        setting.gives(&["compare", "-i", "--predict"], &program, &words);
    }
    let program = setting.room.path("still");
    let begin = ["compare", "--runs=1", "-i", "--against", &program];
    setting.passes_everything_on(&begin, &program, 0);
}

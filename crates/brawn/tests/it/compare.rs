//! `brawn compare`: programs that misbehave are measured right or refused in words, and nothing stays behind.
//!
//! What is faster is no matter here: this machine may be busy.

use crate::common::{brawn_path, make_program};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs `brawn compare` of a shell with itself on `line`.
fn of_line(options: &[&str], line: &str) -> Output {
    let mut command = Command::new(brawn_path());
    command.args(["compare", "--runs", "2", "--against", "/bin/sh"]);
    command.args(options).args(["--", "/bin/sh", "-c", line]);
    command.stdin(Stdio::null()).output().expect("brawn runs")
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(output)))
}

/// Whether a process has `word` among its arguments.
fn runs(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let mut lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|w| w == word.as_bytes()))
}

#[test]
fn a_hundred_children_count() {
    let line = "i=0; while [ $i -lt 100 ]; do (:) & i=$((i+1)); done; wait";
    let output = of_line(&["--json"], line);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let data = json(&output);
    let runs = data["runs"].as_array().expect("runs");
    assert_eq!(
        runs.len(),
        2 + 1 + 4,
        "a look at each, the program's own twice, two rounds"
    );
    for run in runs {
        // Each child has at least a stack of its own.
        assert!(
            run["figures"]["minor_faults"].as_u64() > Some(1000),
            "{run}"
        );
        assert_eq!(run["figures"]["left_behind"], 0, "{run}");
    }
}

#[test]
fn what_is_left_running_is_ended() {
    let output = of_line(&["--json"], "setsid sleep 86391.5 & :");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let data = json(&output);
    assert_eq!(data["findings"][0]["kind"], "note", "{data}");
    assert!(!runs("86391.5"));
}

#[test]
fn failures_and_hangs_are_findings() {
    for (options, line, words) in [
        (&[][..], "exit 3", "as it is: ended with exit code 3"),
        (&[], "kill -9 $$", "as it is: was ended by signal 9"),
        (
            &["--time-limit", "0.3"],
            "sleep 86392.5",
            "had not ended after",
        ),
        (
            &["--prepare", "exit 4"],
            ":",
            "`--prepare` ended with exit code 4",
        ),
    ] {
        let output = of_line(options, line);
        let code = if options.contains(&"--prepare") { 3 } else { 1 };
        assert_eq!(
            output.status.code(),
            Some(code),
            "{line}: {}",
            text(&output)
        );
        assert!(text(&output).contains(words), "{line}: {}", text(&output));
    }
    assert!(!runs("86392.5"));
    let output = of_line(&["--ignore-failure"], "exit 3");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn another_output_is_a_finding_and_both_are_kept() {
    let folder = TempDir::new().expect("a temporary directory");
    let script = |name: &str, last: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho same\necho {last}\n")).expect("written");
        make_program(&path);
        path
    };
    let (one, two) = (script("one", "left"), script("two", "right"));
    let mut command = Command::new(brawn_path());
    command
        .args(["compare", "--json", "--against"])
        .arg(two)
        .arg(&one);
    let output = command
        .env("TMPDIR", folder.path())
        .output()
        .expect("brawn runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let finding = &json(&output)["findings"][0];
    assert_eq!(finding["kind"], "differs");
    assert_eq!(finding["what"], "stdout: line 2: “right”, not “left”");
    let kept = |at: usize| std::fs::read_to_string(finding["kept"][at].as_str().expect("a path"));
    assert_eq!(kept(0).expect("kept"), "same\nleft\n");
    assert_eq!(kept(1).expect("kept"), "same\nright\n");
}

#[test]
fn output_that_changes_by_itself_is_no_finding() {
    let output = of_line(&["--json"], "echo $$");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(json(&output)["findings"][0]["kind"], "note");
}

#[test]
fn input_is_read_and_endless_output_ends() {
    let output = of_line(&["--input", "/proc/self/status"], "grep -q Name");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let output = of_line(&["--time-limit", "0.5"], "cat /dev/zero");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

/// A pipe would be read by one run, and the next would wait for ever; a name with a typing mistake has nothing to compare.
#[test]
fn what_no_run_can_read_or_compare_is_refused() {
    let folder = tempfile::TempDir::new().expect("a temporary directory");
    let pipe = folder.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("a pipe");
    let pipe = pipe.to_str().expect("UTF-8");
    let none = folder.path().join("none");
    let none = none.to_str().expect("UTF-8");
    for (options, said) in [
        (["--input", pipe], "a pipe; expected a regular file"),
        (["--input", "/dev/zero"], "a device"),
        (
            ["--input", folder.path().to_str().expect("UTF-8")],
            "a directory",
        ),
        (["--compare-output", none], "the program wrote no such file"),
        (["--compare-output", pipe], "the program wrote no such file"),
    ] {
        let output = of_line(&options, "cat");
        assert_eq!(
            output.status.code(),
            Some(3),
            "{options:?}: {}",
            text(&output)
        );
        assert!(
            text(&output).contains(said),
            "{options:?}: {}",
            text(&output)
        );
    }
    let output = Command::new(brawn_path())
        .args(["compare", "--open-data", pipe])
        .output()
        .expect("brawn runs");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let output = of_line(&["--input", "/dev/null"], "cat");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn what_cannot_be_written_is_said_before_anything_runs() {
    let folder = tempfile::TempDir::new().expect("a temporary directory");
    let [ran, none] = ["ran", "none/figures"].map(|name| folder.path().join(name));
    let [ran_, none] = [&ran, &none].map(|path| path.to_str().expect("UTF-8"));
    for option in [
        "--export-json",
        "--export-csv",
        "--export-markdown",
        "--html",
    ] {
        let output = of_line(&[option, none], &format!("touch {ran_}"));
        assert_eq!(output.status.code(), Some(5), "{}", text(&output));
        assert!(
            text(&output).contains("none/figures: cannot create a file beside it"),
            "{}",
            text(&output)
        );
        assert!(!ran.exists(), "{option}");
    }
}

#[test]
fn no_result_takes_the_place_of_a_program_or_of_another_result() {
    let folder = tempfile::TempDir::new().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let [program, input, new] = ["program", "input", "new"].map(path);
    std::fs::copy("/bin/true", &program).expect("copied");
    std::fs::write(&input, "text").expect("written");
    std::os::unix::fs::symlink(&program, path("link")).expect("a link");
    for (results, found) in [
        (&["--html", &program][..], "it is read, and would be lost"),
        (
            &["--export-csv", &path("link")],
            "it is read, and would be lost",
        ),
        (&["--export-json", &input], "it is read, and would be lost"),
        (
            &["--export-json", &new, "--html", &new],
            "two results would go there",
        ),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_brawn"))
            .args(["compare", "--against", "/bin/true", "--input", &input])
            .args(results)
            .args(["--", &program])
            .output()
            .expect("brawn runs");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(found), "{}", text(&output));
    }
    assert_eq!(std::fs::read(&input).expect("readable"), b"text");
    let [copied, whole] =
        [&*program, "/bin/true"].map(|path| std::fs::read(path).expect("readable"));
    assert!(copied == whole);
}

#[test]
fn an_interrupt_leaves_nothing() {
    let against = &["--against", "/bin/sh"][..];
    for (how, number, signal) in [
        (against, "86393.5", libc::SIGINT),
        (against, "86394.5", libc::SIGTERM),
        (&["--predict"], "86395.5", libc::SIGINT),
        (&["--predict"], "86396.5", libc::SIGHUP),
    ] {
        let folder = TempDir::new().expect("a temporary directory");
        let mut command = crate::common::interruptible();
        command.arg("compare").args(how);
        command.args(["--", "/bin/sh", "-c"]);
        command.arg(format!("setsid sleep {number} & sleep {number}"));
        command
            .env("TMPDIR", folder.path())
            .current_dir(folder.path());
        let mut child = command.spawn().expect("brawn runs");
        let begin = Instant::now();
        while !runs(number) {
            assert!(
                begin.elapsed() < Duration::from_secs(600),
                "it does not start"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: a call with numbers; the process has not been waited for.
        #[allow(unsafe_code)]
        unsafe {
            libc::kill(child.id() as libc::pid_t, signal)
        };
        let status = child.wait().expect("it ends");
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(signal)
        );
        assert!(!runs(number), "{number} still runs");
        assert_eq!(
            std::fs::read_dir(folder.path())
                .expect("a directory")
                .count(),
            0
        );
    }
}

#[test]
fn data_is_read_again_and_other_files_are_refused() {
    let folder = TempDir::new().expect("a temporary directory");
    let path = folder.path().join("data.json");
    let name = path.to_str().expect("UTF-8");
    let output = of_line(&["--export-json", name], ":");
    let again = |path: &Path| {
        let mut command = Command::new(brawn_path());
        command
            .args(["compare", "--open-data"])
            .arg(path)
            .output()
            .expect("brawn runs")
    };
    assert_eq!(text(&again(&path)), text(&output));
    std::fs::write(&path, "{}").expect("written");
    assert_eq!(again(&path).status.code(), Some(4));
}

#[test]
fn a_full_disk_leaves_no_half_of_a_file() {
    let folder = TempDir::new().expect("a temporary directory");
    for option in [
        "--export-json",
        "--export-csv",
        "--export-markdown",
        "--html",
    ] {
        let path = folder.path().join("report");
        std::fs::write(&path, "yesterday's").expect("written");
        // A limit of no bytes stands for a full disk; what is written to pipes does not count.
        let line = "trap '' XFSZ; ulimit -f 0; exec \"$0\" compare --runs 2 \"$1\" \"$2\" \
            --against /bin/sh -- /bin/sh -c :";
        let mut command = Command::new("sh");
        command.args(["-c", line]).arg(brawn_path()).arg(option);
        let output = command.arg(&path).output().expect("sh runs");
        assert_eq!(output.status.code(), Some(5), "{option}: {}", text(&output));
        let kept = std::fs::read_to_string(&path).expect("there");
        assert_eq!(kept, "yesterday's", "{option}");
        let files = std::fs::read_dir(folder.path())
            .expect("a directory")
            .count();
        assert_eq!(files, 1, "{option}");
    }
}

/// Two programs, each of these lines of a shell, in a directory of their own.
fn scripts(lines: [&str; 2]) -> (TempDir, [String; 2]) {
    let folder = TempDir::new().expect("a temporary directory");
    let paths = ["one", "two"].map(|name| folder.path().join(name));
    for (path, line) in paths.iter().zip(lines) {
        std::fs::write(path, format!("#!/bin/sh\n{line}\n")).expect("written");
        make_program(path);
    }
    let paths = paths.map(|path| path.to_str().expect("UTF-8").to_owned());
    (folder, paths)
}

/// `brawn compare` of such a program with such another.
fn of_scripts(options: &[&str], lines: [&str; 2]) -> Output {
    let (folder, [one, two]) = scripts(lines);
    let mut command = Command::new(brawn_path());
    command.args(["compare", "--runs", "2", "--against", &two]);
    command.args(options).arg(&one).current_dir(folder.path());
    command.stdin(Stdio::null()).output().expect("brawn runs")
}

/// Holds that brawn ends with `code` and says all of `said`.
fn says(output: &Output, code: i32, said: &[&str]) {
    let text = text(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    for said in said {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn how_both_ended_is_said() {
    let lines = ["echo no such thing >&2; exit 125", "exit 0"];
    let output = of_scripts(&["-v", "--ignore-failure"], lines);
    let said = "two: ended with exit code 0; the program as it is ended with exit code 125 (“no such thing”)";
    says(
        &output,
        1,
        &["nothing was measured", said, "no run was measured"],
    );
    // No table without a column.
    assert!(!text(&output).contains("median of"), "{}", text(&output));
    // It fails in the second round, which is the fourth time.
    let count = "echo >> count; [ $(wc -l < count) -lt 4 ] || exit 3";
    let output = of_scripts(&["--compare-output", "none"], [count, "exit 0"]);
    says(
        &output,
        1,
        &["as it is: run 2 ended with exit code 3; before, it ended with exit code 0"],
    );
}

#[test]
fn the_exit_code_of_a_linter_is_its_answer() {
    let linter = "echo line 3: too long; echo Done! >&2; exit 1";
    let output = of_scripts(&[], [linter, linter]);
    let note = "as it is: ended with exit code 1 (“Done!”): since it printed a result, this counts as its answer";
    says(&output, 0, &[note, "two "]);
    assert!(
        !text(&output).contains("nothing was measured"),
        "{}",
        text(&output)
    );
    // Samples are taken of it, too, or there is another reason why not.
    assert!(
        !text(&output).contains("not sampled: the program"),
        "{}",
        text(&output)
    );
    let other = "echo line 3: too long; exit 2";
    let words =
        "two: ended with exit code 2; the program as it is ended with exit code 1 (“Done!”)";
    says(&of_scripts(&[], [linter, other]), 1, &[words]);
    says(
        &of_scripts(&[], [linter, "echo fine; exit 1"]),
        1,
        &["two: stdout: line 1"],
    );
    // It says something else each time.
    let count = "echo x; echo >> count; exit $(wc -l < count)";
    let words = "as it is: ended with exit code 2, and the first time it ended with exit code 1";
    says(&of_scripts(&[], [count, count]), 1, &[words]);
    let failure = "echo one: no such file: x >&2; echo >&2; echo one: stop >&2; exit 1";
    let words = "as it is: ended with exit code 1 (“one: no such file: x” … “one: stop”); if this is its answer, and \
                 not a failure, `--ignore-failure` measures it";
    says(&of_scripts(&[], [failure, failure]), 1, &[words]);
    says(&of_scripts(&["-i"], [failure, failure]), 0, &["two "]);
}

#[test]
fn without_a_cache_the_form_is_a_file_without_a_name() {
    let room = crate::build::Room::with(
        "#include <stdlib.h>\nint main(void) { free(malloc(9)); return 0; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -o tool main.c"]);
    let mut command = Command::new(brawn_path());
    command.args(["compare", "--runs", "2", &room.path("tool")]);
    command.env("XDG_CACHE_HOME", "/proc/nowhere");
    says(&command.output().expect("brawn runs"), 0, &["fast"]);
}

#[test]
fn against_another_file_brawns_form_is_compared_too() {
    let room = crate::build::Room::with(
        "#include <stdlib.h>\nint main(void) { free(malloc(9)); return 0; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -o tool main.c"]);
    let tool = room.path("tool");
    let compare = |options: &[&str], program: &str| {
        let mut command = Command::new(brawn_path());
        command
            .args(["compare", "--json", "--runs", "1"])
            .args(options);
        command
            .arg(program)
            .env("XDG_CACHE_HOME", room.path("cache"));
        command.output().expect("brawn runs")
    };
    let names = |output: &Output| -> Vec<String> {
        let data = json(output);
        let forms = data["candidates"].as_array().expect("forms");
        forms
            .iter()
            .map(|form| form["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let both = compare(&["--against", &tool], &tool);
    assert_eq!(names(&both), ["as it is", &tool, "fast"]);
    let one = compare(&["--against", &tool, "--with", "none"], &tool);
    assert_eq!(names(&one), ["as it is", &tool]);
    let other = compare(&["--against", &tool, "--with", "lean,secure,lean"], &tool);
    assert_eq!(names(&other), ["as it is", &tool, "lean", "secure"]);
    // A program that brawn has nothing for is compared with the other file all the same, and why is said.
    let without = compare(&["--against", "/bin/true"], "/bin/true");
    assert_eq!(names(&without), ["as it is", "/bin/true"]);
    let said = "there is no form `fast` of it: dynamic, linked with glibc";
    says(&without, 0, &[said]);
    says(
        &compare(&["--with", "none"], &tool),
        2,
        &["leaves nothing to compare with", "--against"],
    );
    says(
        &compare(&["--with", "fast"], "/bin/true"),
        3,
        &["dynamic, linked with glibc", "--against"],
    );
}

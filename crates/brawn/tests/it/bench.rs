//! `brawn bench`: builds and runs with musl's compiler; others are refused in words, and nothing stays behind.
//!
//! What is faster is no matter here: this machine may be busy.

use crate::common::{brawn_path, make_program};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Runs `brawn bench` with a temporary directory, which must be empty afterwards.
fn bench(arguments: &[&str]) -> Output {
    let folder = TempDir::new().expect("a directory");
    let mut command = Command::new(brawn_path());
    command.arg("bench").args(arguments);
    command.env("TMPDIR", folder.path()).stdin(Stdio::null());
    let output = command.output().expect("brawn runs");
    let left = std::fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(left, 0, "{arguments:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_smallest_program_is_measured() {
    let output = bench(&["--quick", "--runs", "2", "--only", "startup", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let data: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(data["format"], "brawn-bench");
    // Two runs have no interval.
    let verdict = data["verdict"].as_str().expect("words");
    assert!(
        verdict.starts_with("start-up too few runs to tell"),
        "{verdict}"
    );
    let one = &data["workloads"][0];
    assert_eq!(one["name"], "startup");
    let forms = one["comparison"]["candidates"].as_array().expect("forms");
    assert_eq!(forms[0]["name"], "musl");
    assert_eq!(forms[1]["name"], "brawn");
    assert_ne!(forms[0]["sha256"], forms[1]["sha256"]);
}

#[test]
fn what_was_measured_is_shown_again() {
    let folder = TempDir::new().expect("a directory");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (saved, page, again) = (path("b.json"), path("b.html"), path("again.html"));
    let measured = ["--quick", "--runs", "2", "--only", "startup,small"];
    let output = bench(&[&measured[..], &["--export-json", &saved, "--html", &page]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = bench(&["--open-data", &saved, "--html", &again]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert_eq!(text(&shown.stdout), text(&output.stdout));
    let page = std::fs::read_to_string(page).expect("a page");
    assert_eq!(std::fs::read_to_string(again).expect("a page"), page);
    for words in [
        "brawn bench",
        "musl-gcc",
        "short-lived numbers",
        "href=\"#w1\"",
        "id=\"w1\"",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for address in ["http:", "https:", "url(", "<script", "<img"] {
        assert!(!page.contains(address), "{address}");
    }
    // No id stands twice.
    let mut ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    ids.sort_unstable();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert!(all > 8, "{ids:?}");

    let other = path("other.json");
    for (contents, code) in [("{}", 4), ("nothing", 4)] {
        std::fs::write(&other, contents).expect("written");
        let output = bench(&["--open-data", &other]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
    let newer = std::fs::read_to_string(&saved).expect("data");
    std::fs::write(&other, newer.replacen("\"version\":1", "\"version\":2", 1)).expect("written");
    let output = bench(&["--open-data", &other]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("version 2"));
    let output = bench(&["--open-data", &saved, "--quick"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn what_is_no_compiler_for_musl_is_refused_in_words() {
    for (arguments, code, words) in [
        (&["--cc", "gcc"][..], 3, "this is not musl"),
        (&["--cc", "no-such-compiler"], 2, "install one"),
        (&["--cc", "/no/such/compiler"], 2, "install one"),
        (
            &["--against-cc", "no-such-compiler"],
            2,
            "a compiler for glibc",
        ),
        (&["--cc", ""], 2, "an empty command"),
        (
            &["--cc", "/bin/false"],
            3,
            "does not build once.c: it ended with exit code 1;",
        ),
        // Only the line that says why.
        (
            &["--cc", "musl-gcc -lnothere"],
            3,
            "once.c: /usr/bin/ld: cannot find -lnothere: No such file or directory;",
        ),
        // No message: how it ended, with the last line.
        (
            &["--cc", "sh -c 'echo one; echo busy >&2; exit 7'"],
            3,
            "once.c: it ended with exit code 7 (“busy”);",
        ),
        (&["--only", "nothing"], 2, "--list"),
    ] {
        let output = bench(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn scripts_read_the_list() {
    let lines = text(&bench(&["--list"]).stdout);
    let list: serde_json::Value =
        serde_json::from_slice(&bench(&["--list", "--json"]).stdout).expect("JSON");
    let list = list.as_array().expect("a list");
    let names = list.iter().map(|one| one["name"].as_str().expect("a name"));
    let words = lines.lines().map(|line| line.split(' ').next());
    assert!(names.map(Some).eq(words), "{list:?} {lines}");
}

#[test]
fn a_signal_leaves_no_folder() {
    let folder = TempDir::new().expect("a directory");
    let mut child = crate::common::interruptible()
        .args(["bench", "--only", "startup", "--runs", "100000"])
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("brawn runs");
    let is_empty = || {
        std::fs::read_dir(folder.path())
            .expect("readable")
            .next()
            .is_none()
    };
    while is_empty() {
        assert!(
            child.try_wait().expect("known").is_none(),
            "it ended by itself"
        );
        std::thread::yield_now();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    let status = child.wait().expect("ends");
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(2)
    );
    assert!(is_empty());
}

/// None of its programs answers by its exit code, whatever it printed: here the form of stock musl fails once it has been
/// found to run.
#[test]
fn a_form_that_fails_is_a_finding() {
    let room = crate::build::Room::new();
    let mark = room.path("mark");
    room.write(
        "more.c",
        &format!(
            "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n#undef main\nint real_main(int, char **);
int main(int c, char **v) {{
    int code = real_main(c, v);
    puts(\"a result\");
    if (access(\"{mark}\", F_OK) == 0) return 3;
    return close(open(\"{mark}\", O_CREAT | O_WRONLY, 0600)) | code;
}}
"
        ),
    );
    let compiler = room.write(
        "cc",
        &format!(
            "#!/bin/sh\ncase \"$*\" in\n*brawn_heap*) ;;\n*once.c*) set -- -Dmain=real_main \"$@\" {} ;;\nesac\n\
             exec musl-gcc \"$@\"\n",
            room.path("more.c")
        ),
    );
    make_program(compiler.as_ref());
    let options = ["--only", "startup", "--runs", "2", "--against-cc", "none"];
    let output = bench(&[&["--quick", "--cc", &compiler][..], &options].concat());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("startup, musl: ended with exit code 3\n"),
        "{said}"
    );
}

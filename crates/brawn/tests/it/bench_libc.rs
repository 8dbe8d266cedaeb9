//! `brawn bench libc`: measures rows of libc with musl's compiler; what a compiler lacks is left out, what fails is
//! found, and nothing stays behind.
//!
//! What is faster is no matter here: this machine may be busy.

use crate::build::zig;
use crate::common::{MUSL, make_program, root, tools};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

fn command(arguments: &[&str], folder: &Path) -> Command {
    let mut command = crate::common::interruptible();
    command.args(["bench", "libc"]).args(arguments);
    command.env("TMPDIR", folder).stdin(Stdio::null());
    command
}

/// Runs `brawn bench libc` with a temporary directory, which must be empty afterwards.
fn bench(arguments: &[&str]) -> Output {
    let folder = TempDir::new().expect("a directory");
    let output = command(arguments, folder.path()).output();
    assert!(is_empty(folder.path()), "{arguments:?}");
    output.expect("brawn runs")
}

fn is_empty(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).expect("readable");
    entries.next().is_none()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The data of a short run, which ends with that code.
fn data(arguments: &[&str], code: i32) -> Value {
    let quick = ["--quick", "--runs", "1", "--json"];
    let output = bench(&[&quick[..], arguments].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The names of the rows, as in `sort: qsort, 10 ints`.
fn rows(data: &Value) -> Vec<String> {
    let rows = data["rows"].as_array().expect("rows").iter();
    let name = |row: &Value| {
        let of = |field: &str| row[field].as_str().expect("a name").to_owned();
        format!("{}: {}", of("family"), of("name"))
    };
    let mut names: Vec<String> = rows.map(name).collect();
    names.sort();
    names
}

/// The same of `--list`.
fn listed(only: &str) -> Vec<String> {
    let output = bench(&["--list", "--only", only]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut rows: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    rows.sort();
    rows
}

/// A compiler that does what `line` says, with `$@` for its arguments.
fn compiler(folder: &Path, line: &str) -> String {
    let path = folder.join("cc");
    std::fs::write(&path, format!("#!/bin/sh\nexec {line}\n")).expect("written");
    make_program(&path);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn rows_are_measured_and_the_data_have_their_fields() {
    let data = data(&["--only", "environment,insque,start"], 0);
    assert_eq!(data["format"], "brawn-bench-libc");
    assert_eq!(data["version"], 1);
    assert_eq!(data["base"], "glibc");
    assert_eq!(rows(&data), listed("environment,insque,start"));
    for row in data["rows"].as_array().expect("rows") {
        for figure in ["base_ns", "stock", "brawn", "brawn_low", "brawn_high"] {
            let value = row[figure].as_f64().expect("a number");
            assert!(value > 0.0, "{row}: {figure}");
        }
    }
    let round = &data["rounds"][0];
    for form in ["stock musl", "brawn", "glibc"] {
        assert!(round[form]["sort: insque and remque"].is_f64(), "{form}");
        assert!(data["compilers"][form].is_string(), "{form}");
    }
    let mut fields: Vec<&str> = data
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    let expected = [
        "base",
        "brawn",
        "compilers",
        "date",
        "findings",
        "format",
        "left_out",
        "load",
        "machine",
        "rounds",
        "rows",
        "verdict",
        "version",
    ];
    assert_eq!(fields, expected);
    let verdict = data["verdict"].as_str().expect("words");
    assert!(
        verdict.contains(" of 7 rows are more than 5 % slower than glibc's"),
        "{verdict}"
    );
}

#[test]
fn the_list_has_what_the_programs_have() {
    let folder = TempDir::new().expect("a directory");
    let sources = root().join("bench/libc");
    let rows_of = |program: &str, files: &[PathBuf]| {
        let path = folder.path().join("rows");
        let mut cc = Command::new(program);
        cc.args(["-O0", "-fno-builtin", "-w", "-pthread", "-o"])
            .arg(&path);
        assert!(
            cc.args(files)
                .arg("-lm")
                .status()
                .expect("it runs")
                .success()
        );
        let output = Command::new(&path).arg("--list").output().expect("it runs");
        let line = |line: &str| {
            let mut words = line.splitn(4, ' ').skip(1);
            let (family, name) = (
                words.next().expect("a family"),
                words.nth(1).expect("a name"),
            );
            format!("{family}: {name}")
        };
        text(&output.stdout)
            .lines()
            .map(line)
            .collect::<Vec<String>>()
    };
    let entries = std::fs::read_dir(&sources).expect("readable");
    let files = entries.map(|entry| entry.expect("readable").path());
    let is_c =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "c") && !path.ends_with("start.c");
    let files: Vec<PathBuf> = files.filter(is_c).collect();
    let mut all = rows_of("gcc", &files);
    all.extend(rows_of(
        "g++",
        &[sources.join("throw.cc"), sources.join("main.c")],
    ));
    all.extend(listed("start"));
    all.sort();
    let output = bench(&["--list"]);
    let mut list: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    list.sort();
    assert_eq!(list, all, "bench/libc/rows.txt");
    let output = bench(&["--list", "--json"]);
    let mut list: Vec<String> = serde_json::from_slice(&output.stdout).expect("JSON");
    list.sort();
    assert_eq!(list, all);
}

#[test]
fn what_was_measured_is_shown_again() {
    let folder = TempDir::new().expect("a directory");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (saved, page, again) = (path("l.json"), path("l.html"), path("again.html"));
    let measured = [
        "--quick",
        "--runs",
        "2",
        "--only",
        "environment,insque,c++",
        "--cxx",
        "none",
    ];
    let output = bench(&[&measured[..], &["--export-json", &saved, "--html", &page]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for words in [
        "environment",
        "getenv, there",
        "geometric mean",
        "left out: 5 rows (c++): ",
        "brawn: ",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains('\u{1b}'), "colours in a pipe: {said:?}");
    let shown = bench(&["--open-data", &saved, "--html", &again]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert_eq!(text(&shown.stdout), said);
    let slowest = bench(&["--open-data", &saved, "--sort", "ratio"]);
    assert!(text(&slowest.stdout).contains("environment: getenv, there"));
    let page = std::fs::read_to_string(page).expect("a page");
    assert_eq!(std::fs::read_to_string(again).expect("a page"), page);
    for words in [
        "brawn bench libc",
        "musl-gcc",
        "getenv, there",
        "insque",
        "left out",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for address in ["http:", "https:", "url(", "<script", "<img"] {
        assert!(!page.contains(address), "{address}");
    }

    let good = std::fs::read_to_string(&saved).expect("data");
    let other = path("other.json");
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("brawn-bench-libc", "brawn-bench"),
        ("\"base\":\"glibc\"", "\"base\":\"none\""),
        (
            "\"sort: insque and remque\":",
            "\"sort: insque and remque\":-",
        ),
        (
            "\"sort: insque and remque\":",
            "\"sort: insque and remque\":1e300,\"x\":",
        ),
        ("{", "["),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        std::fs::write(&other, bad).expect("written");
        let output = bench(&["--open-data", &other]);
        assert_eq!(
            output.status.code(),
            Some(4),
            "{to}: {}",
            text(&output.stderr)
        );
    }
    let output = bench(&["--open-data", &saved, "--quick"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn without_glibc_brawn_is_compared_with_stock_musl() {
    let data = data(&["--against-cc", "none", "--only", "insque"], 0);
    assert_eq!(data["base"], "stock musl");
    assert_eq!(data["rows"][0]["stock"], 1.0);
    assert!(data["rounds"][0]["glibc"].is_null());
    assert_eq!(rows(&data), ["sort: insque and remque"]);
}

#[test]
fn zig_builds_the_rows_in_cxx_for_musl_and_for_glibc() {
    let zig = zig();
    let folder = TempDir::new().expect("a directory");
    let cc = format!("{zig} cc -target {}-linux-musl", std::env::consts::ARCH);
    let arguments = ["--quick", "--runs=1", "--json", "--only=c++", "--cc", &cc];
    let cache = tools().join("zig-cache");
    let output = command(&arguments, folder.path())
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .env("ZIG_LOCAL_CACHE_DIR", &cache)
        .output()
        .expect("brawn runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let data: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(rows(&data), listed("c++"));
    let glibcs = data["compilers"]["glibc, C++"].as_str().expect("a command");
    assert!(
        glibcs.contains("zig c++ ") && glibcs.contains("-linux-gnu"),
        "{glibcs}"
    );
    assert!(is_empty(folder.path()));
}

#[test]
fn what_an_old_musl_lacks_is_left_out_and_the_rest_is_measured() {
    let folder = TempDir::new().expect("a directory");
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(MUSL, at("libc.a")).expect("a copy");
    // insque and remque are in one member.
    let removed = Command::new("ar")
        .arg("d")
        .arg(at("libc.a"))
        .arg("insque.lo")
        .status();
    assert!(removed.expect("ar runs").success());
    std::fs::write(at("ftw.h"), "#include <no-such-header.h>\n").expect("written");
    let here = folder.path().display();
    let cc = compiler(folder.path(), &format!("musl-gcc -I{here} -L{here} \"$@\""));
    let names = "sort,nftw,scandir";
    let data = data(&["--cc", &cc, "--only", names], 0);
    let left = data["left_out"].as_array().expect("rows");
    assert_eq!(left.len(), 1, "{left:?}");
    let lost = ["sort: insque and remque", "other: nftw of /etc/default"];
    assert_eq!(left[0]["rows"], serde_json::json!(lost));
    let why = left[0]["why"].as_str().expect("words");
    assert!(why.contains("no-such-header.h"), "{why}");
    let mut rest = listed(names);
    rest.retain(|row| !lost.contains(&row.as_str()));
    assert_eq!(rows(&data), rest);
}

#[test]
fn a_row_that_crashes_or_hangs_is_a_finding_and_the_rest_is_measured() {
    let folder = TempDir::new().expect("a directory");
    let broken = folder.path().join("broken.c");
    let code = "void insque(void *a, void *b) { __builtin_trap(); }\n\
        void remque(void *a) {}\n\
        int pause(void);\nvoid *lfind(void) { for (;;) pause(); }\n";
    std::fs::write(&broken, code).expect("written");
    let line = format!("musl-gcc \"$@\" {}", broken.display());
    let cc = compiler(folder.path(), &line);
    let names = "insque,lfind,environment";
    let data = data(&["--cc", &cc, "--only", names, "--time-limit", "20"], 1);
    let findings = data["findings"].as_array().expect("findings");
    let of = |row: &str| {
        let found = findings.iter().find(|finding| finding["row"] == row);
        found.unwrap_or_else(|| panic!("{row}: {findings:?}"))["what"].to_string()
    };
    assert!(
        of("sort: insque and remque").contains("signal"),
        "{findings:?}"
    );
    assert!(
        of("sort: lfind in 50 ints").contains("--time-limit"),
        "{findings:?}"
    );
    assert_eq!(findings.len(), 2);
    assert_eq!(rows(&data), listed("environment"));
}

#[test]
fn what_cannot_be_measured_is_refused_in_words() {
    let zig = format!("{} cc -target aarch64-linux-musl", zig());
    for (arguments, code, words) in [
        (&["--cc", "gcc"][..], 3, "this is not musl"),
        (&["--cc", "no-such-compiler"], 2, "install one"),
        (
            &["--against-cc", "aarch64-linux-gnu-gcc"],
            3,
            "do not run on this machine",
        ),
        (&["--cc", &zig], 3, "do not run on this machine"),
        (
            &["--only", "c++", "--cxx", "no-such-compiler"],
            2,
            "no-such-compiler",
        ),
        (&["--only", "c++", "--cxx", "g++"], 3, "this is not musl"),
        (
            &["--only", "c++", "--cxx", "none"],
            3,
            "no row can be measured",
        ),
        (&["--only", "nothing"], 2, "--list"),
        (&["--only", ""], 2, "--list"),
        (
            &["--html", "/no/such/directory/page.html"],
            5,
            "/no/such/directory",
        ),
        (&["--runs", "0"], 2, "--runs"),
        (&["--sort", "size"], 2, "family, ratio"),
    ] {
        let output = bench(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    // No file can be made there, by root either.
    let output = command(&["--only", "insque"], Path::new("/proc/self")).output();
    let output = output.expect("brawn runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("TMPDIR"), "{said}");
}

/// Processes, but for `own`, that have `folder` in their command line.
fn processes(folder: &Path, own: &Child) -> Vec<String> {
    let name = folder.to_str().expect("UTF-8");
    let entries = std::fs::read_dir("/proc").expect("readable");
    let lines = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let is_own = path.ends_with(own.id().to_string());
        let line = std::fs::read(path.join("cmdline")).ok()?;
        Some(text(&line)).filter(|line| !is_own && line.contains(name))
    });
    let program = |entry: &std::fs::DirEntry| {
        let link = std::fs::read_link(entry.path().join("exe")).ok()?;
        link.to_str()
            .filter(|path| path.starts_with(name))
            .map(str::to_owned)
    };
    let programs = std::fs::read_dir("/proc").expect("readable");
    let programs = programs.filter_map(|entry| program(&entry.ok()?));
    lines.chain(programs).collect()
}

#[test]
fn a_signal_leaves_no_file_and_no_process() {
    let folder = TempDir::new().expect("a directory");
    let mut child = command(
        &["--only", "mkstemp,sort", "--runs", "10000"],
        folder.path(),
    );
    child.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("brawn runs");
    // Until one of the rows' programs runs.
    let is_running = |child: &Child| {
        let all = processes(folder.path(), child);
        all.iter().any(|line| line.contains("/rows-"))
    };
    while !is_running(&child) {
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
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(2));
    assert!(is_empty(folder.path()));
    assert_eq!(processes(folder.path(), &child), [""; 0]);
}

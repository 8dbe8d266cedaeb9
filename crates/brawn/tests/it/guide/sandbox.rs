//! Runs a page's commands, where they can change nothing of the machine.

use super::page::{Action, Page, Step, matches};
use super::root;
use crate::common::{brawn_path, tools};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Seconds for a page, on a machine that does a lot besides.
const LIMIT: &str = "900";

/// Lets zig compile its libraries once, where they stay: what it compiles in there is gone with the page.
fn warm(tools: &Path) {
    static DONE: std::sync::Once = std::sync::Once::new();
    DONE.call_once(|| {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let source = folder.path().join("main.cc");
        std::fs::write(
            &source,
            "#include <iostream>\nint main() { std::cout << 1; }\n",
        )
        .expect("written");
        for target in ["x86_64-linux-musl", "aarch64-linux-musl"] {
            let mut zig = Command::new(tools.join("zig/ziglang/zig"));
            zig.env("ZIG_GLOBAL_CACHE_DIR", tools.join("zig-cache"));
            let words = ["c++", "-target", target, "-O2", "-o", "main", "main.cc"];
            let done = zig
                .args(words)
                .current_dir(folder.path())
                .status()
                .expect("zig runs");
            assert!(done.success(), "zig for {target}");
        }
    });
}

/// Runs all steps; gives a text for each that did not do what the page says.
pub fn run(page: &Page, print: bool) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let state = folder.path().canonicalize().expect("it is there");
    let script = write(page, &state);
    std::fs::write(state.join("steps.sh"), script).expect("written");
    let tools = tools().canonicalize().expect("run `make test-tools`");
    let zig = |step: &Step| matches!(&step.action, Action::Run { command, .. } if command.starts_with("zig "));
    if page.steps.iter().any(zig) {
        warm(&tools);
    }
    let programs = Path::new(brawn_path()).parent().expect("a directory");
    let user = !rustix::process::geteuid().is_root();
    let begun = std::time::Instant::now();
    let output = Command::new("timeout")
        .args([
            "-k",
            "5",
            LIMIT,
            "unshare",
            "-mpf",
            "--mount-proc",
            "--kill-child",
        ])
        .args(user.then_some("-r"))
        .args([
            "bash",
            "-euo",
            "pipefail",
            "-c",
            include_str!("sandbox.sh"),
            "bash",
        ])
        .args([&state, &root(), &tools, programs])
        .output()
        .expect("unshare of util-linux");
    let took = begun.elapsed();
    let mut failures = Vec::new();
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !text.is_empty() {
        failures.push(format!("{}: {}: {text}", page.name, output.status));
    }
    let home = state.join("t/user").to_str().expect("UTF-8").to_owned();
    for (number, step) in page.steps.iter().enumerate() {
        let Action::Run { command, .. } = &step.action else {
            continue;
        };
        let read = |what| std::fs::read(state.join(format!("{number}.{what}"))).unwrap_or_default();
        let printed = String::from_utf8_lossy(&read("out")).replace(&home, "/users/you");
        let code = String::from_utf8_lossy(&read("code")).trim().to_owned();
        if print {
            println!(
                "{}:{}: $ {command}\n{printed}? {code}",
                page.name, step.line
            );
        }
        if let Some(what) = differs(step, &printed, &code) {
            let place = format!("{}:{}: $ {command}", page.name, step.line);
            failures.push(format!("{place}\n{what}; it printed\n{printed}? {code}\n"));
        }
    }
    println!(
        "{}: {} commands, {:.1} s",
        page.name,
        page.commands(),
        took.as_secs_f64()
    );
    failures
}

/// The steps as files below `state`, and the script that takes them.
fn write(page: &Page, state: &Path) -> String {
    let mut script = String::new();
    let at = state.to_str().expect("UTF-8");
    for (number, step) in page.steps.iter().enumerate() {
        let (file, text) = match &step.action {
            Action::Run { command, .. } => (format!("{at}/{number}"), command),
            Action::Write { text, .. } => (format!("{at}/{number}"), text),
        };
        std::fs::write(&file, format!("{}\n", text.trim_end_matches('\n'))).expect("written");
        match &step.action {
            Action::Run { .. } => {
                writeln!(
                    script,
                    "source {file} >{file}.out 2>&1 </dev/null; echo $? >{file}.code"
                )
            }
            Action::Write { name, .. } => {
                let name = shell_words::quote(name);
                writeln!(script, "mkdir -p \"$(dirname {name})\"; cat {file} >{name}")
            }
        }
        .expect("text grows");
    }
    script
}

fn differs(step: &Step, printed: &str, code: &str) -> Option<String> {
    let Action::Run {
        expected,
        code: wanted,
        ..
    } = &step.action
    else {
        return None;
    };
    if code.is_empty() {
        return Some("the shell ended here, or before".into());
    }
    if code != wanted.to_string() {
        return Some(format!("exit code {code}, expected {wanted}"));
    }
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    let expected: Vec<String> = expected.iter().map(|l| l.trim_end().to_owned()).collect();
    let end = expected
        .iter()
        .rposition(|l| !l.is_empty())
        .map_or(0, |n| n + 1);
    let same = end == 0 || matches(&expected[..end], &lines);
    (!same).then(|| format!("expected\n{}", expected[..end].join("\n")))
}

fn failures(text: &str) -> Vec<String> {
    let page = Page::parse("page.md", &format!("```console\n{text}```\n"));
    assert!(page.wrong.is_empty(), "{:?}", page.wrong);
    run(&page, false)
}

#[test]
fn what_a_page_does_not_say_is_told() {
    let all = [
        ("$ echo yes\nno\n", "expected\nno; it printed\nyes\n"),
        ("$ echo yes >&2\n\nyes\nyes\n", "it printed\nyes\n"),
        ("$ false\n", "exit code 1, expected 0"),
        ("$ true\n? 1\n", "exit code 0, expected 1"),
        ("$ (\n", "syntax error"),
        ("$ exit 0\n", "the shell ended here"),
    ];
    // One bash for each: the last one ends it.
    for (text, part) in all {
        let failures = failures(text);
        assert!(
            failures.len() == 1 && failures[0].contains(part),
            "{text}: {failures:?}"
        );
    }
}

#[test]
fn a_page_changes_nothing_of_the_machine() {
    let musl = Path::new(crate::common::MUSL);
    let (before, names) = (
        crate::common::read(musl),
        crate::common::names(musl.parent().unwrap()),
    );
    let here = root().join("README.md");
    let failures = failures(&format!(
        "$ brawn patch {0}\n$ brawn inspect {0} | grep -c '^fine .* brawn '\n1\n\
         $ touch /usr/new {1}\n[..] Read-only file system\n[..] Read-only file system\n? 1\n\
         $ touch new ~/new $TMPDIR/new && cd .. && ls\nbrawn\nhere\nnew\n$ pwd\n/users/you\n",
        musl.display(),
        here.display(),
    ));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(crate::common::read(musl) == before);
    assert_eq!(crate::common::names(musl.parent().unwrap()), names);
}

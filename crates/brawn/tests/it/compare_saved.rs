//! What `--export-json` wrote, shown again: of one file, or of two that are compared.

use crate::common::brawn_path;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Data of 20 rounds in which each form of `forms` takes so many milliseconds, give or take a few permille.
pub fn data(date: &str, forms: &[(&str, f64)]) -> Value {
    let run = |round: usize, candidate: usize| {
        let noise = 1.0 + (round * 7 % 5) as f64 / 1000.0 + (candidate * round % 3) as f64 / 1000.0;
        let wall = (forms[candidate].1 * 1e6 * noise) as u64;
        json!({"candidate": candidate, "round": round, "phase": "measured", "end": {"exit": 0},
            "figures": {"wall_ns": wall, "user_ns": wall, "system_ns": 0, "peak_rss": 3_000_000, "minor_faults": 9,
            "major_faults": 0, "voluntary": 1, "involuntary": 1}})
    };
    let rounds = 0..20;
    let runs: Vec<Value> = rounds
        .flat_map(|round| (0..forms.len()).map(move |form| (round, form)))
        .map(|(round, form)| run(round, form))
        .collect();
    let candidates: Vec<Value> = forms
        .iter()
        .enumerate()
        .map(|(number, (name, _))| {
            let kind = if number == 0 { "original" } else { "rewritten" };
            json!({"name": name, "kind": kind, "file": "/a", "size": 9, "sha256": "00"})
        })
        .collect();
    json!({
        "format": "brawn-compare", "version": 1, "brawn": "0.1.0", "date": date,
        "command": {"program": "a", "arguments": ["x"], "folder": "/", "ignore_failure": false, "warmup": 0,
            "rounds": 20, "compare_output": ["stdout"]},
        "machine": {"cpu": "one", "kernel": "6.1"}, "load": [0.0, 0.0],
        "counters": {"reason": "none", "available": false, "with_kernel": false}, "seed": 1,
        "candidates": candidates, "order": vec![(0..forms.len()).collect::<Vec<_>>(); 20], "runs": runs,
        "findings": [], "verdicts": [],
    })
}

pub fn written(folder: &Path, name: &str, data: &Value) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, data.to_string()).expect("written");
    path
}

fn open(files: &[&Path], more: &[&str]) -> Output {
    let mut command = Command::new(brawn_path());
    command.arg("compare");
    for file in files {
        command.arg("--open-data").arg(file);
    }
    command.args(more).output().expect("brawn runs")
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[test]
fn each_form_is_compared_with_what_it_was() {
    let folder = TempDir::new().expect("a temporary directory");
    let before = data(
        "2026-01-01",
        &[("as it is", 20.0), ("fast", 10.0), ("lean", 12.0)],
    );
    let mut after = data(
        "2026-02-01",
        &[("as it is", 20.0), ("secure", 14.0), ("fast", 11.0)],
    );
    after["machine"]["kernel"] = "6.12".into();
    let before = written(folder.path(), "before.json", &before);
    let after = written(folder.path(), "after.json", &after);
    let page = folder.path().join("page.html");
    let output = open(
        &[&before, &after],
        &["--verbose", "--html", page.to_str().expect("UTF-8")],
    );
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("as it is, after: no difference"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("fast, after: slower by 10 % (")
            || lines[1].starts_with("fast, after: slower by 9.9 % ("),
        "{said}"
    );
    assert!(
        lines[2].ends_with("the machine's kernel was 6.1 before, and is 6.12"),
        "{said}"
    );
    assert!(!said.contains("lean") && !said.contains("secure"), "{said}");
    assert!(
        said.contains("measured apart, on 2026-01-01 and 2026-02-01"),
        "{said}"
    );
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.contains("fast, after, against fast, before"),
        "no form's own past"
    );
    assert!(!page.contains("To do it again"), "no line does both");

    // What comes of it can be opened, too, but not be compared once more.
    let both = folder.path().join("both.json");
    let name = both.to_str().expect("UTF-8");
    open(&[&before, &after], &["--export-json", name]);
    assert_eq!(text(&open(&[&both], &["--verbose"])), said);
    let again = open(&[&both, &after], &[]);
    assert_eq!(again.status.code(), Some(3), "{}", text(&again));
    assert!(text(&again).contains("itself made from two files"));
}

#[test]
fn what_has_no_form_in_common_is_refused() {
    let folder = TempDir::new().expect("a temporary directory");
    let one = written(
        folder.path(),
        "one.json",
        &data("2026-01-01", &[("musl", 2.0)]),
    );
    let other = written(
        folder.path(),
        "other.json",
        &data("2026-01-01", &[("glibc", 2.0)]),
    );
    let output = open(&[&one, &other], &[]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let said = text(&output);
    assert!(
        said.contains("other.json: no form is in both: found musl and glibc"),
        "{said}"
    );
    let output = open(&[&one, &other, &one], &[]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("at most two files"));
    // A form that is compared with one that is not there.
    let mut broken = data("2026-01-01", &[("as it is", 2.0), ("fast", 1.0)]);
    broken["candidates"][1]["against"] = 7.into();
    let broken = written(folder.path(), "broken.json", &broken);
    assert_eq!(open(&[&broken], &[]).status.code(), Some(4));
    // For each form all runs are gone through: many of both would take time without end.
    let many: Vec<(String, f64)> = (0..65).map(|n| (format!("form {n}"), 2.0)).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(name, ms)| (name.as_str(), *ms)).collect();
    let most = written(folder.path(), "most.json", &data("2026-01-01", &many[..64]));
    assert_eq!(open(&[&most], &[]).status.code(), Some(0));
    let many = written(folder.path(), "many.json", &data("2026-01-01", &many));
    let output = open(&[&many], &[]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(text(&output).contains("65 forms, and at most 64 are compared"));
}

/// What a terminal or a browser acts on.
const BAD: &str = "a\nerror: lies\r\t\u{8}\u{1b}[31m\u{7f}\u{85}\u{9b}1m\u{200f}\u{202e}\u{2066}\u{2028}\u{e0001}\"\\<b>";

/// Every text in `value`, and a name of a machine's property, replaced in turn by [`BAD`].
fn hostile(value: &Value) -> Vec<Value> {
    fn paths(value: &Value, path: &str, all: &mut Vec<String>) {
        match value {
            Value::String(_) => all.push(path.to_owned()),
            Value::Array(items) => {
                let first = items.iter().enumerate().take(2);
                first.for_each(|(n, item)| paths(item, &format!("{path}/{n}"), all));
            }
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, item)| paths(item, &format!("{path}/{name}"), all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    paths(value, "", &mut all);
    let mut all: Vec<Value> = all
        .iter()
        .map(|path| {
            let mut changed = value.clone();
            *changed.pointer_mut(path).expect("it is there") = BAD.into();
            changed
        })
        .collect();
    let mut changed = value.clone();
    changed["machine"][BAD] = BAD.into();
    all.push(changed);
    all
}

#[test]
fn names_in_saved_data_are_printed_as_names() {
    let folder = TempDir::new().expect("a temporary directory");
    let mut one = data("2026-01-01", &[("as it is", 20.0), ("fast", 10.0)]);
    one["findings"] = json!([{"kind": "differs", "candidate": 1, "what": "other output"}]);
    one["diagnosis"] = json!({"sentence": "half of it is malloc"});
    let bench = json!({"format": "brawn-bench", "version": 1, "brawn": "0.1.0", "date": "2026-01-01",
        "machine": {"cpu": "one"}, "compilers": {"musl": "musl-gcc"}, "verdict": "",
        "workloads": [{"name": "other", "title": "a workload", "comparison": one}]});
    let clean = written(folder.path(), "clean.json", &one);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [page, table, csv] = ["page.html", "table.md", "runs.csv"].map(path);
    let libc = json!({"format": "brawn-bench-libc", "version": 1, "brawn": "0.1.0", "date": "2026-01-01",
        "machine": {"cpu": "one"}, "load": [0.0, 0.0], "compilers": {"glibc": "gcc"}, "base": "glibc", "verdict": "",
        "rows": [], "left_out": [{"rows": ["sort: lfind"], "why": "it is not there"}],
        "findings": [{"row": "sort: bsearch", "form": "brawn", "what": "was ended by signal 11"}],
        "rounds": [{"glibc": {"a": 1.0, BAD: 2.0}, "stock musl": {"a": 1.0, BAD: 2.0}, "brawn": {"a": 1.0, BAD: 3.0}}]});
    let check = |command: &str, arguments: &[&str]| {
        let mut brawn = Command::new(brawn_path());
        let output = brawn.arg(command).args(arguments).output();
        let output = output.expect("brawn runs");
        let mut texts = vec![text(&output)];
        for file in [&page, &table, &csv] {
            if let Ok(written) = std::fs::read_to_string(file) {
                texts.push(written);
                std::fs::remove_file(file).expect("removed");
            }
        }
        for text in texts {
            let odd = |c: char| c != '\n' && !brawn_core::shown::is_plain(c);
            let at = text.find(odd).unwrap_or(text.len());
            let near: String = text[at..].chars().take(40).collect();
            assert!(near.is_empty(), "{command} {arguments:?}: {near:?}");
            let lies = text.lines().any(|line| line.starts_with("error: lies"));
            assert!(!lies, "{command} {arguments:?}: {text}");
            // In a page it is no markup.
            assert!(!text.starts_with('<') || !text.contains("\\<b>"), "{text}");
        }
        output.status.code()
    };
    let mut shown = 0;
    let written = |value: &Value| written(folder.path(), "bad.json", value);
    for value in hostile(&one) {
        let bad = written(&value).display().to_string();
        let bad = bad.as_str();
        let code = check("compare", &["--open-data", bad, "--verbose"]);
        // What only a measurement has a use for is not passed over.
        assert_eq!(
            check("compare", &["--open-data", bad, "--runs", "8"]),
            Some(2)
        );
        shown += usize::from(code == Some(1));
        check("compare", &["--open-data", bad, "--json"]);
        let files = ["--export-markdown", &table, "--export-csv", &csv];
        let files = [&["--open-data", bad, "--html", &page][..], &files].concat();
        check("compare", &files);
        let clean = clean.to_str().expect("UTF-8");
        check("compare", &["--open-data", bad, "--open-data", clean]);
        check("compare", &["--open-data", clean, "--open-data", bad]);
    }
    assert!(shown > 10, "{shown} files were judged");
    shown = 0;
    for value in hostile(&bench) {
        let bad = written(&value).display().to_string();
        let code = check("bench", &["--open-data", &bad]);
        shown += usize::from(code == Some(1));
        check("bench", &["--open-data", &bad, "--json"]);
        check("bench", &["--open-data", &bad, "--html", &page]);
    }
    assert!(shown > 10, "{shown} files were judged");
    shown = 0;
    for value in hostile(&libc) {
        let bad = written(&value).display().to_string();
        let code = check("bench", &["libc", "--open-data", &bad]);
        shown += usize::from(code == Some(1));
        check("bench", &["libc", "--open-data", &bad, "--json"]);
        check("bench", &["libc", "--open-data", &bad, "--html", &page]);
    }
    assert!(shown > 5, "{shown} files were judged");
}

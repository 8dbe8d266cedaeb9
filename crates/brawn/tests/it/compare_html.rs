//! `brawn compare --html`: a page that nothing on it can break out of, and that needs nothing beside itself.

use crate::common::brawn_path;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What somebody might call a file to get something done by the page's reader.
const EVIL: &str = "</script></style><img src=x onerror=alert(1)>\"'&<!--";

/// Data of so many rounds, in which every text is evil.
fn data(rounds: usize) -> Value {
    let run = |phase: &str, round: usize, candidate: usize| {
        let wall = 20_000_000 + (round * 7919 % 1000) as u64 * 5000 - candidate as u64 * 5_000_000;
        let memory: Vec<Value> = match phase {
            "look" => (0..200)
                .map(|n| json!({"at_us": n * 100, "rss": 1_000_000 + n * 4096, "pss": 1_000_000}))
                .collect(),
            _ => Vec::new(),
        };
        json!({"candidate": candidate, "round": round, "phase": phase, "end": {"exit": 0}, "memory": memory,
            "figures": {"wall_ns": wall, "user_ns": wall, "system_ns": 0, "peak_rss": 3_000_000, "minor_faults": 9,
            "major_faults": 0, "voluntary": 1, "involuntary": 1}})
    };
    let mut runs = vec![run("look", 0, 0), run("look", 0, 1)];
    for round in 0..rounds {
        runs.extend([run("measured", round, 0), run("measured", round, 1)]);
    }
    let form =
        |kind: &str| json!({"name": EVIL, "kind": kind, "file": EVIL, "size": 9, "sha256": EVIL});
    let share = json!({"count": 900, "share": 0.9, "low": 0.8, "high": 0.95});
    let part = |part: &str| {
        let mut part = json!({"part": part, "name": EVIL, "kernel": false, "file": EVIL});
        let fields = part.as_object_mut().expect("an object");
        fields.extend(share.as_object().expect("an object").clone());
        part
    };
    let sampled = |candidate: usize| {
        json!({"candidate": candidate, "runs": 1, "words": EVIL, "diagnosis": {"mode": "clock", "samples": 1000,
            "seconds": 1.0, "wall": 1.0, "threads": 1, "parts": [part("libc")], "functions": [part("libc")],
            "heap_wait": 0.0, "has_musl": true}})
    };
    json!({
        "format": "brawn-compare", "version": 1, "brawn": EVIL, "date": EVIL,
        "command": {"program": EVIL, "arguments": [EVIL], "line": ["brawn", "compare", EVIL], "folder": EVIL,
            "shell": EVIL, "prepare": EVIL, "input": EVIL, "ignore_failure": false, "warmup": 0, "rounds": rounds,
            "compare_output": [EVIL]},
        "machine": {"cpu": EVIL, "memory": EVIL, "kernel": EVIL, "distribution": EVIL},
        "load": [0.0, 0.0], "counters": {"reason": EVIL, "available": false, "with_kernel": false}, "seed": 17,
        "candidates": [form("original"), form("rewritten")],
        "order": vec![[0, 1]; rounds], "runs": runs, "verdicts": [],
        "findings": [{"candidate": 1, "kind": "differs", "what": EVIL, "kept": [EVIL]}],
        "diagnosis": {"forms": [sampled(0), sampled(1)], "reason": EVIL},
        "prediction": {"ratio": 0.5, "low": 0.4, "high": 0.6, "gains": [{"what": EVIL, "share": 0.5}], "has_musl": true},
    })
}

/// The page of `data`.
fn page(data: &Value, folder: &Path, name: &OsStr) -> String {
    let file = folder.join("data.json");
    std::fs::write(&file, data.to_string()).expect("written");
    let out = folder.join(name);
    let mut command = Command::new(brawn_path());
    command.args(["compare", "--json", "--open-data"]).arg(file);
    command.arg("--html").arg(&out).stdout(Stdio::null());
    let status = command.status().expect("brawn runs");
    assert_eq!(status.code(), Some(1), "the data have a finding");
    std::fs::read_to_string(out).expect("a page in UTF-8")
}

/// The names of all elements, with what they have. Fails where one is not closed, or closed by another's end.
fn elements(page: &str) -> Vec<(String, String)> {
    let (mut all, mut open) = (Vec::new(), Vec::new());
    let style = page.find("<style>").expect("a style")..page.find("</style>").expect("its end");
    let (before, after) = (&page[..style.start], &page[style.end..]);
    for tag in format!("{before}<style>{after}").split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a `<` is a tag's");
        let (name, has) = tag.split_once(' ').unwrap_or((tag, ""));
        match name.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop().as_deref(), Some(end), "</{end}>"),
            None if ["!DOCTYPE", "meta", "br"].contains(&name) => {}
            None => open.push(name.to_owned()),
        }
        all.push((name.to_owned(), has.to_owned()));
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

#[test]
fn nothing_breaks_out_of_the_page() {
    let folder = TempDir::new().expect("a temporary directory");
    let page = page(&data(12), folder.path(), OsStr::from_bytes(b"p\xff.html"));
    let known = "!DOCTYPE html head meta title style body header main footer section figure h1 h2 p div span b br code pre \
        table thead tbody tr th td details summary dl dt dd svg desc path g";
    let known: BTreeSet<&str> = known.split_whitespace().collect();
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let mut referred = BTreeSet::new();
    for (name, has) in elements(&page) {
        assert!(
            known.contains(name.trim_start_matches('/')),
            "<{name} {has}>"
        );
        for word in has.split('"').collect::<Vec<_>>().chunks(2) {
            let [attribute, value] = word else { continue };
            match attribute.trim() {
                "id=" => assert!(ids.insert((*value).to_owned()), "{value} twice"),
                "aria-labelledby=" => referred.extend(value.split(' ').map(str::to_owned)),
                other => assert!(
                    !other.starts_with("on") && !["href=", "src="].contains(&other),
                    "{other}"
                ),
            }
        }
    }
    assert_eq!(ids, referred, "each title and description is an image's");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    for address in ["http:", "https:", "url(", "@import", "<script", "<img"] {
        assert!(!page.contains(address), "{address}");
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
    assert!(page.contains("prefers-color-scheme:dark"));
    assert_eq!(
        page.matches("<svg").count()
            - page
                .matches("aria-hidden=\"true\"><path class=\"bar\"")
                .count(),
        3
    );
    assert_eq!(
        page.matches("The same as a table").count(),
        2 * 3,
        "of runs, memory and functions"
    );
    let left = std::fs::read_dir(folder.path()).expect("the directory");
    assert_eq!(left.count(), 2, "the data and the page");
}

#[test]
fn ten_thousand_runs_are_less_than_a_megabyte() {
    let folder = TempDir::new().expect("a temporary directory");
    let page = page(&data(5000), folder.path(), OsStr::new("page.html"));
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let dots = page.matches("h0").count();
    assert!(dots >= 10_000, "{dots} dots");
    assert!(elements(&page).len() < 1000);
}

#[test]
fn a_comparison_is_diagnosed() {
    let folder = TempDir::new().expect("a temporary directory");
    let out = folder.path().join("page.html");
    std::fs::write(&out, "old").expect("written");
    let line = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
    let mut command = Command::new(brawn_path());
    command.args([
        "compare",
        "--json",
        "--runs",
        "2",
        "--against",
        "/bin/sh",
        "--html",
    ]);
    let output = command
        .arg(&out)
        .args(["--", "/bin/sh", "-c", line, EVIL])
        .arg(OsStr::from_bytes(b"\xff"))
        .output();
    let output = output.expect("brawn runs");
    let data: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let diagnosis = &data["diagnosis"];
    let forms = diagnosis["forms"].as_array().expect("forms");
    assert!(
        forms.len() == 2 || diagnosis["reason"].is_string(),
        "{diagnosis}"
    );
    let page = std::fs::read_to_string(out).expect("a page");
    elements(&page);
    assert!(page.contains("Bytes that are not text"), "{page}");
}

/// What stands behind the program's name is no option of brawn's.
#[test]
fn the_command_to_repeat_it_has_the_seed_that_was_drawn() {
    let folder = TempDir::new().expect("a temporary directory");
    let out = folder.path().join("page.html");
    let mut command = Command::new(brawn_path());
    command.args(["compare", "--against", "/bin/sh", "--runs=2", "--html"]);
    command
        .arg(&out)
        .args(["/bin/sh", "-c", ":", "--seed=7", "--runs", "9"]);
    let output = command.output().expect("brawn runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = std::fs::read_to_string(out).expect("a page");
    assert!(page.contains(" compare --seed "), "{page}");
    assert!(!page.contains(" --runs 2"), "{page}");
}

//! `inspect` on files of public packages: what it says is what was found out by other means.

use crate::common::{brawn, succeed, tools};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const EXPECTED: &str = include_str!("corpus.txt");
const KEYS: [&str; 5] = ["architecture", "libc", "linkage", "heap", "verdict"];

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = EXPECTED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let row: Vec<&str> = line.split(" | ").collect();
        assert_eq!(row.len(), KEYS.len() + 2, "{line}");
        row
    })
}

#[test]
fn files_of_public_packages_are_what_they_are() {
    assert!(rows().count() >= 30);
    let folder = tools().join("corpus");
    let folder = folder.to_str().expect("UTF-8");
    // The file on the disk: a package, or what a package was unpacked to.
    let files: BTreeSet<String> = rows()
        .map(|row| format!("{folder}/{}", row[0].split('!').next().unwrap_or_default()))
        .collect();
    for file in &files {
        assert!(
            Path::new(file).is_file(),
            "{file} is missing: run tools/corpus.sh (and `make tools` for zig)"
        );
    }
    let json = succeed(brawn().args(["inspect", "--json"]).args(&files));
    let reports: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    let reports: BTreeMap<&str, &Value> = reports
        .iter()
        .map(|r| (r["path"].as_str().expect("a path"), r))
        .collect();
    let mut wrong = Vec::new();
    for row in rows() {
        let Some(report) = reports.get(format!("{folder}/{}", row[0]).as_str()) else {
            wrong.push(format!("{}: no report", row[0]));
            continue;
        };
        for (key, expected) in KEYS.iter().zip(&row[1..]) {
            if report[key] != **expected {
                let found = &report[key];
                wrong.push(format!("{}: {key} is {found}, not {expected}", row[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! The book that mdbook makes of docs/.

use crate::common::{root, run, tools};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every value of an attribute in HTML that a program wrote.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=\"");
    let parts = html.split(begin.as_str()).skip(1);
    parts.filter_map(|p| p.split('"').next()).collect()
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

#[test]
fn mdbook_makes_it_and_its_links_lead_somewhere() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let out = folder.path().canonicalize().expect("it is there");
    let mdbook = tools().join("mdbook/bin/mdbook");
    assert!(
        mdbook.exists(),
        "{}: run `make test-packaging`",
        mdbook.display()
    );
    let (docs, to) = (root().join("docs"), out.to_str().expect("UTF-8").to_owned());
    let output = run(
        mdbook.to_str().expect("UTF-8"),
        &["build", docs.to_str().expect("UTF-8"), "--dest-dir", &to],
    );
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("WARN") && !text.contains("ERROR"), "{text}");

    let mut all = Vec::new();
    files(&out, &mut all);
    let html: BTreeMap<PathBuf, String> = all
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "html"))
        // One page that has all the others in it.
        .filter(|p| !p.ends_with("print.html") && !p.ends_with("404.html"))
        .map(|p| (p.clone(), std::fs::read_to_string(p).expect("UTF-8")))
        .collect();
    let ids: BTreeMap<&PathBuf, BTreeSet<&str>> = html
        .iter()
        .map(|(path, text)| (path, values(text, "id").into_iter().collect()))
        .collect();
    let mut wrong = String::new();
    let mut count = 0;
    for (path, text) in &html {
        for link in values(text, "href").into_iter().chain(values(text, "src")) {
            if link.contains("://") || link.starts_with("data:") {
                continue;
            }
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                let folder = path.parent().expect("a file's");
                folder.join(file).canonicalize().unwrap_or_default()
            };
            let inside = target.starts_with(&out) && target.exists();
            let known = ids.get(&target).is_none_or(|ids| ids.contains(anchor));
            if !inside || !anchor.is_empty() && !known {
                wrong += &format!("{}: {link}\n", path.strip_prefix(&out).unwrap().display());
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "links of the book that lead nowhere:\n{wrong}"
    );
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn attributes_are_found() {
    let html = "<a href=\"x.html#y\">z</a> <img alt=\"b\" src=\"c.svg\">";
    assert_eq!(values(html, "href"), ["x.html#y"]);
    assert_eq!(values(html, "src"), ["c.svg"]);
}

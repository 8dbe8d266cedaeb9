//! Links of pages: on a forge, where they lead to files of the repository.

use super::{pages, root};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// A page's links with their lines, and the anchors of its headings.
#[derive(Default)]
struct Found {
    links: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
}

fn find(text: &str) -> Found {
    let mut found = Found::default();
    let mut heading: Option<String> = None;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let line = text[..range.start].matches('\n').count() + 1;
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.links.push((line, dest_url.into_string()));
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let name = anchor(&heading.take().expect("it began"));
                let times = seen.entry(name.clone()).or_default();
                found.anchors.insert(match *times {
                    0 => name,
                    n => format!("{name}-{n}"),
                });
                *times += 1;
            }
            _ => {}
        }
    }
    found
}

/// A heading's anchor, as forges and mdbook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    });
    kept.collect()
}

/// `folder/link` without `.` and `..`, from the workspace's directory; none if that is left.
fn resolved(folder: &Path, link: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// The pages for contributors.
fn house() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(root().join("docs/contributing")).expect("readable");
    let names = folder.map(|e| e.expect("readable").file_name().into_string());
    let names = names.map(|n| format!("docs/contributing/{}", n.expect("UTF-8")));
    let more = [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "bench/README.md",
        "conformance/README.md",
        "payload/DESIGN.md",
        "payload/EXPERIMENTS.md",
        "payload/libc/README.md",
        "payload/memory/README.md",
    ];
    let names = names.chain(more.map(String::from));
    let text = |name: &String| std::fs::read_to_string(root().join(name)).expect("UTF-8");
    names.map(|name| (name.clone(), text(&name))).collect()
}

/// What contributors are led to is there: files that are named by their whole path.
#[test]
fn every_path_for_contributors_is_there() {
    // The pages on how to add something name what is to be added.
    let new = [
        "riscv64",
        "batch",
        "size.",
        "NAME",
        "DATE",
        "ARCHITECTURE/",
        "*",
    ];
    let mut wrong = String::new();
    let mut count = 0;
    for (name, text) in house() {
        for (number, line) in text.lines().enumerate() {
            for part in line.split('`').skip(1).step_by(2) {
                let rooms = [
                    "bench/",
                    "conformance/",
                    "crates/",
                    "docs/",
                    "payload/",
                    "tools/",
                ];
                let is_path = rooms.iter().any(|room| part.starts_with(room));
                if !is_path || part.contains(' ') || new.iter().any(|new| part.contains(new)) {
                    continue;
                }
                count += 1;
                if !root().join(part).exists() {
                    wrong += &format!("{name}:{}: {part}: there is no such file\n", number + 1);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > 50, "only {count} paths were found");
}

/// Every link of every page that leads nowhere.
#[test]
fn every_link_leads_somewhere() {
    let mut wrong = String::new();
    let mut count = 0;
    for (name, text) in pages().into_iter().chain(house()) {
        let folder = Path::new(&name).parent().expect("a file's");
        for (line, link) in find(&text).links {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => Some(PathBuf::from(&name)),
                path => resolved(folder, path),
            };
            let there = target.filter(|t| root().join(t).exists());
            let Some(target) = there else {
                wrong += &format!("{name}:{line}: {link}: there is no such file\n");
                continue;
            };
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(root().join(&target)).expect("a page");
                if !find(&text).anchors.contains(anchor) {
                    wrong += &format!("{name}:{line}: {link}: there is no such heading\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > 40, "only {count} links were found");
}

/// Pages that are named without a link are there.
#[test]
fn every_file_that_is_named_is_there() {
    let mut wrong = String::new();
    for (name, text) in pages() {
        for (number, line) in text.lines().enumerate() {
            for part in line.split('`').skip(1).step_by(2) {
                let is_page = part.ends_with(".md") && !part.contains([' ', '*', '…']);
                let from = [root(), root().join("docs")];
                if is_page && !from.iter().any(|f| f.join(part).exists()) {
                    wrong += &format!("{name}:{}: {part}: there is no such file\n", number + 1);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn anchors_are_a_forges() {
    assert_eq!(anchor("`brawn cargo`"), "brawn-cargo");
    assert_eq!(
        anchor("What it brings to `tokenizers`: 2.0!"),
        "what-it-brings-to-tokenizers-20"
    );
    let found = find("# A b\n\n## A b\n\n[x](y.md#z) `[not](one)`\n\n```\n[nor](this)\n```\n");
    assert_eq!(found.links, [(5, "y.md#z".to_owned())]);
    assert_eq!(found.anchors, ["a-b".to_owned(), "a-b-1".to_owned()].into());
    assert_eq!(
        resolved(Path::new("docs"), "../bench/a"),
        Some("bench/a".into())
    );
    assert_eq!(resolved(Path::new("docs"), "../../a"), None);
}

//! The repository's own rules, as tests.

#[path = "tidy/arch.rs"]
mod arch;
#[path = "tidy/macros.rs"]
mod macros;

use std::fs;
use std::path::{Path, PathBuf};

/// The workspace's directory.
fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.ancestors().nth(2);
    root.expect("this crate is two directories below the workspace's")
}

/// A file longer than this is two files.
const MAX_LINES: usize = 500;

/// Files that are longer all the same, each with how long, and why.
const LONGER: &[(&str, usize)] = &[];

/// Every file of the repository below `folder`, but for what is built or fetched.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        // What a link leads to is seen where it is.
        if path.is_symlink() {
            continue;
        }
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            if !["target", ".git", "results", "corpus"].contains(&name) {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// Path (below the root) and text of every file whose name ends in one of `endings`.
fn texts(endings: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    files(root, &mut found);
    let texts: Vec<_> = found
        .into_iter()
        .filter(|path| {
            endings
                .iter()
                .any(|ending| path.to_string_lossy().ends_with(ending))
        })
        .filter_map(|path| {
            let name = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
            Some((name, fs::read_to_string(path).ok()?))
        })
        .collect();
    assert!(
        texts.len() > 5,
        "found only {} files ending in {endings:?}",
        texts.len()
    );
    texts
}

const SOURCES: &[&str] = &[".rs", ".c", ".h", ".cc", ".S", ".sh", "Makefile", ".ci/run"];

#[test]
fn names_of_files_tell_which_are_unit_tests() {
    for (name, _) in texts(&[".rs"]) {
        let below = name.split_once("/src/").map_or("", |(_, below)| below);
        assert!(
            !below.contains("tests/") || name.ends_with("tests.rs"),
            "{name}: a file of tests is named tests.rs, or ends so"
        );
    }
}

#[test]
fn no_source_file_is_too_long() {
    for (name, text) in texts(SOURCES) {
        let lines = text.lines().count();
        let longer = LONGER.iter().find(|(longer, _)| *longer == name);
        let most = longer.map_or(MAX_LINES, |(_, most)| *most);
        assert!(lines <= most, "{name}: {lines} lines, at most {most}");
        assert!(
            longer.is_none() || lines > MAX_LINES,
            "{name} is no longer too long: take it out of LONGER"
        );
    }
}

/// A function longer than this is two functions.
const MAX_OF_A_FUNCTION: usize = 80;

/// What begins the reason, in the comment above it, of a function that is longer all the same.
const REASON: &str = "Long because ";

/// Whether a function's body begins on the line, as cargo fmt and clang-format write it.
fn begins_a_function(name: &str, line: &str) -> bool {
    if !line.ends_with('{') {
        return false;
    }
    if name.ends_with(".rs") {
        // What stands before `fn`: `pub(super)`, `const`, `unsafe`, `extern "C"`.
        let Some((before, _)) = line.split_once("fn ") else {
            return line.trim() == "{" || line.trim_start().starts_with(") ");
        };
        let mut words = before.split_whitespace();
        return words.all(|word| {
            word.starts_with("pub")
                || ["const", "async", "unsafe", "extern", "\"C\""].contains(&word)
        });
    }
    // C's begin in the first column; so do types, which have no parentheses.
    line == "{" || (line.ends_with(") {") && !line.starts_with([' ', '\t']))
}

#[test]
fn no_function_is_too_long_without_a_reason() {
    let mut long = Vec::new();
    let mut count = 0;
    for (name, text) in texts(&[".rs", ".c", ".h", ".cc"]) {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            if !begins_a_function(&name, line) {
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            let end = format!("{:indent$}}}", "");
            let Some(length) = lines[number..].iter().position(|line| *line == end) else {
                continue;
            };
            count += 1;
            // Above a function stand its comment and its attributes, and above the brace its parameters.
            let above = lines[..number].iter().rev();
            let mut above = above.take_while(|line| **line != end && !line.trim().is_empty());
            if length >= MAX_OF_A_FUNCTION && !above.any(|line| line.contains(REASON)) {
                long.push(format!("{name}:{}: {} lines", number + 1, length + 1));
            }
        }
    }
    assert!(count > 3000, "found only {count} functions");
    assert!(
        long.is_empty(),
        "at most {MAX_OF_A_FUNCTION} lines of a function, or `// {REASON}…` above it:\n{}",
        long.join("\n")
    );
}

/// How wide a line of prose may be.
const MAX_COLUMNS: usize = 120;

/// Tables, code, figures and what programs write between comments are as wide as they are.
#[test]
fn prose_fits_into_a_line() {
    for (name, text) in texts(&[".md"]) {
        let (mut code, mut generated) = (false, false);
        for (number, line) in text.lines().enumerate() {
            let start = line.trim_start();
            code ^= start.starts_with("```");
            generated =
                (generated || start.ends_with(": begin -->")) && !start.ends_with(": end -->");
            // The names of tests stand behind some lines, and are not shown.
            let shown = line.split(" <!-- ").next().unwrap_or_default();
            let columns = shown.chars().count();
            assert!(
                columns <= MAX_COLUMNS
                    || code
                    || generated
                    || start.starts_with(['|', '<', '!', '#']),
                "{name}:{}: {columns} columns, at most {MAX_COLUMNS}",
                number + 1
            );
        }
    }
}

#[test]
fn nothing_is_left_undone_ignored_or_silenced() {
    // Spelled so that this file does not find itself.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("unimplemented", "!("),
        concat!("todo", "!("),
        concat!("#[ig", "nore"),
        concat!("|| tr", "ue"),
    ];
    for (name, text) in texts(SOURCES) {
        for (number, line) in text.lines().enumerate() {
            for word in words {
                assert!(!line.contains(word), "{name}:{}: {word}", number + 1);
            }
        }
    }
}

#[test]
fn no_path_of_one_machine_is_in_the_repository() {
    let homes = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/wo", "rk/"),
    ];
    for (name, text) in texts(&[SOURCES, &[".md", ".toml", ".json", ".snap"]].concat()) {
        for (number, line) in text.lines().enumerate() {
            for home in homes {
                assert!(!line.contains(home), "{name}:{}: {home}", number + 1);
            }
        }
    }
}

/// Whoever publishes brawn elsewhere changes one line.
#[test]
fn the_repositorys_address_stands_once() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix("repository = \""));
    let address = line.expect("an address").trim_end_matches('"');
    let mut parts = address.rsplit('/');
    let (name, owner) = (
        parts.next().expect("a name"),
        parts.next().expect("an owner"),
    );
    assert!(!owner.is_empty() && !name.is_empty(), "{address}");
    let endings = [
        SOURCES,
        &[
            ".md",
            ".toml",
            ".json",
            ".yml",
            ".py",
            ".rb",
            ".nix",
            "control",
            "changelog",
            "APKBUILD",
        ],
    ];
    for (file, text) in texts(&endings.concat()) {
        let found =
            text.contains(&format!("{owner}/{name}")) || text.contains(&format!("{owner}@"));
        assert!(
            !found || file == "Cargo.toml",
            "{file}: found {owner}/{name}, expected it in Cargo.toml alone"
        );
    }
}

#[test]
fn architecture_names_every_room() {
    let root = root();
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for folder in ["crates", "payload"] {
        for entry in fs::read_dir(root.join(folder)).expect("a room") {
            let entry = entry.expect("an entry");
            if !entry.path().is_dir() {
                continue;
            }
            let name = entry.file_name();
            let room = format!("`{folder}/{}", name.to_string_lossy());
            assert!(text.contains(&room), "ARCHITECTURE.md does not name {room}");
        }
    }
    for file in [
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "docs/note.md",
    ] {
        assert!(root.join(file).is_file(), "{file} is missing");
    }
}

/// What people read is what `tools/oldest-rust.sh` tests.
#[test]
fn the_oldest_rust_is_the_same_everywhere() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a file of ours");
    let manifest = read("Cargo.toml");
    let lines = manifest.lines();
    let mut versions = lines.filter_map(|line| line.strip_prefix("rust-version = "));
    let version = versions.next().expect("rust-version").trim_matches('"');
    for name in ["README.md", "CONTRIBUTING.md", "docs/introduction.md"] {
        let text = read(name);
        assert!(
            text.contains(&format!("Rust {version} or newer")),
            "{name}: not Rust {version}"
        );
    }
    for name in ["bench/extensions/Cargo.toml", "fuzz/Cargo.toml"] {
        let line = format!("rust-version = \"{version}\"");
        assert!(read(name).contains(&line), "{name}: no {line}");
    }
}

/// Whether there is a test `MODULE::NAME`, of the command or of what publishes files.
fn is_test(root: &Path, test: &str) -> bool {
    let (module, name) = test.split_once("::").unwrap();
    let files = [
        format!("crates/brawn/tests/it/{module}.rs"),
        format!("crates/brawn-core/src/publish/{module}/tests.rs"),
    ];
    files.iter().any(|file| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        text.contains(&format!("#[test]\nfn {name}()"))
    })
}

/// docs/security.md: what brawn promises about files, each sentence with its tests.
#[test]
fn every_promise_about_files_has_a_test() {
    let root = root();
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let begin = page.find("## What brawn promises about files").unwrap();
    let section = &page[begin..];
    let section = &section[..section.find("\n### ").unwrap()];
    let promises: Vec<&str> = section.split("\n- ").skip(1).collect();
    assert!(promises.len() > 15, "{}", promises.len());
    for promise in promises
        .iter()
        .filter(|p| !p.contains("<!-- commands: begin"))
    {
        let tests = promise.split("<!-- test: ").nth(1);
        let tests = tests.unwrap_or_else(|| panic!("no test: {promise}"));
        let (tests, _) = tests.split_once(" -->").unwrap();
        for test in tests.split(", ") {
            assert!(is_test(root, test), "{test}: no such test");
        }
    }
}

/// The same page: each command's cells are tests, which exist, or "-" with one of the reasons below the table.
#[test]
fn every_cell_of_the_commands_has_a_test_or_a_reason() {
    let root = root();
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let (_, table) = page.split_once("<!-- commands: begin -->").unwrap();
    let (table, _) = table.split_once("<!-- commands: end -->").unwrap();
    let listed: Vec<&str> = table
        .lines()
        .filter_map(|line| line.split_once(". `")?.1.strip_suffix('`'))
        .collect();
    for test in &listed {
        assert!(is_test(root, test), "{test}: no such test");
    }
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| reports"));
    let mut used = vec![false; listed.len()];
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 11, "{row}");
        for cell in &cells[1..] {
            if let Some(reason) = cell.strip_prefix("- ") {
                assert!(table.contains(&format!("\n- {reason}: ")), "{cell}: {row}");
            } else {
                for number in cell.split(", ") {
                    let number: usize = number.parse().unwrap_or_else(|_| panic!("{cell}: {row}"));
                    used[number - 1] = true;
                }
            }
        }
    }
    assert!(used.iter().all(|used| *used), "a test that no cell names");
}

//! The heap's macros, and the names of the engine below it.

use super::{root, texts};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[path = "../../../brawn-payload/build/engine/mod.rs"]
#[allow(dead_code)] // the payload's build script calls more of it
mod engine;

/// What the engine's `types.h` documents to be set from outside: it defines these only where nobody has.
const CONFIGURATION: &[&str] = &[
    "MI_DEBUG",
    "MI_MAX_ALIGN_SIZE",
    "MI_MEDIUM_PAGE_SHIFT",
    "MI_PADDING",
    "MI_SECURE",
    "MI_SEGMENT_SHIFT",
    "MI_SEGMENT_SLICE_SHIFT",
    "MI_STAT",
];

/// Where the macros are that the engine's files see.
const OURS: &[&str] = &[
    "payload/heap/",
    "payload/profiles/",
    "payload/arch/",
    "payload/common/",
];

/// The names in C's `text`, without those in comments and strings.
fn names(text: &str) -> BTreeSet<String> {
    let (mut found, mut rest) = (BTreeSet::new(), text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' || first == '\'' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = (c == first && !escaped) || c == '\n';
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if is_part(first) {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.insert(rest[..end].to_owned());
            end
        } else {
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Every name that the engine's files define or use, as they come.
fn engines(folder: &Path) -> BTreeSet<String> {
    let mut files = Vec::new();
    for part in engine::FOLDERS {
        super::files(&folder.join(part), &mut files);
    }
    let sources = files.iter().filter(|file| {
        let ending = file.extension().and_then(|ending| ending.to_str());
        // What is for other systems, and C++.
        let elsewhere = file.components().any(|part| part.as_os_str() == "prim");
        ending.is_some_and(|ending| ["c", "h"].contains(&ending)) && !elsewhere
    });
    sources
        .flat_map(|file| names(&fs::read_to_string(file).unwrap()))
        .collect()
}

/// The macros that a file defines or takes back, with the number of the line.
fn macros(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(number, line)| {
            let directive = line.trim_start().strip_prefix('#')?.trim_start();
            let name = ["define ", "undef "]
                .iter()
                .find_map(|word| directive.strip_prefix(word))?;
            let name = name.trim_start();
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            Some((number + 1, &name[..end.unwrap_or(name.len())]))
        })
        .collect()
}

/// What is to be another in the engine becomes so by a patch, which says where and why.  A macro would do it in secret, and do
/// something else in the next version.
#[test]
fn no_macro_of_the_heaps_has_a_name_of_the_engines() {
    let found = engine::find(&root().join("crates/brawn-payload")).unwrap();
    let engines = engines(&found.folder);
    assert!(engines.len() > 2000, "found only {} names", engines.len());
    let mut configured = BTreeSet::new();
    for (file, text) in texts(&[".c", ".h"]) {
        if !OURS.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        for (line, name) in macros(&text) {
            if CONFIGURATION.contains(&name) {
                configured.insert(name.to_owned());
                continue;
            }
            assert!(
                !engines.contains(name),
                "{file}:{line}: found a macro {name}, which is a name of the engine's ({}): expected another name, or a patch \
                 in payload/engine/",
                found.version
            );
        }
    }
    let types = fs::read_to_string(found.folder.join("include/mimalloc/types.h")).unwrap();
    for name in CONFIGURATION {
        assert!(
            configured.contains(*name),
            "no file sets {name}: take it out of CONFIGURATION"
        );
        let asks = [format!("#ifndef {name}\n"), format!("!defined({name})")];
        assert!(
            asks.iter().any(|ask| types.contains(ask)),
            "{}'s types.h does not ask whether {name} is set: it is no configuration any more",
            found.version
        );
    }
}

#[test]
fn names_are_those_outside_of_comments_and_strings() {
    let text = "a /* b\n c */ d(\"e \\\" f\", 'g', 0x1f); // h\n#define i j##k\nl";
    let expected = ["a", "d", "define", "i", "j", "k", "l", "0x1f"];
    assert_eq!(names(text), expected.map(str::to_owned).into());
    let text = "#define a 1\n  # undef b\n#define c(x) x\n#if d\n// #define e\n";
    assert_eq!(macros(text), [(1, "a"), (2, "b"), (3, "c")]);
}

//! The rooms of this crate as a test: which may use which. Of all crates: that neither a file nor a directory needs what needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Values that everything uses.  They use nothing but each other.
const GROUND: &[&str] = &[
    "advice",
    "component",
    "content",
    "demangle",
    "error",
    "fingerprint",
    "format",
    "input",
    "listed",
    "named",
    "needle",
    "note",
    "provenance",
    "shown",
    "work",
];

/// Each room with those that it may use besides the ground; they all stand above it here.
const ROOMS: &[(&str, &[&str])] = &[
    ("publish", &[]),
    ("arch", &[]),
    ("elf", &["arch"]),
    ("identify", &["arch", "elf"]),
    ("archive", &["arch", "elf", "identify", "publish"]),
    ("signatures", &["arch", "archive", "elf", "identify"]),
    (
        "program",
        &["arch", "elf", "identify", "publish", "signatures"],
    ),
    (
        "report",
        &["arch", "archive", "elf", "identify", "signatures"],
    ),
    ("bundle", &["arch", "archive", "publish", "report"]),
    ("image", &["elf", "identify", "report"]),
    (
        "link_args",
        &["arch", "archive", "elf", "publish", "report"],
    ),
    ("preload", &["elf"]),
    (
        "toolchains",
        &["arch", "archive", "bundle", "identify", "publish", "report"],
    ),
];

/// The path of a module below the crate's root; that of an item in one.
type Names = Vec<String>;

/// Every file of this crate's sources, by its module.
fn sources() -> BTreeMap<Names, String> {
    sources_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// The same of another crate.
fn sources_in(root: &Path) -> BTreeMap<Names, String> {
    fn add(folder: &Path, names: &Names, found: &mut BTreeMap<Names, String>) {
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let mut names = names.clone();
            if path.is_dir() {
                names.push(stem.into_owned());
                add(&path, &names, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                if stem != "mod" && stem != "lib" {
                    names.push(stem.into_owned());
                }
                let text = fs::read_to_string(&path).expect("text");
                assert!(found.insert(names, text).is_none(), "{}", path.display());
            }
        }
    }
    let mut found = BTreeMap::new();
    add(root, &Names::new(), &mut found);
    // A program without a library.
    if !found.contains_key(&Names::new())
        && let Some(text) = found.remove(&Names::from(["main".to_owned()]))
    {
        found.insert(Names::new(), text);
    }
    found
}

fn is_test(module: &[String]) -> bool {
    module
        .iter()
        .any(|name| name == "tests" || name.ends_with("_tests"))
}

/// A file's code without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text
        .split("\n#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a `use` names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str, before: &[String], found: &mut Vec<Names>) {
    let names = |text: &str| -> Names {
        let text = text.split(" as ").next().unwrap_or_default();
        let parts = text
            .split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let Some((first, rest)) = tree.split_once('{') else {
        found.push([before, &names(tree)].concat());
        return;
    };
    let before = [before, &names(first)].concat();
    let inside = rest.trim().strip_suffix('}').expect("a closing brace");
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    expand(inside[start..at].trim(), &before, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Every path in `code` that may lead to another file: those of `use`, and those that begin at a known place.
fn paths(code: &str) -> Vec<Names> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for (number, part) in code.split(';').enumerate() {
        let line = part.rfind("use ").filter(|at| {
            let before = part[..*at].rsplit('\n').next().unwrap_or_default().trim();
            before.is_empty() || before.starts_with("pub")
        });
        match line {
            Some(at) => expand(part[at + 4..].trim(), &[], &mut found),
            None => rest.push_str(part),
        }
        rest.push(if number % 2 == 0 { ';' } else { '\n' });
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for word in rest.split(|c: char| !is_name(c)) {
        if let Some(("crate" | "super" | "self", _)) = word.split_once("::") {
            let names = word.split("::").map(str::to_owned);
            found.push(names.filter(|name| !name.is_empty()).collect());
        }
    }
    found
}

/// Which other files each file uses, tests left out.
fn uses(sources: &BTreeMap<Names, String>) -> BTreeMap<Names, BTreeSet<Names>> {
    let file = |path: &[String]| {
        let mut ends = (0..=path.len()).rev();
        let end = ends.find(|end| sources.contains_key(&path[..*end]));
        path[..end.expect("the root")].to_vec()
    };
    let mut all = BTreeMap::new();
    for (module, text) in sources.iter().filter(|(module, _)| !is_test(module)) {
        let mut used = BTreeSet::new();
        for path in paths(&code(text)) {
            let own = [&module[..], &path[..1]].concat();
            let absolute = match path[0].as_str() {
                "crate" => path[1..].to_vec(),
                "super" | "self" => {
                    let ups = path.iter().take_while(|name| *name == "super").count();
                    let rest = &path[ups.max(1)..];
                    [&module[..module.len() - ups], rest].concat()
                }
                _ if sources.contains_key(&own) => [&module[..], &path].concat(),
                _ => continue,
            };
            let used_file = file(&absolute);
            if used_file != *module {
                used.insert(used_file);
            }
        }
        all.insert(module.clone(), used);
    }
    all
}

/// Which other files a file of this crate uses, by the names of modules.
fn is_used(all: &BTreeMap<Names, BTreeSet<Names>>, from: &str, to: &str) -> bool {
    let path = |text: &str| -> Names { text.split("::").map(str::to_owned).collect() };
    all[&path(from)].contains(&path(to))
}

#[test]
fn no_room_uses_one_that_is_above_it() {
    for (number, (room, may)) in ROOMS.iter().enumerate() {
        let above: Vec<_> = ROOMS[..number].iter().map(|(name, _)| name).collect();
        assert!(may.iter().all(|name| above.contains(&name)), "{room}");
    }
    let uses = uses(&sources());
    for (from, to) in [
        ("program", "elf::program"),
        ("archive::index", "archive::entry"),
    ] {
        assert!(is_used(&uses, from, to), "{from} uses {to}");
    }
    for (module, used) in uses {
        let Some(room) = module.first() else {
            continue;
        };
        let may = ROOMS.iter().find(|(name, _)| name == room);
        let is_ground = GROUND.contains(&room.as_str());
        assert!(
            may.is_some() || is_ground,
            "`{room}` is no room of the table"
        );
        for used in used {
            let Some(other) = used.first().filter(|other| *other != room) else {
                continue;
            };
            let is_fine = GROUND.contains(&other.as_str())
                || may.is_some_and(|(_, may)| may.contains(&other.as_str()));
            let (module, used) = (module.join("::"), used.join("::"));
            assert!(
                is_fine,
                "{module} uses {used}: what both need belongs below them"
            );
        }
    }
}

#[test]
fn the_check_of_an_archive_does_not_ask_who_wrote_it() {
    assert!(!is_used(
        &uses(&sources()),
        "archive::check",
        "archive::apply"
    ));
}

/// The names of the command's subcommands: each has a file.
fn subcommands() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn/src/commands");
    let entries = fs::read_dir(folder).expect("the command's directory");
    let names = entries.map(|entry| {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy();
        stem.replace('_', "-")
    });
    let names: BTreeSet<_> = names.filter(|name| name != "mod").collect();
    assert!(names.contains("link-args"), "{names:?}");
    names
}

/// Flags and subcommands are the command's: messages say them by `advice`, which the command words.
#[test]
fn no_message_names_a_flag_or_a_subcommand_of_the_command() {
    // Of other programs a message may say how they are called.
    let others = ["skopeo"];
    let is_flag = |line: &str| {
        line.match_indices("--").any(|(at, _)| {
            line[..at].ends_with(['`', ' ', '"'])
                && line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
        })
    };
    let subcommands = subcommands();
    let is_subcommand = |line: &str| {
        line.match_indices("brawn ").any(|(at, brawn)| {
            let rest = &line[at + brawn.len()..];
            let end = rest.find(|c: char| c != '-' && !c.is_ascii_lowercase());
            subcommands.contains(&rest[..end.unwrap_or(rest.len())])
        })
    };
    assert!(is_subcommand("`brawn patch`") && is_subcommand("brawn link-args FILE"));
    assert!(!is_subcommand("brawn patches musl's own"));
    // An image's history is data: it says what made the image.
    let is_data = |line: &str| line.trim_start().starts_with("created_by: ");
    assert!(is_flag("`--only`") && is_flag("patch --only") && !is_flag("-----BEGIN"));
    for (module, text) in sources().iter().filter(|(module, _)| !is_test(module)) {
        for line in code(text).lines() {
            assert!(
                !is_flag(line) || others.iter().any(|name| line.contains(name)),
                "{}: {}",
                module.join("::"),
                line.trim()
            );
            assert!(
                !is_subcommand(line) || is_data(line),
                "{}: {}",
                module.join("::"),
                line.trim()
            );
        }
    }
}

/// In every crate of the repository, in its benchmark and its conformance suite: neither a file nor a directory.
#[test]
fn nothing_needs_what_needs_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = fs::read_dir(root.join("crates")).expect("the crates");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let all = crates.chain(["bench", "conformance"].map(|name| root.join(name)));
    for folder in all.map(|folder| folder.join("src")) {
        no_circle(&folder, &beside(uses(&sources_in(&folder))));
    }
}

/// Which modules use which that stand beside them, a module being all that is in it. (A module's own file may name what is
/// in its directory, and what is in there its types.)
fn beside(uses: BTreeMap<Names, BTreeSet<Names>>) -> BTreeMap<Names, BTreeSet<Names>> {
    let mut all: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
    for (from, used) in uses {
        for to in used {
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(_), Some(_)) = (from.get(common), to.get(common)) {
                let [from, to] = [&from, &to].map(|names| names[..=common].to_vec());
                all.entry(from).or_default().insert(to);
            }
        }
    }
    all
}

/// Fails if modules below `folder` need each other.
fn no_circle(folder: &Path, uses: &BTreeMap<Names, BTreeSet<Names>>) {
    for start in uses.keys() {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for next in uses.get(at).into_iter().flatten() {
                assert!(
                    next != start,
                    "{}: {} and {} need each other",
                    folder.display(),
                    at.join("::"),
                    start.join("::")
                );
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
}

#[test]
fn every_file_stands_where_its_module_is() {
    for (module, text) in sources() {
        assert!(!text.contains("#[path"), "{}", module.join("::"));
    }
}

//! What `cargo package` puts into the published crates is all that their builds read.
//! `tools/crates.sh`, a part of `make test-everything`, builds brawn from nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PUBLISHED: [&str; 7] = [
    "brawn",
    "brawn-core",
    "brawn-lab",
    "brawn-payload",
    "brawn-rt",
    "brawn-sample",
    "brawn-verify",
];
/// What registries take, packed; these are sizes as the files lie here.
const LARGEST: u64 = 10_000_000;

/// The files of each published crate, by its name.
static FILES: LazyLock<BTreeMap<&str, BTreeSet<PathBuf>>> = LazyLock::new(|| {
    let listed = PUBLISHED.map(|name| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            name,
        ]);
        let output = cargo.current_dir(ROOT).output().expect("cargo runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        let files = String::from_utf8(output.stdout).expect("names are UTF-8");
        (name, files.lines().map(PathBuf::from).collect())
    });
    listed.into()
});

fn home(name: &str) -> PathBuf {
    Path::new(ROOT).join("crates").join(name)
}

/// Every file below `folder`, below `name`.
fn below(folder: &Path, name: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable directory") {
        let entry = entry.expect("an entry");
        let name = name.join(entry.file_name());
        if entry.path().is_dir() {
            below(&entry.path(), &name, found);
        } else {
            found.push(name);
        }
    }
}

#[test]
fn every_file_that_a_build_lists_is_packed() {
    let folders = [
        ("brawn-core", "signatures"),
        ("brawn-payload", "payload"),
        ("brawn-payload", "build"),
        ("brawn-rt", "objects"),
        ("brawn-verify", "programs"),
    ];
    for (name, folder) in folders {
        let mut files = Vec::new();
        below(&home(name).join(folder), Path::new(folder), &mut files);
        // Only tests read those of the payload.
        files.retain(|file| {
            folder != "payload" || file.iter().nth(2).is_none_or(|part| part != "tests")
        });
        assert!(
            files.len() > 8,
            "{name}: {folder} has only {} files",
            files.len()
        );
        for file in files {
            assert!(
                FILES[name].contains(&file),
                "{name} is packed without {}",
                file.display()
            );
        }
    }
    assert!(FILES["brawn-payload"].contains(Path::new("prebuilt/objects")));
}

/// The names that `include_str!` and the like take, as they stand in the code that is not for tests.
fn included(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    let macros = ["include_str!(", "include_bytes!(", "include!("];
    let found = macros.iter().flat_map(|name| code.split(name).skip(1));
    found
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .collect()
}

/// Without `.` and `..`; `None` where it leads out of the crate.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if !parts.pop() => return None,
            Component::Normal(part) => parts.push(part),
            _ => {}
        }
    }
    Some(parts)
}

#[test]
fn every_file_that_a_source_embeds_is_packed() {
    let mut count = 0;
    for (name, files) in FILES.iter() {
        let is_test =
            |file: &Path| file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|e| e == "rs") && !is_test(file))
        {
            let text = fs::read_to_string(home(name).join(file)).expect("a source");
            for other in included(&text) {
                let path = file.with_file_name("").join(other);
                let packed = inside(&path).is_some_and(|path| files.contains(&path));
                assert!(
                    packed,
                    "{name}: {} embeds {other}, which is not packed",
                    file.display()
                );
                count += 1;
            }
        }
    }
    assert!(count > 10, "found only {count} embedded files");
}

#[test]
fn what_sources_embed_is_found() {
    let text = "include_str!(\"a\"); include_bytes!(\n    \"../b\"\n) include!(concat!(x)) #[cfg(test)] include_str!(\"c\")";
    assert_eq!(included(text), ["a", "../b"]);
    assert_eq!(inside(Path::new("src/x/../../b")), Some("b".into()));
    assert_eq!(inside(Path::new("src/../../b")), None);
}

#[test]
fn crates_are_ready_for_a_registry() {
    for (name, files) in FILES.iter() {
        for file in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(
                files.contains(Path::new(file)),
                "{name} is packed without {file}"
            );
        }
        for needless in ["tests", "examples", "fuzz", "target"] {
            let found = files.iter().find(|file| file.starts_with(needless));
            assert!(found.is_none(), "{name} is packed with {found:?}");
        }
        let sizes = files
            .iter()
            .filter_map(|file| fs::metadata(home(name).join(file)).ok());
        let size: u64 = sizes.map(|data| data.len()).sum();
        assert!(size < LARGEST, "{name}: {size} bytes, at most {LARGEST}");
        let manifest = fs::read_to_string(home(name).join("Cargo.toml")).expect("a manifest");
        for field in [
            "description",
            "license",
            "repository",
            "readme",
            "keywords",
            "categories",
        ] {
            let has = manifest.lines().any(|line| line.starts_with(field));
            assert!(has, "{name}: Cargo.toml says no {field}");
        }
    }
    // Whoever adds a crate says whether it is published.
    for entry in fs::read_dir(home("")).expect("crates/") {
        let entry = entry.expect("an entry").file_name();
        assert!(
            PUBLISHED.iter().any(|name| entry == **name),
            "{entry:?} is not in the list"
        );
    }
    for room in ["bench", "conformance"] {
        let manifest =
            fs::read_to_string(Path::new(ROOT).join(room).join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("\npublish = false\n"), "{room}");
    }
    // Where `cargo binstall` looks is what `make dist` makes.
    let manifest = fs::read_to_string(home("brawn").join("Cargo.toml")).expect("a manifest");
    assert!(
        manifest.contains("/brawn-{ version }-{ target }.tar.gz\""),
        "{manifest}"
    );
    // Another version of one of them has other functions.
    let workspace = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).expect("a manifest");
    let exact = format!("version = \"={}\"", env!("CARGO_PKG_VERSION"));
    let ours: Vec<&str> = workspace
        .lines()
        .filter(|line| line.starts_with("brawn-"))
        .collect();
    assert_eq!(ours.len(), 5);
    for line in ours {
        assert!(line.contains(&exact), "{line}");
    }
}

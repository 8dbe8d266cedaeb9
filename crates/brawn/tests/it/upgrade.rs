//! `brawn patch --upgrade`: a real mimalloc in musl's libc.a, put in as Swift's static Linux SDK has it and as the
//! recipe with `ar` does (tools/sdk-mimalloc.sh).

mod programs;

use crate::build::{Room, inspect};
use crate::common::{Folder, REFUSED, brawn, fail, ok, read, succeed, tools};
use crate::toolchains::{Machine, listed};
use serde_json::Value;
use std::path::{Path, PathBuf};

const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];
const KINDS: [&str; 3] = ["sdk", "recipe", "leftovers"];

/// A libc.a with mimalloc in it.
fn archive(architecture: &str, kind: &str) -> PathBuf {
    let path = tools()
        .join("sdk-mimalloc")
        .join(architecture)
        .join(format!("{kind}.a"));
    assert!(
        path.is_file(),
        "{}: run tools/sdk-mimalloc.sh",
        path.display()
    );
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What upgrading it gives.
fn upgraded(room: &Room, architecture: &str, kind: &str) -> PathBuf {
    let out = room.path(&format!("{architecture}-{kind}.a"));
    let mut patch = brawn();
    patch
        .args(["patch", "--upgrade"])
        .arg(archive(architecture, kind));
    succeed(patch.args(["-o", &out]));
    out.into()
}

/// What each member of an archive defines for others.
fn definitions(archive: &Path) -> Vec<(String, String)> {
    let said = ok("llvm-nm", &["-A", "-g", "--defined-only", text(archive)]);
    let line = |line: &str| {
        let (place, rest) = line.rsplit_once(": ").expect("a member");
        let member = place.rsplit(':').next().expect("a name").to_owned();
        (
            member,
            rest.split_whitespace().last().expect("a symbol").to_owned(),
        )
    };
    said.lines()
        .filter(|l| l.contains(": "))
        .map(line)
        .collect()
}

#[test]
fn inspect_names_it_its_version_and_what_is_missing() {
    for architecture in ARCHITECTURES {
        for kind in KINDS {
            let path = archive(architecture, kind);
            let report = inspect(text(&path));
            assert_eq!(report["heap"], "mimalloc");
            assert_eq!(report["heaps"][0]["version"], "2.2.4", "{report:#}");
            assert!(
                report["hint"]
                    .as_str()
                    .unwrap()
                    .contains("brawn patch --upgrade")
            );
            let evidence = report.to_string();
            assert!(evidence.contains("C++'s operators"), "{report:#}");
            let said = succeed(brawn().args(["inspect", "-v"]).arg(&path));
            assert!(
                said.contains("no heap of musl's, but mimalloc 2.2.4"),
                "{said}"
            );
            let next = "next  fine, archive: `brawn patch --upgrade`";
            assert!(said.contains(next), "{said}");
            let (missing, shape) = match kind {
                "sdk" => (Some("wcsdup"), "one member, mimalloc.o"),
                _ => (None, "16 members"),
            };
            assert!(evidence.contains(shape), "{report:#}");
            assert_eq!(report["missing"][0].as_str(), missing);
            assert_eq!(
                said.contains("missing: wcsdup"),
                missing.is_some(),
                "{said}"
            );
            let has_leftovers = evidence.contains("left of musl's heap: free.lo, realloc.lo");
            assert_eq!(has_leftovers, kind == "leftovers", "{report:#}");
        }
    }
}

#[test]
fn without_the_flag_it_is_refused_with_both_ways_that_work() {
    let folder = Folder::with(read(&archive("x86_64", "sdk")));
    let said = fail(brawn().arg("patch").arg(folder.libc()), REFUSED);
    for part in [
        "mimalloc.o",
        "mimalloc 2.2.4",
        "Swift",
        "`brawn patch --upgrade`",
        "--only memory",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(folder.names(), ["libc.a"]);
    // The second of them.
    succeed(
        brawn()
            .args(["patch", "--only", "memory"])
            .arg(folder.libc()),
    );
    let report = inspect(text(&folder.libc()));
    assert_eq!(report["heap"], "mimalloc");
    assert_eq!(report["memory"], "brawn");
    // The first, after it; and back to the very beginning.
    assert!(
        succeed(brawn().args(["patch", "--upgrade"]).arg(folder.libc())).starts_with("upgraded")
    );
    assert_eq!(inspect(text(&folder.libc()))["heap"], "brawn");
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
    assert_eq!(folder.names(), ["libc.a"]);
    let both = ["patch", "--upgrade", "--only", "memory"];
    assert!(fail(brawn().args(both).arg(folder.libc()), 2).contains("leaves the heap as it is"));
}

#[test]
fn afterwards_there_is_one_heap_and_everything_once() {
    let room = Room::new();
    for architecture in ARCHITECTURES {
        for kind in KINDS {
            let new = upgraded(&room, architecture, kind);
            let report = inspect(text(&new));
            let found = ["heap", "verdict", "memory", "architecture", "libc_version"]
                .map(|key| &report[key]);
            assert_eq!(
                found,
                ["brawn", "fine", "brawn", architecture, "1.2.5"],
                "{kind}"
            );
            assert_eq!(report["heaps"].as_array().unwrap().len(), 1, "{report:#}");
            assert!(
                report["missing"].is_null() && report["hint"].is_null(),
                "{report:#}"
            );
            let defined = definitions(&new);
            let by = |name: &str| -> Vec<&str> {
                let its = defined.iter().filter(|(_, symbol)| symbol == name);
                its.map(|(member, _)| member.as_str()).collect()
            };
            for name in [
                "malloc",
                "free",
                "calloc",
                "realloc",
                "__libc_malloc",
                "posix_memalign",
            ] {
                assert_eq!(by(name), ["brawn_heap.o"], "{kind}: {name}");
            }
            let its =
                |name: &&(String, String)| name.1.contains("mi_") && !name.1.starts_with("__");
            assert_eq!(defined.iter().find(its), None, "{kind}");
            assert!(by("__malloc_context").is_empty(), "{kind}");
            // musl's own stay where they are.
            for name in ["strdup", "strndup", "wcsdup"] {
                let expected = match kind {
                    "sdk" => format!("brawn_{name}.o"),
                    _ => format!("{name}.lo"),
                };
                assert_eq!(by(name), [expected], "{kind}: {name}");
            }
            // All that mimalloc had.
            let had = definitions(&archive(architecture, kind));
            let operators = had
                .iter()
                .filter(|(_, name)| ["_Zn", "_Zd"].iter().any(|s| name.starts_with(s)));
            let operators: Vec<&String> = operators.map(|(_, name)| name).collect();
            assert_eq!(operators.len(), 20);
            for name in operators {
                assert_eq!(by(name).len(), 1, "{kind}: {name}");
            }
        }
    }
}

#[test]
fn the_plan_says_it_and_nothing_is_written() {
    let folder = Folder::with(read(&archive("x86_64", "leftovers")));
    let said = succeed(
        brawn()
            .args(["patch", "--upgrade", "-nv"])
            .arg(folder.libc()),
    );
    assert!(said.starts_with("would patch"), "{said}");
    for line in ["free.lo", "realloc.lo"] {
        let goes = |l: &&str| l.contains(&format!("removes  {line} ")) && l.contains("musl's heap");
        assert_eq!(said.lines().filter(goes).count(), 1, "{said}");
    }
    assert!(
        said.contains("names of its own") && !said.contains("mi_malloc"),
        "{said}"
    );
    assert!(said.contains("adds     brawn_nw.o"), "{said}");
    let json = succeed(
        brawn()
            .args(["patch", "--upgrade", "-n", "--json"])
            .arg(folder.libc()),
    );
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let plan = &json[0]["plan"];
    assert_eq!(plan["action"], "patch");
    let list = |key: &str| plan[key].as_array().unwrap().clone();
    let mimalloc = list("remove")
        .into_iter()
        .filter(|r| r["why"] == "mimalloc")
        .count();
    assert_eq!(mimalloc, 16);
    let supplied: Vec<Value> = list("add")
        .into_iter()
        .filter(|a| a["component"] == "supplied")
        .collect();
    assert_eq!(supplied.len(), 20);
    assert_eq!(supplied[0]["defines"][0], "_Znwm");
    assert!(read(&folder.libc()) == folder.old());
    assert_eq!(folder.names(), ["libc.a"]);
}

#[test]
fn it_is_done_once_and_undone_to_the_byte() {
    for kind in KINDS {
        let folder = Folder::with(read(&archive("aarch64", kind)));
        let upgrade = || succeed(brawn().args(["patch", "--upgrade"]).arg(folder.libc()));
        assert!(upgrade().starts_with("patched"));
        let new = read(&folder.libc());
        assert!(upgrade().starts_with("unchanged"));
        assert!(
            folder.patch().starts_with("unchanged"),
            "no flag is needed any more"
        );
        assert!(read(&folder.libc()) == new);
        folder.restore();
        assert!(read(&folder.libc()) == folder.old());
        assert_eq!(folder.names(), ["libc.a"]);
    }
    // On musl's own archive the flag changes nothing.
    let stock = Folder::small();
    succeed(brawn().args(["patch", "--upgrade"]).arg(stock.libc()));
    assert!(read(&stock.libc()) == stock.new_bytes());
}

#[test]
fn a_later_brawn_renews_what_an_earlier_one_supplied() {
    let room = Room::new();
    let new = upgraded(&room, "x86_64", "sdk");
    let mut older = read(&new);
    // The version in the notes of what is supplied.
    let note = format!("brawn={}\ncomponent=supplied\n", env!("CARGO_PKG_VERSION"));
    let places: Vec<usize> = older
        .windows(note.len())
        .enumerate()
        .filter_map(|(at, window)| (window == note.as_bytes()).then_some(at + "brawn=".len()))
        .collect();
    assert_eq!(places.len(), 23);
    for at in places {
        older[at] = b'x';
    }
    let folder = Folder::with(older);
    assert!(folder.patch().starts_with("upgraded"));
    let defined = |path: &Path| {
        let mut all = definitions(path);
        all.sort();
        all
    };
    assert_eq!(defined(&folder.libc()), defined(&new));
    assert!(read(&folder.libc()).len() == read(&new).len());
}

#[test]
fn toolchains_say_whose_it_is_and_what_to_do() {
    let machine = Machine::new();
    let libc = machine.rust(
        "recipe",
        "x86_64-unknown-linux-musl",
        &read(&archive("x86_64", "recipe")),
    );
    let toolchain = |machine: &Machine| {
        let all = listed(&mut machine.brawn(&["toolchains"]));
        all.iter().find(|t| t["name"] == "recipe").unwrap().clone()
    };
    let found = toolchain(&machine);
    assert_eq!(found["state"], "foreign-heap");
    assert_eq!(found["heap"], "mimalloc");
    let why = found["why"].as_str().unwrap();
    assert!(
        why.contains("mimalloc 2.2.4") && why.contains("`brawn patch --upgrade`"),
        "{why}"
    );
    let old = read(&libc);
    let said = fail(&mut machine.brawn(&["patch", "--rust=recipe"]), REFUSED);
    assert!(said.contains("--upgrade"), "{said}");
    assert!(read(&libc) == old);
    succeed(&mut machine.brawn(&["patch", "--rust=recipe", "--upgrade"]));
    assert_eq!(toolchain(&machine)["state"], "patched");
}

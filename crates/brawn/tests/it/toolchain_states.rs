//! Every state that `brawn toolchains` knows, on real archives that are in it.

use crate::common::{Folder, GLIBC, RESTORE_REFUSED, ok, read, succeed};
use crate::musls;
use crate::toolchains::{Machine, listed};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// `bytes`, an archive, with every object in it made for powerpc64, which there is no payload for.
fn powerpc64(mut bytes: Vec<u8>) -> Vec<u8> {
    const MACHINE: [u8; 2] = 21u16.to_le_bytes();
    let starts: Vec<usize> = bytes
        .windows(4)
        .enumerate()
        .filter_map(|(at, window)| (window == b"\x7fELF").then_some(at))
        .collect();
    for at in starts {
        bytes[at + 18..at + 20].copy_from_slice(&MACHINE);
    }
    bytes
}

/// What people do by hand: musl's heap out with `ar d`, mimalloc in.
fn by_hand() -> Vec<u8> {
    let folder = Folder::small();
    let libc = folder.libc();
    let libc = libc.to_str().unwrap();
    let heap = "malloc.lo calloc.lo libc_calloc.lo realloc.lo free.lo free.lo aligned_alloc.lo \
                memalign.lo posix_memalign.lo malloc_usable_size.lo reallocarray.lo donate.lo \
                lite_malloc.lo valloc.lo";
    for member in heap.split_whitespace() {
        ok("ar", &["dD", libc, member]);
    }
    let source = folder.path().join("mimalloc.c");
    let names = ["malloc", "calloc", "realloc", "mi_malloc"];
    let functions = names.map(|name| format!("void *{name}(unsigned long n) {{ return 0; }}\n"));
    fs::write(&source, functions.concat() + "void free(void *p) {}\n").unwrap();
    let object = folder.path().join("mimalloc.o");
    let (source, object) = (source.to_str().unwrap(), object.to_str().unwrap());
    let flags = ["-c", "-ffreestanding", "-fno-builtin", source, "-o", object];
    ok("cc", &flags);
    ok("ar", &["rD", libc, object]);
    read(&folder.libc())
}

/// A machine with a toolchain of rustup's in every state, each called by it.
fn machine() -> Machine {
    let machine = Machine::new();
    let small = Folder::small();
    let add = |name: &str, bytes: &[u8]| machine.rust(name, "x86_64-unknown-linux-musl", bytes);
    let patch = |libc: &Path, profile: &str| {
        let mut command = crate::common::brawn();
        succeed(command.arg("patch").arg(libc).args(["--profile", profile]));
    };
    let patched = |name: &str, profile: &str| -> PathBuf {
        let libc = add(name, small.old());
        patch(&libc, profile);
        libc
    };
    add("stock", small.old());
    patched("patched-secure", "secure");
    patched("patched-lean", "lean");
    let musl = Folder::musl();
    let only = add("patched-heap", musl.old());
    let mut command = crate::common::brawn();
    succeed(command.arg("patch").arg(&only).args(["--only", "heap"]));
    // As it comes in an image, without what lies beside it.
    add("patched-copy", &musl.new_bytes());
    // The record lies beside the file itself.
    let link = patched("patched-link", "lean");
    let real = machine.put("real/libc.a", &[]);
    for suffix in ["", ".brawn-original", ".brawn.json"] {
        let name = format!("libc.a{suffix}");
        fs::rename(link.with_file_name(&name), real.with_file_name(&name)).unwrap();
    }
    symlink(&real, &link).unwrap();
    add("other-brawn", &small.older());
    let replaced = patched("replaced", "fast");
    fs::remove_file(&replaced).unwrap();
    fs::copy(musls::archive("1.2.5", "libc.a"), &replaced).unwrap();
    let changed = patched("changed", "fast");
    ok("ar", &["dD", changed.to_str().unwrap(), "strdup.lo"]);
    let torn = patched("interrupted", "fast");
    fs::write(&torn, &small.old()[..small.old().len() / 2]).unwrap();
    let record = torn.with_file_name("libc.a.brawn.json");
    let mut json: Value = serde_json::from_slice(&read(&record)).unwrap();
    json["in_place"] = serde_json::json!({"device": 1, "inode": 2});
    fs::write(&record, json.to_string()).unwrap();
    add("foreign-heap", &by_hand());
    add("no-heap", &read(&musls::archive("zig-0.16.0", "libc.a")));
    add("unsupported", &powerpc64(small.old().to_vec()));
    add("refused", &before_1_2_2(small.old().to_vec()));
    add("not-musl", &read(Path::new(GLIBC)));
    add("unreadable", &small.old()[..small.old().len() / 2]);
    let mixed = add("mixed", &small.new_bytes());
    mix(&mixed);
    machine
}

/// musl's malloc once more, beside brawn's.
fn mix(libc: &Path) {
    let folder = Folder::small();
    let from = folder.libc();
    let run = |program: &str, arguments: &[&str]| {
        let path = folder.path().to_str().unwrap();
        crate::build::run_in(Path::new(path), program, arguments)
    };
    run("ar", &["x", from.to_str().unwrap(), "malloc.lo"]);
    run("ar", &["rD", libc.to_str().unwrap(), "malloc.lo"]);
}

/// An archive whose fork does not call `__malloc_atfork`: the name is changed.
fn before_1_2_2(mut bytes: Vec<u8>) -> Vec<u8> {
    const NAME: &[u8] = b"__malloc_atfork";
    let places: Vec<usize> = bytes
        .windows(NAME.len())
        .enumerate()
        .filter_map(|(at, window)| (window == NAME).then_some(at))
        .collect();
    for at in places {
        bytes[at + 2] = b'x';
    }
    bytes
}

#[test]
fn every_state_is_told() {
    let machine = machine();
    let toolchains = listed(&mut machine.brawn(&["toolchains", "--kind=rust"]));
    let mut seen = Vec::new();
    for toolchain in &toolchains {
        let name = toolchain["name"].as_str().unwrap();
        let state = toolchain["state"].as_str().unwrap();
        assert!(name.starts_with(state), "{toolchain:#}");
        let why = toolchain["why"].as_str().unwrap();
        assert!(!why.is_empty(), "{toolchain:#}");
        assert_eq!(toolchain["kind"], "rust");
        assert_eq!(toolchain["target"], "x86_64-unknown-linux-musl");
        seen.push(state);
    }
    seen.sort_unstable();
    seen.dedup();
    let all = [
        "changed",
        "foreign-heap",
        "interrupted",
        "mixed",
        "no-heap",
        "not-musl",
        "other-brawn",
        "patched",
        "refused",
        "replaced",
        "stock",
        "unreadable",
        "unsupported",
    ];
    assert_eq!(seen, all);
    // The documentation has each.
    let document = include_str!("../../../../docs/toolchains.md");
    for state in all {
        assert!(document.contains(&format!("\n| `{state}` | ")), "{state}");
    }
    for key in toolchains[0].as_object().unwrap().keys() {
        assert!(document.contains(&format!("\n| `{key}` | ")), "{key}");
    }

    let of = |name: &str| toolchains.iter().find(|t| t["name"] == name).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for (name, profile, memory, record) in [
        // The small archive has no memory functions.
        ("patched-secure", "secure", "none", "written"),
        ("patched-lean", "lean", "none", "written"),
        ("patched-link", "lean", "none", "written"),
        ("patched-heap", "fast", "musl", "written"),
        ("patched-copy", "fast", "brawn", ""),
    ] {
        let keys = ["profile", "memory", "record", "brawn", "heap"];
        let found = keys.map(|key| of(name)[key].as_str().unwrap_or_default());
        assert_eq!(found, [profile, memory, record, version, "brawn"], "{name}");
    }
    assert_eq!(of("patched-heap")["libc_version"], "1.2.3");
    assert_eq!(of("foreign-heap")["heap"], "mimalloc");
    assert_ne!(of("other-brawn")["brawn"], version);
}

#[test]
fn the_table_says_it_in_words() {
    let machine = machine();
    let text = succeed(&mut machine.brawn(&["toolchains", "--kind", "rust"]));
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(
        head,
        ["STATE", "TOOLCHAIN", "TARGET", "MUSL", "HEAP", "PATH"]
    );
    for part in [
        "patched       rust patched-secure",
        "brawn, secure",
        "no record beside it",
        "other brawn   rust other-brawn",
        "foreign heap  rust foreign-heap",
        "its heap is mimalloc (version unknown), which somebody put there; `brawn patch --upgrade` replaces it",
        "something replaced what brawn had patched",
        "self-contained/libc.a",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn restore_passes_over_what_has_no_record() {
    let machine = machine();
    let mut restore = machine.brawn(&["restore", "--rust=all", "--json"]);
    let output = restore.assert().code(RESTORE_REFUSED).get_output().clone();
    let reports: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut found: Vec<_> = reports
        .iter()
        .map(|report| {
            let path = report["path"].as_str().unwrap();
            let name = path.split("toolchains/").nth(1).unwrap();
            let name = name.split('/').next().unwrap();
            (name, report["status"].as_str().unwrap())
        })
        .collect();
    found.sort_unstable();
    let expected = [
        ("changed", "failed"),
        ("interrupted", "failed"),
        ("patched-heap", "restored"),
        ("patched-lean", "restored"),
        ("patched-link", "restored"),
        ("patched-secure", "restored"),
        ("replaced", "failed"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn patch_agrees_with_the_list() {
    let machine = machine();
    let toolchains = listed(&mut machine.brawn(&["toolchains", "--kind=rust"]));
    for toolchain in &toolchains {
        let state = toolchain["state"].as_str().unwrap();
        let mut patch = crate::common::brawn();
        patch
            .args(["patch", "--dry-run", "--json"])
            .arg(toolchain["path"].as_str().unwrap());
        let output = patch.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = match state {
            "patched" | "changed" => "unchanged",
            "stock" | "replaced" | "other-brawn" | "mixed" => "planned",
            _ => "failed",
        };
        assert_eq!(report[0]["status"], expected, "{toolchain:#}");
    }
}

//! The guide: every command in docs/ and README.md is run, every link leads somewhere, and every page is in the book.
//!
//! How a page is written stands at the head of `guide/page.rs`; where its commands run, in `guide/sandbox.sh`.
//! `GUIDE_PAGE=rust` runs the pages with `rust` in their names alone, and prints what every command printed.

mod book;
mod links;
mod mentions;
mod page;
mod sandbox;

use crate::common;
use page::Page;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

/// Blocks that no test can run: the page, their first command, and why.
const BY_HAND: &[(&str, &str, &str)] = &[
    (
        "README.md",
        "cargo install --locked --path crates/brawn",
        "builds brawn in release mode, which takes minutes",
    ),
    (
        "README.md",
        "make demo      # builds brawn and two programs, runs them on stock musl, patched musl, glibc",
        "the second is this very run; the first takes minutes",
    ),
    (
        "docs/c-cpp.md",
        r#"./configure CC=musl-gcc LDFLAGS=-static LIBS="$(brawn link-args)""#,
        "needs a project with a configure script",
    ),
    (
        "docs/c-cpp.md",
        r#"CC=musl-gcc go build -ldflags "-linkmode external -extldflags '-static $(brawn link-args)'" -o app ."#,
        "needs Go's toolchain, of hundreds of megabytes",
    ),
    (
        "docs/c-cpp.md",
        "ghc -static -optl-static $(brawn link-args | sed 's/[^ ]* */-optl&/g') Main.hs",
        "needs a GHC for musl",
    ),
    (
        "docs/image.md",
        "docker load -i server.tar",
        "needs a container engine, and a registry",
    ),
    (
        "docs/images.md",
        "rustup target add x86_64-unknown-linux-musl",
        "needs rustup, docker and a registry; packaging/images.rs builds brawn for musl",
    ),
    (
        "docs/images.md",
        "docker build --build-context brawn=target/x86_64-unknown-linux-musl/release --target rust -t brawn-rust packaging/image/debian",
        "needs docker and a registry; packaging/images.rs builds and runs the recipes",
    ),
    (
        "docs/introduction.md",
        "cargo install --locked --path crates/brawn",
        "as README.md's",
    ),
    (
        "docs/introduction.md",
        "perf record -e cpu-clock ./words",
        "needs perf, and rights that a container lacks",
    ),
    (
        "docs/bench.md",
        "brawn bench --quick",
        "takes a minute; bench.rs has it",
    ),
    (
        "docs/bench.md",
        "brawn bench libc --quick",
        "takes a minute; bench_libc.rs has it",
    ),
    (
        "docs/memory-functions.md",
        "bench/memory/build.sh target/memory && target/memory/memory -r 21 > results.tsv",
        "takes minutes of a quiet machine",
    ),
    (
        "docs/rust.md",
        "brawn cargo --profile secure +nightly test --target aarch64-unknown-linux-musl",
        "needs rustup and its nightly toolchain; cargo_targets.rs has aarch64",
    ),
    (
        "docs/swift.md",
        "swift sdk install swift-6.0.3-RELEASE_static-linux-0.0.1.artifactbundle.tar.gz",
        "needs Swift, and a bundle with Swift's own libraries",
    ),
    (
        "docs/toolchains.md",
        "brawn patch --rust=nightly",
        "needs rustup; toolchain_rust.rs has it",
    ),
];

/// The workspace's directory, without links.
fn root() -> PathBuf {
    common::root().canonicalize().expect("it is there")
}

/// README.md and all of docs/, as (name, text), the name from the workspace's directory.
fn pages() -> Vec<(String, String)> {
    let docs = std::fs::read_dir(root().join("docs")).expect("readable");
    let names = docs.map(|e| {
        e.expect("readable")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let mut names: Vec<String> = names
        .filter(|n| n.ends_with(".md"))
        .map(|n| format!("docs/{n}"))
        .collect();
    names.push("README.md".into());
    names.sort();
    let text = |name: &String| std::fs::read_to_string(root().join(name)).expect("UTF-8");
    names.iter().map(|n| (n.clone(), text(n))).collect()
}

/// Those with a part in their names.
fn parsed(part: &str) -> Vec<Page> {
    let mut wrong = String::new();
    let mut all = Vec::new();
    for (name, text) in pages().into_iter().filter(|(name, _)| name.contains(part)) {
        let page = Page::parse(&name, &text);
        for (line, what) in &page.wrong {
            wrong += &format!("{name}:{line}: {what}\n");
        }
        all.push(page);
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    all
}

#[test]
fn what_is_run_by_hand_is_listed() {
    let all = parsed("");
    let found: BTreeSet<(&str, &str)> = all
        .iter()
        .flat_map(|p| {
            p.by_hand
                .iter()
                .map(|first| (p.name.as_str(), first.as_str()))
        })
        .collect();
    let listed: BTreeSet<(&str, &str)> = BY_HAND.iter().map(|(p, first, _)| (*p, *first)).collect();
    assert_eq!(found, listed, "blocks in the pages, and BY_HAND");
    assert_eq!(listed.len(), BY_HAND.len(), "one is listed twice");
}

#[test]
fn every_command_does_what_the_page_says() {
    let only = std::env::var("GUIDE_PAGE").ok();
    let mut pages = parsed(only.as_deref().unwrap_or_default());
    // What takes longest first: cargo's builds.
    pages.sort_by_key(|p| p.cargos() * 10 + p.commands());
    let commands: usize = pages.iter().map(Page::commands).sum();
    assert!(commands > 0, "no page has a command");
    let (queue, failures) = (Mutex::new(pages), Mutex::new(Vec::new()));
    let work = || {
        while let Some(page) = { queue.lock().expect("no panic").pop() } {
            if page.commands() > 0 {
                let failed = sandbox::run(&page, only.is_some());
                failures.lock().expect("no panic").extend(failed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

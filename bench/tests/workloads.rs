//! Every workload builds, runs and gives its figures; nothing here looks at how long it takes.
#![forbid(unsafe_code)]

use brawn_bench::catalogue::{CATALOGUE, Entry, Kind, WASMTIME, entry};
use brawn_bench::measure::{Effort, measure};
use brawn_bench::prepare::Prepared;
use brawn_bench::variant::Variant;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arguments that make a workload as short as it can be.
const SHORT: &[(&str, &[&str])] = &[
    ("threads", &["3", "1000", "random"]),
    ("seed003", &["2", "500"]),
    ("seed001", &["2", "500"]),
    ("once", &[]),
    ("idle", &[]),
    ("rlimit", &["1048576"]),
    ("stress", &["0", "500"]),
    ("server", &["2", "2"]),
    ("realloc", &["20"]),
    ("bignum", &["1000"]),
    ("huge", &["8"]),
    ("buffers", &["6"]),
    ("handoff", &["2", "2000"]),
    ("shuffled", &["2", "1"]),
    ("oneway", &["1", "2560"]),
    ("generations", &["2", "2", "1000"]),
    ("replay", &["1"]),
    ("format", &["3", "6"]),
    ("ledger", &["500", "copy"]),
    // As they stand: they take no arguments.
    ("rust-001", &[]),
    ("rust-003", &[]),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn prepared(name: &str, variants: &[Variant], entries: &[&Entry]) -> Prepared {
    Prepared::build(
        &folder(name),
        Path::new("brawn"),
        variants,
        entries,
        &mut |_| {},
    )
    .expect("builds")
}

#[test]
fn every_workload_runs_against_stock_and_glibc() {
    let is_short = |e: &&Entry| e.workload != WASMTIME;
    let entries: Vec<&Entry> = CATALOGUE.iter().filter(is_short).collect();
    let variants = [Variant::Stock, Variant::Glibc];
    let prepared = prepared("workloads", &variants, &entries);
    let known: BTreeSet<&str> = SHORT.iter().map(|(name, _)| *name).collect();
    let all: BTreeSet<&str> = entries
        .iter()
        .filter(|e| e.kind != Kind::Patch)
        .map(|e| e.workload)
        .collect();
    assert_eq!(known, all, "each workload has short arguments");
    for variant in variants {
        for (workload, arguments) in SHORT {
            let program = prepared.executable(variant, workload);
            let sample = prepared.launcher.run(&program, arguments, false, &[]);
            let sample =
                sample.unwrap_or_else(|error| panic!("{workload}, {}: {error}", variant.name()));
            assert!(sample["wall_ns"] > 0.0, "{workload}: {sample:?}");
            let counted = ["operations", "writable_kb", "held_bytes"]
                .iter()
                .any(|key| sample.contains_key(*key));
            let prints_none = *workload == "once" || workload.starts_with("rust-");
            assert!(counted || prints_none, "{workload}: {sample:?}");
        }
    }
}

/// All loads of `overtime` come to their end, and what they leave alive does not depend on the heap.
#[test]
fn every_load_over_time_runs_against_stock_and_glibc() {
    let overtime = Entry {
        workload: "overtime",
        ..*entry("peak").expect("in the catalogue")
    };
    let variants = [Variant::Stock, Variant::Glibc];
    let prepared = prepared("overtime", &variants, &[&overtime]);
    for kind in brawn_bench::own::rss::KINDS {
        let alive = variants.map(|variant| {
            let program = prepared.executable(variant, "overtime");
            let arguments = [kind, "0", "1"];
            let sample = prepared.launcher.run(&program, &arguments, false, &[]);
            sample.unwrap_or_else(|error| panic!("{kind}, {}: {error}", variant.name()))["alive_kb"]
        });
        // Two threads fill the cache, and who comes first is not the same each time.
        assert!(alive[0] == alive[1] || kind == "cache", "{kind}: {alive:?}");
    }
}

/// Each kind of pattern comes to its end, and the peak has what was written to, which a compiler might have left out.
#[test]
fn patterns_of_the_sweep_touch_what_they_say() {
    let sweep = Entry {
        workload: "sweep",
        ..*entry("peak").expect("in the catalogue")
    };
    let variants = [Variant::Stock, Variant::Glibc];
    let prepared = prepared("sweep", &variants, &[&sweep]);
    // Arguments, and the KiB that are alive at a time.
    let patterns: [(&str, f64); 8] = [
        ("8388608 0 oldest malloc 1 whole 3", 8192.0),
        ("8388608 0 oldest malloc 1 tenth 3", 819.0),
        ("8388608 0 oldest malloc 1 page 3", 4.0),
        ("4096 2000 first malloc 1 whole 4000", 8000.0),
        ("4096,8192,65536 30 last calloc 1 whole 60", 770.0),
        // So many that neither thread ends before the other one begins.
        ("16384-32768 100 random malloc 2 whole 20000", 4000.0),
        ("16~65536 20 oldest malloc 8 whole 100", 100.0),
        ("16-8388608*50 1 oldest malloc 1 whole 2", 5000.0),
    ];
    for variant in variants {
        for (arguments, kib) in patterns {
            let program = prepared.executable(variant, "sweep");
            let words: Vec<&str> = arguments.split(' ').collect();
            let sample = prepared.launcher.run(&program, &words, false, &[]);
            let sample = sample.unwrap_or_else(|error| panic!("{arguments}: {error}"));
            assert!(sample["load_ns"] > 0.0, "{arguments}: {sample:?}");
            // The kernel is exact only to some hundred KiB.
            assert!(
                sample["hwm_kb"] > kib * 0.9 - 300.0,
                "{arguments}: {sample:?}"
            );
            // Little is touched of what is large.
            assert!(
                kib > 1000.0 || sample["hwm_kb"] < kib + 4096.0,
                "{arguments}: {sample:?}"
            );
        }
    }
}

#[test]
fn failures_and_peaks_are_told() {
    let once = entry("peak").expect("in the catalogue");
    let prepared = prepared("launcher", &[Variant::Stock, Variant::Glibc], &[once]);
    let effort = Effort {
        quick: true,
        rounds: Some(2),
    };
    let peak = measure(&prepared, once, effort, &mut |_| {}).expect("measured");
    assert!(peak.failures.is_empty(), "{:?}", peak.failures);
    let of = |variant| peak.values(variant, "hwm_kb")[0];
    assert!(
        0.0 < of(Variant::Stock) && of(Variant::Stock) < of(Variant::Glibc),
        "{:?}",
        peak.samples
    );
    let missing = folder("launcher").join("no-such-program");
    let error = prepared.launcher.run::<&str>(&missing, &[], false, &[]);
    assert_eq!(error, Err("did not start".to_owned()));
    let sizes = measure(
        &prepared,
        entry("size").expect("in the catalogue"),
        effort,
        &mut |_| {},
    )
    .expect("measured");
    assert!(sizes.values(Variant::Stock, "loaded_bytes")[0] > 1000.0);
}

#[test]
fn what_was_built_is_measured_without_building() {
    let once = entry("peak").expect("in the catalogue");
    let size = entry("size").expect("in the catalogue");
    let work = folder("built");
    let again = |brawn: &Path, variants: &[Variant]| {
        Prepared::built(&work, brawn, variants, &[once, size]).map(|p| p.builds.len())
    };
    let none = Path::new("brawn");
    prepared("built", &[Variant::Stock], &[once]);
    prepared("built", &[Variant::Glibc], &[once]);
    assert_eq!(again(none, &[Variant::Stock, Variant::Glibc]), Ok(2));
    let error = again(none, &[Variant::Mimalloc2]).expect_err("it is not built");
    assert!(error.contains("is not built; run"), "{error}");
    // Any file newer than the build.
    let newer = work.join("brawn");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let file = std::fs::File::create(&newer).expect("written");
    file.set_modified(later).expect("set");
    let error = again(&newer, &[Variant::Stock]).expect_err("it is newer");
    assert!(error.contains("is newer than"), "{error}");
}

/// The peers link, what they link is their heap and not musl's, and every load over time comes to its end with those that
/// only loads over time are measured with. But for one: of the thousand threads of `idle`, each spins while it waits for
/// rpmalloc's lock, which can take a minute on a machine that does other work.
#[test]
fn peers_are_built_by_their_recipe() {
    let idle = Entry {
        variants: &Variant::ALL,
        ..*entry("idle").expect("in the catalogue")
    };
    let overtime = Entry {
        workload: "overtime",
        ..idle
    };
    // A name of the heap's own, how its version begins, and what an idle program has at least: mimalloc's arena.
    let peers = [
        (Variant::Mimalloc2, "mi_malloc", "2.", 100_000.0),
        (Variant::Mimalloc3, "mi_malloc", "3.", 100_000.0),
        (Variant::Jemalloc, "je_arena_new", "5.", 1.0),
        (Variant::Rpmalloc, "rpmalloc_initialize", "1.", 1.0),
        (Variant::Snmalloc, "_ZN8snmalloc", "0.7.", 1.0),
    ];
    let mut variants = peers.map(|(variant, ..)| variant).to_vec();
    variants.push(Variant::Stock);
    let prepared = prepared("peers", &variants, &[&idle, &overtime]);
    // A name that is in a program with musl's heap, and only there.
    let musls = "__malloc_alloc_meta";
    let has = |variant, name: &str| names(&prepared.executable(variant, "idle")).contains(name);
    assert!(has(Variant::Stock, musls));
    for (variant, own, version, least) in peers {
        let name = variant.name();
        assert!(has(variant, own), "{name}: no {own}");
        assert!(!has(variant, musls), "{name}: musl's heap is in it");
        let engine = &prepared.engines[name];
        assert!(engine.starts_with(version), "{name}: {engine}");
        let run = |workload, arguments: &[&str]| {
            let program = prepared.executable(variant, workload);
            let sample = prepared.launcher.run(&program, arguments, false, &[]);
            sample.unwrap_or_else(|error| panic!("{name}, {workload} {arguments:?}: {error}"))
        };
        let sample = run("idle", &[]);
        assert!(sample["writable_kb"] > least, "{name}: {sample:?}");
        if own == "mi_malloc" {
            continue;
        }
        for kind in brawn_bench::own::rss::KINDS {
            if kind != "idle" || variant != Variant::Rpmalloc {
                let sample = run("overtime", &[kind, "0", "1"]);
                assert!(sample["hwm_kb"] > sample["alive_kb"], "{kind}: {sample:?}");
            }
        }
    }
}

/// All names in a program, one after another.
fn names(program: &Path) -> String {
    let bytes = std::fs::read(program).expect("readable");
    let file = object::File::parse(&*bytes).expect("an executable");
    let names = file.symbols().filter_map(|symbol| symbol.name().ok());
    names.collect::<Vec<_>>().join(" ")
}

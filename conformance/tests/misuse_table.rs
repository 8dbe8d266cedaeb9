//! The table of docs/security.md: which heap ends a program of the misuse set. `BRAWN_WRITE_TABLE=1` writes it;
//! otherwise the table that is there must be what the programs do.

use brawn_conformance::build::Builder;
use brawn_conformance::musls::{Musl, matrix};
use brawn_conformance::place::Place;
use brawn_conformance::toolchain::home;
use brawn_conformance::trial::programs;
use brawn_payload::Profile;
use brawn_verify::directives::Program;
use brawn_verify::run::{measures, run};
use brawn_verify::ways::{Libc, Link};
use std::collections::BTreeMap;
use std::path::Path;

/// How often each program tries a kind of misuse: TRIES of `misused.h`.
const TRIES: u64 = 4;

const BEGIN: &str = "<!-- misuse set: begin -->\n";
const END: &str = "<!-- misuse set: end -->";

/// Each kind of misuse, as the programs name it, with its words.
const KINDS: &[(&str, &str)] = &[
    ("direct", "freed twice in a row"),
    ("delayed", "freed again after others came and went"),
    ("interleaved", "freed again after its neighbour"),
    ("among-others", "freed twice between neighbours in use"),
    ("after-another", "freed again after a new one of its size"),
    ("over-1-store", "1 byte behind, by a store"),
    ("over-1-memcpy", "1 byte behind, by `memcpy`"),
    ("over-32-store", "32 bytes behind, by stores"),
    ("over-32-memcpy", "32 bytes behind, by `memcpy`"),
    ("under-1-store", "1 byte in front, by a store"),
    ("under-1-memcpy", "1 byte in front, by `memcpy`"),
    ("under-1-alone", "1 byte in front, no neighbours"),
    ("under-32-store", "32 bytes in front, by stores"),
    ("under-32-memcpy", "32 bytes in front, by `memcpy`"),
    ("write", "all written after free"),
    ("write-first", "first byte written after free"),
    ("write-last", "last byte written after free"),
    ("zero", "filled with zeros after free"),
    ("read", "read after free"),
    (
        "write-alone",
        "written after free, the only one of its size",
    ),
    ("read-alone", "read after free, the only one of its size"),
    ("reused-write", "written after free and a new one"),
    ("reused-zero", "filled with zeros after free and a new one"),
    ("reused-read", "read after free and a new one"),
    ("stack", "`free` of the stack"),
    ("data", "`free` of static data"),
    ("far", "`free` of an address where nothing is"),
    ("unaligned", "`free` of an address 1 too large"),
    ("inner", "`free` of a block's middle"),
    ("inner-near", "`free` of an address 16 too large"),
    ("one-of-an-array", "C++: `delete` of an array of objects"),
    ("an-array-of-one", "C++: `delete[]` of one object"),
    ("plain-array", "C++: `delete` of an array of bytes"),
    ("size-too-large", "C++: sized `delete`, 1 too large"),
    ("size-too-small", "C++: sized `delete`, 1 too small"),
    ("array-size", "C++: sized `delete[]`, twice the size"),
    ("new-and-free", "C++: `free` of what `new[]` gave"),
];

const ORIGINS_BEGIN: &str = "<!-- misuse by origin: begin -->\n";
const ORIGINS_END: &str = "<!-- misuse by origin: end -->";

/// Where the blocks of `misuse_origins.c` come from, as it names them, with their words.
const ORIGINS: &[(&str, &str)] = &[
    ("aligned", "1,000 bytes, aligned to 16 bytes … 4 MiB"),
    (
        "aligned-large",
        "150,000 bytes, aligned to 16 bytes … 4 MiB",
    ),
    (
        "aligned-resized",
        "aligned to 16 bytes … 4 MiB, then `realloc`",
    ),
    ("grown", "made larger by `realloc`"),
    ("shrunk", "made smaller by `realloc`"),
    ("running", "of another thread that runs"),
    ("ended", "of a thread that has ended"),
    (
        "border",
        "12 bytes … 1 MiB, beside borders of the size classes",
    ),
];

/// What is done to each of them.
const MISUSES: [&str; 6] = [
    "twice",
    "front",
    "front-resized",
    "front-elsewhere",
    "behind",
    "inner",
];

/// Holds `secure` to all that mallocng ends the program for.
fn assert_misses_nothing(mallocng: &Found, secure: &Found) {
    for ((kind, size), &wanted) in mallocng {
        let ended = secure[&(kind.clone(), size.clone())];
        assert!(
            wanted < TRIES || ended == TRIES,
            "secure misses {kind} of {size} bytes, mallocng does not"
        );
    }
}

/// The heaps, with the heads of their columns.
fn heaps() -> Vec<(&'static str, Libc, Option<&'static Musl>, Profile)> {
    let musls: &'static [Musl] = Box::leak(matrix().unwrap().into_boxed_slice());
    let old = musls.iter().find(|m| m.name == "1.2.3-oldmalloc");
    assert!(old.is_some(), "tools/musls.lock: no oldmalloc");
    vec![
        ("mallocng", Libc::Stock, None, Profile::Fast),
        ("old malloc", Libc::Stock, old, Profile::Fast),
        ("glibc", Libc::Glibc, None, Profile::Fast),
        ("`fast`", Libc::Brawn, None, Profile::Fast),
        ("`lean`", Libc::Brawn, None, Profile::Lean),
        ("`secure`", Libc::Brawn, None, Profile::Secure),
    ]
}

/// What a heap did, by kind and size; empty where the program cannot be linked with it.
type Found = BTreeMap<(String, String), u64>;

fn found(
    builder: &Builder,
    programs: &[&Program],
    heap: (Libc, Option<&'static Musl>, Profile),
) -> Found {
    let (libc, musl, profile) = heap;
    let mut found = Found::new();
    for program in programs.iter().filter(|p| !p.cxx || musl.is_none()) {
        let link = match libc {
            Libc::Glibc => Link::Dynamic,
            _ if program.cxx => Link::Zig,
            _ => Link::Static,
        };
        let place = Place {
            libc,
            musl,
            link,
            profile,
        };
        let path = builder.build(program, place).map_err(|f| f.text).unwrap();
        for case in &program.cases {
            let printed = run(&[], &path, Some(case), &[], program.timeout).unwrap();
            for (name, ended) in measures(&printed) {
                let (kind, size) = name.rsplit_once('-').unwrap();
                found.insert((kind.to_owned(), size.to_owned()), ended);
            }
        }
    }
    found
}

/// The sizes at which a program is ended; in brackets where that is so at times only.
fn cell(found: &Found, kind: &str) -> String {
    let sizes = ["8", "4096", "40000", "262144"].map(|size| {
        let ended = found.get(&(kind.to_owned(), size.to_owned())).copied();
        (size, ended)
    });
    if sizes.iter().all(|(_, ended)| ended.is_none()) {
        return "not built".to_owned();
    }
    let sizes = sizes.map(|(size, ended)| (size, ended.unwrap()));
    if sizes.iter().all(|(_, ended)| *ended == TRIES) {
        return "all".to_owned();
    }
    let some = sizes.iter().filter_map(|(size, ended)| match *ended {
        0 => None,
        TRIES => Some((*size).to_owned()),
        _ => Some(format!("({size})")),
    });
    let some: Vec<String> = some.collect();
    if some.is_empty() {
        return "none".to_owned();
    }
    some.join(", ")
}

#[test]
fn security_says_what_each_heap_does_with_the_misuse_set() {
    let all = programs().unwrap();
    let set = ["misuse_set", "misuse_cxx"].map(|name| all.iter().find(|p| p.name == name).unwrap());
    let builder = Builder::new(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance"));
    let heaps = heaps();
    let results: Vec<Found> = heaps
        .iter()
        .map(|&(_, libc, musl, profile)| found(&builder, &set, (libc, musl, profile)))
        .collect();
    for (kind, size) in results[0].keys() {
        let is_known = KINDS.iter().any(|(name, _)| name == kind);
        assert!(is_known, "{kind} of {size} bytes has no words in KINDS");
    }
    assert_misses_nothing(&results[0], &results[5]);
    let heads: Vec<&str> = heaps.iter().map(|heap| heap.0).collect();
    let mut rows = vec![
        format!("| misuse | {} |", heads.join(" | ")),
        format!("|---|{}", "---|".repeat(heads.len())),
    ];
    rows.extend(KINDS.iter().map(|(kind, words)| {
        let cells: Vec<String> = results.iter().map(|found| cell(found, kind)).collect();
        format!("| {words} | {} |", cells.join(" | "))
    }));
    states(&rows, BEGIN, END);
}

/// Of how many cases a heap ends the program, by the blocks' origin. It is "all" at these two heaps, or the test fails.
#[test]
fn secure_misses_nothing_of_what_mallocng_sees_wherever_a_block_comes_from() {
    let all = programs().unwrap();
    let set = [all.iter().find(|p| p.name == "misuse_origins").unwrap()];
    let builder = Builder::new(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance"));
    let heaps = heaps();
    let [mallocng, secure] = [&heaps[0], &heaps[5]].map(|h| found(&builder, &set, (h.1, h.2, h.3)));
    assert_misses_nothing(&mallocng, &secure);
    let mut rows = vec![
        "| blocks | cases | mallocng | `secure` |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    let mut counted = 0;
    for (origin, words) in ORIGINS {
        let kinds = MISUSES.map(|misuse| format!("{origin}-{misuse}"));
        let count = |found: &Found, ended: &dyn Fn(u64) -> bool| {
            let is_one = |((kind, _), times): &(&(String, String), &u64)| {
                kinds.contains(kind) && ended(**times)
            };
            found.iter().filter(is_one).count()
        };
        let cases = count(&mallocng, &|_| true);
        counted += cases;
        let ends = [&mallocng, &secure].map(|found| count(found, &|times| times == TRIES));
        rows.push(format!("| {words} | {cases} | {} | {} |", ends[0], ends[1]));
    }
    assert_eq!(counted, mallocng.len(), "cases without words in ORIGINS");
    states(&rows, ORIGINS_BEGIN, ORIGINS_END);
}

/// Holds docs/security.md to a table, or writes it.
fn states(rows: &[String], begin: &str, end: &str) {
    let path = home().join("../docs/security.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).expect("the table's begin");
    let (table, after) = rest.split_once(end).expect("the table's end");
    if std::env::var_os("BRAWN_WRITE_TABLE").is_some() {
        let text = format!("{before}{begin}\n{}\n\n{end}{after}", rows.join("\n"));
        std::fs::write(&path, text).unwrap();
        return;
    }
    let stated: Vec<&str> = table.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(stated.len(), rows.len(), "rows of the table");
    for (stated, row) in stated.iter().zip(rows) {
        // What happens at times only need not happen now.
        let cells = stated.split('|').zip(row.split('|'));
        let differs = |(stated, found): (&str, &str)| stated != found && !stated.contains('(');
        assert!(
            stated.matches('|').count() == row.matches('|').count()
                && !cells.into_iter().any(differs),
            "docs/security.md says\n{stated}\nand the programs did\n{row}\nBRAWN_WRITE_TABLE=1 writes the table anew"
        );
    }
}

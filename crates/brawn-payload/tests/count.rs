//! What an operation of the heap costs other processors, for 1 to 128 threads: atomic read-modify-writes, writes to a cache
//! line that another thread had written to last, and system calls.  None may grow with the number of threads.  The counts are
//! exact, not timed: `count/count.h` says how.  `BRAWN_WRITE_TABLE=1` writes the table of bench/README.md.

#![allow(dead_code, missing_docs)] // the module is the build script's

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

mod common;
#[path = "../build/engine/mod.rs"]
mod engine;

use common::root;

const PROFILES: &[&str] = &["fast", "lean", "secure", "trace"];
const THREADS: &[u32] = &[1, 2, 8, 32, 128];

/// The loads of `count/small.c`, `teams.c` and `overtime.c`, with their words.
const LOADS: &[(&str, &str)] = &[
    (
        "pairs",
        "`malloc` and `free` of 1–1000 B (`threads`, `seed001`)",
    ),
    ("lifetimes", "16 B–32 KiB, mixed lifetimes"),
    ("passed-on", "1–1000 B, each block freed by the next thread"),
    ("growing", "vectors that grow to 64 KiB, one `realloc`"),
    ("large", "100 KiB–1 MiB"),
    ("lives", "a thread's life, with 16 blocks"),
    ("aligned", "alignments of 32 B–2 MiB, and `calloc`"),
    (
        "stress",
        "`stress`: 16 B–1 MiB, a third freed by the next thread",
    ),
    (
        "handoff",
        "`handoff`: 16 B–4 KiB, nearly all freed by the next thread",
    ),
    ("server", "`server`: tables that go from thread to thread"),
    ("shuffled", "`shuffled`: all freed in random order"),
    ("huge", "`huge`: 256 KiB–8 MiB"),
    ("buffers", "`buffers`: 5–25 MB"),
    ("vectors", "`realloc`: vectors that double, up to 1 MiB"),
    ("filled", "`seed003`: 0–100,000 B, each in turn"),
    ("bignum", "`bignum`: 16–64 B"),
    (
        "waves",
        "`waves`: requests with buffers; then all threads end",
    ),
    ("hour", "`hour`: sessions"),
    ("compiler", "`compiler`: nodes, lists, code"),
    ("cache", "`cache`: one for all threads"),
    ("pool", "`pool`: jobs, and a long wait"),
    (
        "requests",
        "`requests`: threads that live for one request, all at once",
    ),
    ("table", "`table`: grows and collapses"),
    ("idle", "`idle`: 16 blocks, a long wait, the thread's end"),
    (
        "waits",
        "requests with blocks of all kinds, and short waits",
    ),
];

const KINDS: [&str; 3] = ["atomics", "lines", "calls"];

const BEGIN: &str = "<!-- counts: begin -->\n";
const END: &str = "<!-- counts: end -->";

/// What an operation takes, in the order of [`KINDS`].
type Counts = [f64; 3];

fn run(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} failed:\n{said}").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The loads with the heap of `profile`, instrumented.
fn build(folder: &Path, profile: &str) -> Result<PathBuf> {
    let payload = root().join("payload");
    // Profiles are compiled at the same time: each from a copy of its own.
    let copy = folder.join(format!("{profile}-sources"));
    // Another version of it, which tools/engine.sh tries.
    let engine = match std::env::var_os("BRAWN_ENGINE") {
        Some(folder) => engine::at(Path::new(&folder))?,
        None => engine::find(Path::new(env!("CARGO_MANIFEST_DIR")))?,
    };
    let engine = engine.patched(&payload, &copy)?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/count");
    let object = folder.join(format!("{profile}.o"));
    let mut command = Command::new("musl-gcc");
    command.args(["-std=gnu11", "-O2", "-DNDEBUG", "-fno-builtin", "-w"]);
    command.args(["-fsanitize=thread", "-fvisibility=hidden"]);
    command.args(["-ffunction-sections", "-fdata-sections"]);
    command.arg("-DBRAWN_NOTE=\"count\"");
    let architecture = format!("arch/{}", std::env::consts::ARCH);
    let values = format!("profiles/{profile}");
    for folder in ["heap/include", "heap", &architecture, &values] {
        command.arg("-I").arg(payload.join(folder));
    }
    for folder in ["include", "src"] {
        command.arg("-I").arg(engine.folder.join(folder));
    }
    command.arg("-c").arg(sources.join("counted.c"));
    run(command.arg("-o").arg(&object))?;
    // libc's members have these names, too.
    let mut local = Command::new("objcopy");
    local.args(["memcpy", "memset"].map(|name| format!("--localize-symbol={name}")));
    run(local.arg(&object))?;
    let program = folder.join(profile);
    let mut link = Command::new("musl-gcc");
    link.args(["-O2", "-static", "-Wl,--gc-sections"]);
    link.args(
        ["loads.c", "small.c", "teams.c", "overtime.c", "hooks.c"].map(|file| sources.join(file)),
    );
    run(link.arg(&object).arg("-o").arg(&program))?;
    Ok(program)
}

/// Profile `trace` writes its record: to count it without one would be to count `fast`.
fn counts(program: &Path, load: &str) -> Result<BTreeMap<u32, Counts>> {
    let mut all = BTreeMap::new();
    let record = program.with_extension("record");
    for &threads in THREADS {
        // The longest takes seconds: one that does not end is told by its name.
        let mut command = Command::new("timeout");
        command.arg("300").arg(program);
        command.env(
            "BRAWN_OPTIONS",
            format!("heap_profile={}", record.display()),
        );
        let text = run(command.args([load, &threads.to_string()]))?;
        let numbers: Vec<f64> = text
            .split_whitespace()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        let counts = Counts::try_from(numbers).map_err(|_| format!("{load}: {text:?}"))?;
        all.insert(threads, counts);
        if program.ends_with("trace") {
            let written = fs::metadata(&record)?.len();
            assert!(written > 0, "{load}: nothing is recorded");
            fs::remove_file(&record)?;
        }
    }
    Ok(all)
}

/// What happens at times (a segment begins, a limit is reached) comes a little more often in one run than in another.  A sample
/// of profile `trace` is drawn: two threads have about a hundred, and a tenth more or less.
fn at_times(profile: &str) -> f64 {
    if profile == "trace" { 1.5 } else { 1.1 }
}

/// Of each kind: less than this is nothing.  It is one part in ten of what a block costs that another thread frees, and
/// for system calls, which cost more, one in twenty operations: in `secure`, a draw of random numbers decides over three in 80.
const NOTHING: Counts = [0.1, 0.15, 0.05];

/// What does grow: a load, a profile or all, a kind, and what it takes at most.  These are defects.
const DEFECTS: &[(&str, &str, &str, f64)] = &[
    // As many heaps of ended threads wait for the next ones as threads go on (BRAWN_POOL), and so much of their free memory stays
    // (purge.c).  Here all threads end before the next ones begin, so the second half of the heaps is taken apart.
    ("requests", "", "atomics", 2.5),
    ("requests", "", "lines", 12.5),
    ("requests", "", "calls", 0.16),
    // With few blocks, a mapping that is much too large serves (BRAWN_LARGE_FEW), so that two threads take a tenth of the calls of one;
    // in lean half of the peak more stays.
    ("large", "fast", "calls", 0.25),
    ("large", "lean", "calls", 0.25),
    ("large", "trace", "calls", 0.3),
    // Only so many segments and heaps are kept (BRAWN_KEPT_SEGMENTS, BRAWN_KEPT_THREADS).
    ("idle", "", "calls", 0.85),
    // More threads than a thread has parcels (BRAWN_PARCELS) take each other's blocks, and hand over parcels that are not full.
    // (Without parcels it was 2.5 atomic operations and 3.3 lines, from 32 threads on.)
    ("cache", "fast", "atomics", 2.1),
    ("cache", "fast", "lines", 2.5),
    ("cache", "lean", "atomics", 2.1),
    ("cache", "lean", "lines", 2.5),
    ("cache", "trace", "atomics", 2.1),
    ("cache", "trace", "lines", 2.5),
    // When large blocks come near their peak, every thread gives back what it has free (brawn_near_peak): more threads come there more
    // often.
    ("waits", "lean", "calls", 0.25),
];

fn defect(profile: &str, load: &str, kind: &str) -> Option<f64> {
    let is_it = |d: &&(&str, &str, &str, f64)| {
        d.0 == load && (d.1.is_empty() || d.1 == profile) && d.2 == kind
    };
    DEFECTS.iter().find(is_it).map(|d| d.3)
}

/// No number of threads takes more than fewer threads do, from 2 on.  How often a block is another thread's, and
/// how often a line was another thread's last, depends on their number even where nothing else does: any of n threads may be the
/// one, so the chance is 1 - 1/n.  An atomic operation depends on one such chance, a line on two (whose the block is, and who wrote to
/// its page last), a system call on none.  So counts are compared after division by the chances.
fn assert_does_not_grow(profile: &str, load: &str, counts: &BTreeMap<u32, Counts>) {
    for (kind, name) in KINDS.iter().enumerate() {
        let chances = [1, 2, 0][kind];
        let each = |threads: u32, count: f64| {
            let chance = 1.0 - 1.0 / f64::from(threads);
            count / chance.powi(chances)
        };
        if let Some(most) = defect(profile, load, name) {
            let is_within = counts.values().all(|count| count[kind] <= most);
            assert!(
                is_within,
                "{profile}, {load}: {name} beyond {most}: {counts:?}"
            );
            continue;
        }
        let mut fewer = f64::MAX;
        for (threads, count) in counts.range(2..) {
            let now = each(*threads, count[kind]);
            assert!(
                now <= fewer * at_times(profile) + NOTHING[kind],
                "{profile}, {load}: {name} grow with {threads} threads: {counts:?}"
            );
            fewer = if fewer == f64::MAX {
                now
            } else {
                fewer.max(now)
            };
        }
    }
}

fn row(words: &str, counts: &BTreeMap<u32, Counts>) -> String {
    let cells = [0, 1, 2].map(|kind| {
        let numbers = counts.values().map(|count| format!("{:.2}", count[kind]));
        numbers.collect::<Vec<_>>().join(", ")
    });
    format!("| {words} | {} |", cells.join(" | "))
}

/// Whether two rows say about the same: addresses differ from run to run, and with them a few counts. Of less than one
/// system call in five operations it may be half or twice: whether two threads' large blocks meet decides about it.
fn are_alike(stated: &str, found: &str) -> bool {
    let cells = |row: &str| -> Vec<Vec<f64>> {
        let cells = row.rsplit('|').skip(1).take(KINDS.len());
        let numbers = |cell: &str| cell.split(',').map(|n| n.trim().parse().unwrap()).collect();
        cells.map(numbers).collect()
    };
    let alike = |kind: &str, stated: &[f64], found: &[f64]| {
        let near = |(stated, found): (&f64, &f64)| {
            let few = kind == "calls" && *stated < 0.2;
            let part = if few { 0.6 } else { 0.1 };
            (stated - found).abs() <= 0.05 + part * stated
        };
        stated.len() == found.len() && stated.iter().zip(found).all(near)
    };
    // From the row's end, so the last kind comes first.
    let both = cells(stated).into_iter().zip(cells(found));
    KINDS
        .iter()
        .rev()
        .zip(both)
        .all(|(kind, (stated, found))| alike(kind, &stated, &found))
}

/// All loads with `profile`, held to what is said of them; gives the table's rows.
fn count_profile(folder: &Path, profile: &str) -> Vec<String> {
    let program = build(folder, profile).unwrap();
    let mut rows = Vec::new();
    for (load, words) in LOADS {
        let counts = counts(&program, load).unwrap();
        assert_does_not_grow(profile, load, &counts);
        // Blocks of the thread's own cost other processors nothing.  (Profile secure gives an empty page back by chance, and trace
        // records a block by chance.)
        if *load == "pairs" {
            let by_chance = match profile {
                "secure" => 0.01,
                "trace" => 0.05,
                _ => 0.0,
            };
            let is_nothing = counts[&128].iter().all(|count| *count <= by_chance);
            assert!(is_nothing, "{profile}, {load}: {counts:?}");
        }
        // Not every large block that profile secure takes back is put out of reach: two calls each.
        if (*load, profile) == ("large", "secure") {
            assert!(counts[&128][2] <= 0.5, "{profile}, {load}: {counts:?}");
        }
        rows.push(row(words, &counts));
    }
    rows
}

#[test]
fn no_count_grows_with_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = vec![
        "| load | atomic read-modify-writes | lines taken from another thread | system calls |"
            .to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    // Two at a time, which take turns on one processor as well.
    for pair in PROFILES.chunks(2) {
        let counted: Vec<Vec<String>> = std::thread::scope(|scope| {
            let folder = folder.path();
            let start = |profile: &&'static str| {
                let profile = *profile;
                scope.spawn(move || count_profile(folder, profile))
            };
            let started: Vec<_> = pair.iter().map(start).collect();
            let joined = started.into_iter().map(|one| one.join().unwrap());
            joined.collect()
        });
        if pair[0] == "fast" {
            rows.extend_from_slice(&counted[0]);
        }
    }
    let path = root().join("bench/README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the table's begin");
    let (table, after) = rest.split_once(END).expect("the table's end");
    if std::env::var_os("BRAWN_WRITE_TABLE").is_some() {
        let text = format!("{before}{BEGIN}\n{}\n\n{END}{after}", rows.join("\n"));
        fs::write(&path, text).unwrap();
        return;
    }
    let stated: Vec<&str> = table.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(stated.len(), rows.len(), "rows of the table");
    for (stated, found) in stated.iter().zip(&rows).skip(2) {
        assert!(
            are_alike(stated, found),
            "bench/README.md says\n{stated}\nand the loads took\n{found}\nBRAWN_WRITE_TABLE=1 writes the table anew"
        );
    }
}

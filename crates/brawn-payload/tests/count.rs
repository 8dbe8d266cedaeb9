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
#[path = "../build/engine.rs"]
mod engine;

use common::root;

const PROFILES: &[&str] = &["fast", "lean", "secure"];
const THREADS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128];
/// Of these, the table has those.
const SHOWN: &[u32] = &[1, 2, 16, 128];

/// The loads of `count/loads.c`, with their words.
const LOADS: &[(&str, &str)] = &[
    ("pairs", "`malloc` and `free` of 1–1000 B"),
    ("lifetimes", "16 B–32 KiB, mixed lifetimes"),
    ("passed-on", "1–1000 B, each block freed by the next thread"),
    ("growing", "vectors that grow to 64 KiB, one `realloc`"),
    ("large", "100 KiB–1 MiB"),
    ("lives", "a thread's life, with 16 blocks"),
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
    let engine = engine::find(Path::new(env!("CARGO_MANIFEST_DIR")))?;
    let payload = root().join("payload");
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
    link.args(["loads.c", "hooks.c"].map(|file| sources.join(file)));
    run(link.arg(&object).arg("-o").arg(&program))?;
    Ok(program)
}

fn counts(program: &Path, load: &str) -> Result<BTreeMap<u32, Counts>> {
    let mut all = BTreeMap::new();
    for &threads in THREADS {
        let text = run(Command::new(program).args([load, &threads.to_string()]))?;
        let numbers: Vec<f64> = text
            .split_whitespace()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        let counts = Counts::try_from(numbers).map_err(|_| format!("{load}: {text:?}"))?;
        all.insert(threads, counts);
    }
    Ok(all)
}

/// More threads may not take more than two, but for what happens at times (a segment begins, a limit is reached).  The chance
/// that another thread wrote to a line last is a half with two threads, and nearly one with many: lines may double once.
fn assert_does_not_grow(what: &str, counts: &BTreeMap<u32, Counts>) {
    const AT_TIMES: f64 = 0.1;
    for (threads, now) in counts.range(4..) {
        for (kind, name) in KINDS.iter().enumerate() {
            let times = if *name == "lines" { 2.0 } else { 1.1 };
            let most = counts[&2][kind] * times + AT_TIMES;
            assert!(
                now[kind] <= most,
                "{what}: {threads} threads take {} {name} an operation; {counts:?}",
                now[kind]
            );
        }
    }
}

fn row(words: &str, counts: &BTreeMap<u32, Counts>) -> String {
    let cells = [0, 1, 2].map(|kind| {
        let numbers = SHOWN.iter().map(|n| format!("{:.2}", counts[n][kind]));
        numbers.collect::<Vec<_>>().join(", ")
    });
    format!("| {words} | {} |", cells.join(" | "))
}

/// Whether two rows say about the same: addresses differ from run to run, and with them a few counts.
fn are_alike(stated: &str, found: &str) -> bool {
    let split = |row: &str| -> Vec<String> {
        let cells = row.rsplit('|').skip(1).take(3);
        let numbers = cells.flat_map(|cell| cell.split(',').map(|n| n.trim().to_owned()));
        numbers.collect()
    };
    let (stated, found) = (split(stated), split(found));
    stated.len() == found.len()
        && stated.iter().zip(&found).all(|(stated, found)| {
            match (stated.parse::<f64>(), found.parse::<f64>()) {
                (Ok(stated), Ok(found)) => (stated - found).abs() <= 0.05 + 0.1 * stated,
                _ => false,
            }
        })
}

#[test]
fn no_count_grows_with_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = vec![
        "| load | atomic read-modify-writes | lines taken from another thread | system calls |"
            .to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    for profile in PROFILES {
        let program = build(folder.path(), profile).unwrap();
        for (load, words) in LOADS {
            let counts = counts(&program, load).unwrap();
            assert_does_not_grow(&format!("{profile}, {load}"), &counts);
            // Blocks of the thread's own cost other processors nothing.  (Profile secure gives an empty page back by chance.)
            if *load == "pairs" {
                let by_chance = if *profile == "secure" { 0.01 } else { 0.0 };
                let is_nothing = counts[&128].iter().all(|count| *count <= by_chance);
                assert!(is_nothing, "{profile}, {load}: {counts:?}");
            }
            // Not every large block that profile secure takes back is put out of reach: two calls each.
            if (*load, *profile) == ("large", "secure") {
                assert!(counts[&128][2] <= 0.5, "{profile}, {load}: {counts:?}");
            }
            if *profile == "fast" {
                rows.push(row(words, &counts));
            }
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

//! Finds out where a program's bytes are, from the heap itself: `bench/where/where.c` is the payload's heap with a walk
//! through its structures. It looks whenever more memory is resident than before, so its last look is the program's
//! peak; or whenever the program has rested for a while.

use super::{Site, rss};
use crate::progress::Progress;
use crate::show::{Cell, Row, Table, grouped};
use crate::{Result, context, repository};
use brawn_lab::build::checked;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[path = "../../../crates/brawn-payload/build/engine/mod.rs"]
#[allow(dead_code)] // the payload's build script calls more of it
mod engine;

/// The programs that are not loads of `overtime`, with their default arguments.
const OWN: [(&str, &str); 8] = [
    ("stress", "0 1000000"),
    ("seed003", ""),
    ("huge", "400"),
    ("realloc", "3000"),
    ("server", "2 100"),
    ("format", "32 600"),
    ("generations", "2 20 20000"),
    ("ledger", "150000 copy"),
];
/// How many block sizes are shown: those with the most free memory.
const SIZES: usize = 8;

/// What the heap saw at a program's peak, or while it rested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// Resident bytes of the process.
    pub resident: u64,
    /// One kind of memory: bytes, pieces, and a name.
    pub rows: Vec<(u64, u64, String)>,
    /// Pages by the size of their blocks: the size, the bytes of live blocks, and the bytes beside them.
    pub sizes: Vec<[u64; 3]>,
}

/// How long a load rests, in milliseconds, to be looked at then.
const RESTS: &str = "1500";

/// All programs; those that can rest.
pub fn names(rests: bool) -> Vec<String> {
    let own = OWN.iter().map(|(name, _)| *name).filter(|_| !rests);
    own.chain(rss::KINDS).map(str::to_owned).collect()
}

/// Runs one of [`names`] with the heap of `profile`.
pub fn look(
    site: &Site,
    program: &str,
    profile: &str,
    rests: bool,
    progress: &Progress,
) -> Result<Peak> {
    let own = OWN.iter().find(|(name, _)| *name == program);
    if own.is_none() && !rss::KINDS.contains(&program) {
        return Err(format!("no program {program}"));
    }
    let (source, arguments) = own.copied().unwrap_or(("overtime", "0"));
    if rests && source == program {
        return Err(format!("{program} does not rest"));
    }
    progress.step(&format!("building {program}"));
    let built = build(site, source, profile)?;
    let told = site.at(&format!("{program}.peak"));
    let mut command = Command::new(&built);
    if source != program {
        command.arg(program);
    }
    if rests {
        command.arg(RESTS).env("BRAWN_WHERE_RESTS", "1");
    } else {
        command.args(arguments.split_whitespace());
    }
    progress.step(&format!("running {program}"));
    checked(command.env("BRAWN_WHERE", &told))?;
    read(&context(fs::read_to_string(&told), "read", &told)?)
}

/// The flags that matter to what the heap does are the payload's (`crates/brawn-payload/build/recipe.rs`).
fn build(site: &Site, source: &str, profile: &str) -> Result<PathBuf> {
    let lib = site.patched(&site.libc)?;
    let payload = repository().join("payload");
    let manifest = repository().join("crates/brawn-payload");
    let engine = engine::patched(&manifest, &payload, &site.at("engine"))
        .map_err(|error| format!("the engine's sources: {error}"))?;
    let object = site.at("where.o");
    let mut command = Command::new("musl-gcc");
    command.args(["-std=gnu11", "-O2", "-DNDEBUG", "-fno-builtin", "-w"]);
    command.args([
        "-ffunction-sections",
        "-fdata-sections",
        "-DBRAWN_NOTE=\"where\"",
    ]);
    let architecture = format!("arch/{}", std::env::consts::ARCH);
    let profile = format!("profiles/{profile}");
    for folder in ["heap/include", "heap", &architecture, &profile] {
        command.arg("-I").arg(payload.join(folder));
    }
    for folder in ["include", "src"] {
        command.arg("-I").arg(engine.folder.join(folder));
    }
    command
        .arg("-c")
        .arg(repository().join("bench/where/where.c"));
    checked(command.arg("-o").arg(&object))?;
    // The archive's members have these names, too.
    let mut local = Command::new("objcopy");
    local.args(["-L", "brawn_memcpy", "-L", "brawn_memset"]);
    checked(local.arg(&object))?;
    let out = site.at(&format!("where-{source}"));
    let mut link = Command::new("musl-gcc");
    link.args(["-O2", "-static", "-pthread", "-Wl,--gc-sections", "-o"]);
    link.arg(&out)
        .arg(repository().join(format!("bench/workloads/{source}.c")));
    checked(link.arg(&object).arg("-L").arg(&lib))?;
    Ok(out)
}

/// Reads what where.c wrote.
fn read(text: &str) -> Result<Peak> {
    let mut peak = Peak::default();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let kind = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let malformed = || format!("a line of where.c: {line}");
        match kind {
            "resident" => peak.resident = number().ok_or_else(malformed)?,
            "row" => {
                let both = number().zip(number()).ok_or_else(malformed)?;
                let name = words.next().ok_or_else(malformed)?.to_owned();
                peak.rows.push((both.0, both.1, name));
            }
            "size" => {
                let three = [number(), number(), number()];
                let [Some(size), Some(live), Some(free)] = three else {
                    return Err(malformed());
                };
                peak.sizes.push([size, live, free]);
            }
            _ => return Err(malformed()),
        }
    }
    if peak.resident == 0 {
        return Err("the program ended before its memory was looked at".to_owned());
    }
    Ok(peak)
}

/// A table of what is resident at the peak.
pub fn show(program: &str, peak: &Peak) -> Table {
    let line = |name: &str, bytes: u64, pieces: &str| {
        let share = bytes as f64 / peak.resident as f64 * 100.0;
        let cells = [
            name.to_owned(),
            grouped(bytes as f64 / 1024.0),
            format!("{share:.1} %"),
            pieces.to_owned(),
        ];
        Row::Cells(cells.map(Cell::from).into())
    };
    let mut rows: Vec<Row> = Vec::new();
    for (bytes, pieces, name) in peak.rows.iter().filter(|(bytes, ..)| *bytes > 0) {
        rows.push(line(name, *bytes, &grouped(*pieces as f64)));
    }
    let told: u64 = peak.rows.iter().map(|(bytes, ..)| bytes).sum();
    let rest = peak.resident.saturating_sub(told);
    let others = "the program, its stacks, the threads' heaps";
    rows.push(line(others, rest, ""));
    rows.push(line("resident", peak.resident, ""));
    let mut sizes = peak.sizes.clone();
    sizes.retain(|[_, _, free]| *free > 0);
    sizes.sort_unstable_by_key(|[_, _, free]| std::cmp::Reverse(*free));
    for [size, _, free] in sizes.into_iter().take(SIZES) {
        let name = format!("free in pages of blocks of {} B", grouped(size as f64));
        rows.push(line(&name, free, ""));
    }
    Table::new([program, "KiB", "share", "pieces"], rows)
}

#[cfg(test)]
mod tests;

//! Finds out how much memory a program's container needs with every heap.
//!
//! A load's figures are how many bytes it has requested at its peak (*alive*), what its process needs besides the heap, whether it
//! finishes with 1.1 times their sum, and the smallest limit under which it finishes. In each round every heap runs every load, in
//! a random order.

mod search;

use super::rss::{HEAPS, glibc_first, heaps, name, row, variant, variants};
use super::{Choice, MIB, Raw, Site, chosen};
use crate::catalogue::{Entry, by_itself};
use crate::prepare::{self, Prepared};
use crate::progress::Progress;
use crate::show::{self, Table};
use crate::{Result, context, repository};
use brawn_lab::build::checked;
use brawn_lab::process::limits::{Group, Job, Limiter, Outcome};
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::Order;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The loads: those of `overtime`, and two programs.
pub const LOADS: [&str; 10] = [
    "waves", "hour", "compiler", "cache", "pool", "requests", "table", "idle", STRESS, BUFFERS,
];
const STRESS: &str = "stress";
const BUFFERS: &str = "buffers";
const GLIBC: &str = "glibc";

/// How often a load must finish under a limit, since threads run in another order each time.
const TRIES: usize = 3;
/// MiB of the heap that is charged to another group: more than any load needs without giving anything back.
const APART: u32 = 512;
/// A bar: how many times the memory that a load cannot do without.
const ROOM: f64 = 1.1;

const OVERTIME: &str = "overtime";
const TITLE: &str = "limits on memory";
const ENTRIES: [Entry; 3] = [
    by_itself(OVERTIME, TITLE),
    by_itself(STRESS, TITLE),
    by_itself(BUFFERS, TITLE),
];

/// The program of a load, and its arguments.
fn program(load: &'static str, quick: bool) -> (&'static str, Vec<&'static str>) {
    match (load, quick) {
        (STRESS, false) => (STRESS, vec!["0", "100000"]),
        (STRESS, true) => (STRESS, vec!["0", "2000"]),
        (BUFFERS, false) => (BUFFERS, vec!["60"]),
        (BUFFERS, true) => (BUFFERS, vec!["8"]),
        (_, false) => (OVERTIME, vec![load, "0", "100"]),
        (_, true) => (OVERTIME, vec![load, "0", "5"]),
    }
}

/// Builds `bench/limit/enter.c` in a directory.
pub fn enter(work: &Path) -> Result<PathBuf> {
    let out = work.join("enter");
    let source = repository().join("bench/limit/enter.c");
    let mut command = Command::new("musl-gcc");
    command.args(["-O2", "-static", "-o"]).arg(&out).arg(source);
    checked(&mut command)?;
    Ok(out)
}

/// How the error begins that says why no cgroup can be made.
pub const NO_GROUP: &str = "no memory cgroup can be made here";

/// What the programs are limited by: a cgroup, unless `rlimit`.
fn limiter(site: &Site, rlimit: bool) -> Result<Limiter> {
    let enter = enter(&site.work)?;
    if rlimit {
        return Ok(Limiter::Data { enter });
    }
    Group::make(&enter).map(Limiter::Group).map_err(|reason| {
        format!("{NO_GROUP}: {reason}; run it as root, or by `systemd-run --user --scope`, or with --rlimit")
    })
}

/// Builds a workload with the heap that is charged elsewhere.
fn build_apart(work: &Path, workload: &str) -> Result<PathBuf> {
    let out = work.join(format!("apart-{workload}"));
    let mut command = Command::new("musl-gcc");
    command.args(["-O2", "-pthread", "-static"]);
    command.args(prepare::ALIGNED).arg("-o").arg(&out);
    for name in [format!("workloads/{workload}"), "limit/apart".to_owned()] {
        command.arg(repository().join(format!("bench/{name}.c")));
    }
    checked(&mut command)?;
    Ok(out)
}

/// Builds the programs, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let limiter = &limiter(site, choice.rlimit)?;
    let heaps = chosen(&HEAPS, &choice.heaps);
    let loads = chosen(&LOADS, &choice.only);
    let variants = variants(&heaps);
    let needed = |entry: &&Entry| {
        let mut workloads = loads.iter().map(|load| program(load, false).0);
        workloads.any(|workload| workload == entry.workload)
    };
    let entries: Vec<&Entry> = ENTRIES.iter().filter(needed).collect();
    let built = site.built(&variants, &entries, progress)?;
    let mut raw = Raw::of_built("brawn-bench limit", &built);
    let kind = match limiter {
        Limiter::Group(group) => format!("cgroup, version {}", group.version().number()),
        Limiter::Data { .. } => RLIMIT.to_owned(),
    };
    raw.versions.insert(LIMITED_BY.to_owned(), kind);
    let trial = Trial {
        limiter,
        tries: if choice.quick { 1 } else { TRIES },
        quick: choice.quick,
    };
    for entry in &entries {
        build_apart(&built.work, entry.workload)?;
    }
    progress.steps("what the loads need", loads.len());
    for load in &loads {
        let [alive, besides] = trial.needs(&built, load)?;
        raw.facts.insert(format!("{load} alive"), alive as f64);
        raw.facts.insert(format!("{load} besides"), besides as f64);
        progress.advance();
    }
    let floors: BTreeMap<&str, f64> = loads
        .iter()
        .map(|load| (*load, floor(&raw, load)))
        .collect();
    let all = (&loads[..], &heaps[..]);
    raw.measure(TITLE, (rounds, Order::Runs), all, progress, |turn| {
        let (load, heap) = (*turn.thing, *turn.side);
        let sample = trial.of_heap(&built, load, heap, floors[load]);
        let sample = sample.map_err(|error| format!("{load}, {heap}: {error}"))?;
        Ok((name(load, heap), sample))
    })?;
    Ok(raw)
}

/// The entry of [`Raw::versions`] that says what the programs were limited by.
const LIMITED_BY: &str = "limited by";
const RLIMIT: &str = "RLIMIT_DATA";

/// The bytes that a load cannot do without, whatever its heap does.
fn floor(raw: &Raw, load: &str) -> f64 {
    raw.fact(&format!("{load} alive")) + raw.fact(&format!("{load} besides"))
}

/// How runs ended, other than well.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    killed: u32,
    failed: u32,
}

struct Trial<'a> {
    limiter: &'a Limiter,
    tries: usize,
    quick: bool,
}

impl Trial<'_> {
    /// Whether `job` finishes each time.
    fn finishes(&self, job: &Job, limit: u64, ends: &mut Ends) -> Result<bool> {
        for _ in 0..self.tries {
            if !self.once(job, limit, ends)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn once(&self, job: &Job, limit: u64, ends: &mut Ends) -> Result<bool> {
        match self.limiter.run(job, Some(limit))?.0 {
            Outcome::Finished(_) => return Ok(true),
            Outcome::Killed => ends.killed += 1,
            Outcome::Failed(_) => ends.failed += 1,
        }
        Ok(false)
    }

    /// A run without a limit: its figures, and the most bytes that were charged.
    fn free(&self, job: &Job) -> Result<(Sample, Option<u64>)> {
        match self.limiter.run(job, None)? {
            (Outcome::Finished(sample), peak) => Ok((sample, peak)),
            (Outcome::Killed, _) => Err("killed without a limit of its own".to_owned()),
            (Outcome::Failed(how), _) => Err(format!("without a limit: {how}")),
        }
    }

    /// The bytes that are alive at the load's peak, and those that its process needs besides its heap.
    fn needs(&self, built: &Prepared, load: &'static str) -> Result<[u64; 2]> {
        let (workload, arguments) = program(load, self.quick);
        let path = built.work.join(format!("apart-{workload}"));
        let job = Job {
            program: &path,
            arguments: &arguments,
            variables: &[],
            heap: APART,
        };
        let mut alive = 0;
        let mut most = None;
        for _ in 0..self.tries {
            let (sample, peak) = self.free(&job)?;
            let bytes = sample.get("live_bytes").ok_or("apart.c gave no figure")?;
            alive = alive.max(*bytes as u64);
            most = most.max(peak);
        }
        let mut ends = Ends::default();
        let besides = search::smallest(0, most.unwrap_or(1 << 20), |limit| {
            self.finishes(&job, limit, &mut ends)
        });
        let besides = besides.map_err(|error| format!("{load}, heap apart: {error}"))?;
        Ok([alive, besides])
    }

    fn of_heap(
        &self,
        built: &Prepared,
        load: &'static str,
        heap: &str,
        floor: f64,
    ) -> Result<Sample> {
        let variant = variant(heap).ok_or("no such heap")?;
        let (workload, arguments) = program(load, self.quick);
        let path = built.executable(variant, workload);
        // The file's pages are charged to whoever reads them first: this process, like those of glibc's libraries, which the compiler
        // has used.
        context(std::fs::read(&path), "read", &path)?;
        let arenas = [("MALLOC_ARENA_MAX", "2")];
        let job = Job {
            program: &path,
            arguments: &arguments,
            variables: if heap.ends_with("-2") { &arenas } else { &[] },
            heap: 0,
        };
        let mut ends = Ends::default();
        let mut finished = 0;
        for _ in 0..self.tries {
            let is_done = self.once(&job, (floor * ROOM) as u64, &mut ends)?;
            finished += u32::from(is_done);
        }
        let (_, peak) = self.free(&job)?;
        // What is alive at the peak differs a little from run to run.
        let low = (floor * 0.9) as u64;
        let high = peak.unwrap_or((floor * 1.5) as u64);
        let smallest = search::smallest(low, high, |limit| self.finishes(&job, limit, &mut ends))?;
        let figures = [
            ("tries", self.tries as f64),
            ("finished", f64::from(finished)),
            ("smallest_bytes", smallest as f64),
            ("killed", f64::from(ends.killed)),
            ("failed", f64::from(ends.failed)),
        ];
        let peak = peak.map(|bytes| ("peak_bytes", bytes as f64));
        let figures = figures.into_iter().chain(peak);
        Ok(figures.map(|(n, v)| (n.to_owned(), v)).collect())
    }
}

/// A table of all loads: how often each heap finishes with little site, and the smallest limits, glibc's as it is, the others'
/// against it.
pub fn show(raw: &Raw) -> Table {
    let heaps = glibc_first(&heaps(raw));
    let mut rows = Vec::new();
    for load in LOADS {
        let smallest = |heap: &str| raw.median(&name(load, heap), "smallest_bytes");
        if heaps.iter().all(|heap| smallest(heap).is_nan()) {
            continue;
        }
        let room = format!("finishes with {}", mib(floor(raw, load) * ROOM));
        let base = smallest(GLIBC);
        let limit = |heap: &str| match smallest(heap) {
            value if heap == GLIBC || base.is_nan() => mib(value),
            value => show::or_dash(value / base, show::ratio),
        };
        rows.push(row([load, &room], &heaps, |heap| finishes(raw, load, heap)));
        rows.push(row(["", "smallest limit"], &heaps, limit));
    }
    Table::new(["load", ""].into_iter().chain(heaps), rows)
}

fn finishes(raw: &Raw, load: &str, heap: &str) -> String {
    let sum = |figure| raw.all(&name(load, heap), figure).iter().sum::<f64>();
    let (finished, tries) = (sum("finished"), sum("tries"));
    match finished {
        _ if tries == 0.0 => "–".to_owned(),
        0.0 => "no".to_owned(),
        _ if finished == tries => "yes".to_owned(),
        _ => format!("{finished} of {tries}"),
    }
}

fn mib(bytes: f64) -> String {
    show::or_dash(bytes, |bytes| format!("{:.1} MiB", bytes / MIB))
}

/// What the programs were limited by, as a sentence for below the table.
pub fn limited_by(raw: &Raw) -> String {
    match raw.versions.get(LIMITED_BY).map(String::as_str) {
        Some(RLIMIT) => "Limited by RLIMIT_DATA, which counts mappings, whether touched or not: not what a container does.".to_owned(),
        Some(group) => format!("Limited by a memory {group}, without swap."),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;

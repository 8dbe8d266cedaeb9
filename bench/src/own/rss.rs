//! Watches the memory of `bench/workloads/overtime.c` over time, from outside of the process, with every heap.
//!
//! A load's figures are the peak, the mean while it works, and what is left 1 s and 10 s after its end. In each round
//! every heap runs every load once, in a random order.

use super::{MIB, Raw, Room};
use crate::catalogue::{Entry, Kind};
use crate::launch::{Sample, parse};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table};
use crate::variant::Variant;
use crate::{Result, stats};
use brawn_measure::counters::Availability;
use brawn_measure::schedule::Random;
use brawn_measure::tree::{self, End, Job, Moment, Output};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

/// The loads, as the program names them.
pub const KINDS: [&str; 8] = [
    "waves", "hour", "compiler", "cache", "pool", "requests", "table", "idle",
];
/// The heaps. `glibc-2` is glibc with `MALLOC_ARENA_MAX=2`, which people set to reduce its memory.
pub const HEAPS: [&str; 11] = [
    STOCK,
    GLIBC,
    "glibc-2",
    BRAWN,
    "lean",
    "secure",
    "mimalloc2",
    "mimalloc3",
    "jemalloc",
    "rpmalloc",
    "snmalloc",
];
const STOCK: &str = "stock";
const GLIBC: &str = "glibc";
const BRAWN: &str = "brawn";

const WORKLOAD: &str = "overtime";
/// How long the program rests, in milliseconds: in every round, and in the first one, which also shows how much goes
/// back in 10 s.
const REST: u64 = 1200;
const LONG_REST: u64 = 10_200;
/// A program that takes longer hangs. (A thousand threads that spin for a heap's lock have taken more than a minute.)
const LIMIT: Duration = Duration::from_secs(600);
/// How many points of a curve are kept.
const POINTS: usize = 100;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The loads; empty for all.
    pub kinds: Vec<String>,
    /// The heaps; empty for all.
    pub heaps: Vec<String>,
    /// Small loads and no long rest.
    pub quick: bool,
}

fn chosen(all: &[&'static str], names: &[String]) -> Vec<&'static str> {
    let is_asked = |name: &&str| names.is_empty() || names.iter().any(|n| n == name);
    all.iter().copied().filter(is_asked).collect()
}

fn variant(heap: &str) -> Option<Variant> {
    Variant::from_name(heap.trim_end_matches("-2"))
}

const ENTRY: Entry = Entry {
    id: WORKLOAD,
    workload: WORKLOAD,
    arguments: &[],
    quick: &[],
    rounds: 1,
    kind: Kind::Run,
    title: "memory over time",
    variants: &Variant::ALL,
};

/// Builds the programs, runs `rounds` rounds, and returns the raw data.
pub fn measure(room: &Room, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let heaps = chosen(&HEAPS, &choice.heaps);
    let kinds = chosen(&KINDS, &choice.kinds);
    let mut variants: Vec<Variant> = heaps.iter().filter_map(|heap| variant(heap)).collect();
    variants.sort_unstable();
    variants.dedup();
    let built = Prepared::build(&room.work, &room.brawn, &variants, &[&ENTRY], &mut |what| {
        progress.step(&format!("building {what}"));
    })?;
    let mut raw = Raw::new("brawn-bench rss", &room.brawn);
    let names = built.engines.iter().map(|(n, v)| (n.clone(), v.clone()));
    raw.versions.extend(names);
    let mut random = Random::new(super::SEED);
    let mut all: Vec<(&str, &str)> = kinds
        .iter()
        .flat_map(|kind| heaps.iter().map(move |heap| (*kind, *heap)))
        .collect();
    progress.steps("memory over time", rounds * all.len());
    for round in 0..rounds {
        let rest = match round {
            0 if !choice.quick => LONG_REST,
            _ => REST,
        };
        let mut figures = BTreeMap::new();
        random.shuffle(&mut all);
        for (kind, heap) in &all {
            let scale = if choice.quick { "5" } else { "100" };
            let (sample, moments) = run(&built, kind, heap, rest, scale)?;
            let name = name(kind, heap);
            if round == 0 {
                raw.curves.insert(name.clone(), curve(&moments));
            }
            figures.insert(name, sample);
            progress.advance();
        }
        raw.rounds.push(figures);
    }
    Ok(raw)
}

/// The name of a load with a heap in the raw data.
fn name(kind: &str, heap: &str) -> String {
    format!("{kind} {heap}")
}

fn run(
    built: &Prepared,
    kind: &str,
    heap: &str,
    rest: u64,
    scale: &str,
) -> Result<(Sample, Vec<Moment>)> {
    let variant = variant(heap).ok_or_else(|| format!("no heap {heap}"))?;
    let path = built.executable(variant, WORKLOAD);
    let rest = rest.to_string();
    let arguments = [WORKLOAD, kind, &rest, scale].map(OsString::from);
    let arenas = [("MALLOC_ARENA_MAX".into(), "2".into())];
    let run = tree::run(&Job {
        path: &path,
        arguments: &arguments,
        variables: if heap.ends_with("-2") { &arenas } else { &[] },
        input: None,
        output: Output::Kept(4096),
        limit: Some(LIMIT),
        watch: true,
        counters: &Availability::default(),
        interrupt: None,
    });
    let run = run.map_err(|failure| format!("{kind}, {heap}: {failure}"))?;
    if run.end != End::Exit(0) {
        return Err(format!("{kind}, {heap}: {:?}", run.end));
    }
    let mut sample = parse(&String::from_utf8_lossy(&run.output[0].bytes));
    let figures = &run.figures;
    sample.insert("wall_ns".to_owned(), figures.wall_ns as f64);
    let cpu = figures.user_ns + figures.system_ns;
    sample.insert("cpu_ns".to_owned(), cpu as f64);
    let of = |name: &str| sample.get(name).copied().unwrap_or(f64::NAN);
    // The program ends with its rest, but for waking what sleeps.
    let end = (figures.wall_ns as f64 - of("rest_ns")) / 1000.0;
    let reduced = reduced(&run.moments, end, of("rest_ns") / 1000.0);
    // A file of raw data has no NaN.
    let seen = reduced.into_iter().filter(|(_, value)| value.is_finite());
    sample.extend(seen.map(|(name, value)| (name.to_owned(), value)));
    Ok((sample, run.moments))
}

/// The mean while the load works, and the memory after it, in KiB; `end` is the time of its end, `rest` how long the
/// program lived after that, in microseconds. NaN where there is no sample.
fn reduced(moments: &[Moment], end: f64, rest: f64) -> [(&'static str, f64); 6] {
    let figure = |of: fn(&Moment) -> u64| {
        // Each look stands for the time until the next one.
        let (mut sum, mut time) = (0.0, 0.0);
        for pair in moments.windows(2) {
            let until = (pair[1].at_us as f64).min(end);
            let span = until - pair[0].at_us as f64;
            if span > 0.0 {
                sum += of(&pair[0]) as f64 * span;
                time += span;
            }
        }
        // The last look before that instant; a rest that is shorter has none.
        let after = |seconds: f64| {
            let at = end + seconds * 1e6;
            let last = moments.iter().rfind(|m| (m.at_us as f64) <= at);
            last.filter(|m| rest >= seconds * 1e6 && m.at_us as f64 > end)
                .map_or(f64::NAN, |m| of(m) as f64 / 1024.0)
        };
        [sum / time / 1024.0, after(1.0), after(10.0)]
    };
    let (rss, pss) = (figure(|m| m.rss), figure(|m| m.pss));
    [
        ("mean_rss_kb", rss[0]),
        ("rss_1s_kb", rss[1]),
        ("rss_10s_kb", rss[2]),
        ("mean_pss_kb", pss[0]),
        ("pss_1s_kb", pss[1]),
        ("pss_10s_kb", pss[2]),
    ]
}

/// Some of the moments, evenly.
fn curve(moments: &[Moment]) -> Vec<[u64; 3]> {
    let step = moments.len().div_ceil(POINTS).max(1);
    let point = |m: &Moment| [m.at_us / 1000, m.rss / 1024, m.pss / 1024];
    moments.iter().step_by(step).map(point).collect()
}

/// A figure of one load and heap, over all rounds that have it.
fn figure(raw: &Raw, kind: &str, heap: &str, figure: &str) -> f64 {
    let mut values = raw.all(&name(kind, heap), figure);
    values.retain(|value| value.is_finite());
    stats::estimate(&values).map_or(f64::NAN, |e| e.median)
}

/// How much of the memory that was free at the load's end has gone back to the kernel 1 s later, in percent: of all but
/// what `stays`, the bytes that are alive or the 4 KiB in which they lie.
fn given_back(raw: &Raw, kind: &str, heap: &str, stays: &str) -> f64 {
    let of = |name| figure(raw, kind, heap, name);
    let free = of("hwm_kb") - of(stays);
    (of("hwm_kb") - of("rss_1s_kb")) / free * 100.0
}

type Figure = (&'static str, &'static str);
const FIGURES: [Figure; 5] = [
    ("peak", "hwm_kb"),
    ("mean", "mean_rss_kb"),
    ("1 s after", "rss_1s_kb"),
    ("10 s after", "rss_10s_kb"),
    ("processor time", "cpu_ns"),
];

/// The heaps that a run has, in their order.
fn heaps(raw: &Raw) -> Vec<&'static str> {
    let has = |heap: &&str| {
        let ends = |key: &String| key.split(' ').nth(1) == Some(heap);
        raw.rounds.iter().any(|round| round.keys().any(ends))
    };
    HEAPS.into_iter().filter(has).collect()
}

/// A table of all loads: glibc's figures as they are, the others' against them.
pub fn show(raw: &Raw) -> Table {
    shown(raw, &FIGURES, true)
}

/// The same without values that other rows already have.
pub fn short(raw: &Raw) -> Table {
    shown(
        raw,
        &[FIGURES[0], FIGURES[1], FIGURES[2], FIGURES[4]],
        false,
    )
}

fn shown(raw: &Raw, figures: &[Figure], with_given_back: bool) -> Table {
    let heaps = heaps(raw);
    let others: Vec<&str> = heaps.iter().copied().filter(|h| *h != GLIBC).collect();
    let mut header = vec![Cell::from("load"), Cell::from(""), Cell::from(GLIBC)];
    header.extend(others.iter().map(|heap| Cell::from(*heap)));
    let mut rows = Vec::new();
    for kind in KINDS {
        if heaps
            .iter()
            .all(|h| raw.all(&name(kind, h), "cpu_ns").is_empty())
        {
            continue;
        }
        for (at, (title, id)) in figures.iter().copied().enumerate() {
            let base = figure(raw, kind, GLIBC, id);
            let label = if at == 0 { kind } else { "" };
            let mut cells = vec![Cell::from(label), Cell::from(title)];
            cells.push(Cell::from(absolute(id, base)));
            for heap in &others {
                let value = figure(raw, kind, heap, id);
                let text = match base.is_nan() {
                    true => absolute(id, value),
                    false if value.is_nan() => "–".to_owned(),
                    false => show::ratio(value / base),
                };
                cells.push(Cell::from(text));
            }
            rows.push(Row::Cells(cells));
        }
        if !with_given_back {
            continue;
        }
        for (title, stays) in [
            ("given back in 1 s", "alive_kb"),
            ("of pages without a block", "held_kb"),
        ] {
            let back = |heap: &str| Cell::from(percent(given_back(raw, kind, heap, stays)));
            let mut cells = vec![Cell::from(""), Cell::from(title), back(GLIBC)];
            cells.extend(others.iter().map(|heap| back(heap)));
            rows.push(Row::Cells(cells));
        }
    }
    Table { header, rows }
}

fn absolute(figure: &str, value: f64) -> String {
    match figure {
        _ if value.is_nan() => "–".to_owned(),
        "cpu_ns" => show::time(value),
        _ => format!("{:.1} MiB", value * 1024.0 / MIB),
    }
}

fn percent(value: f64) -> String {
    match value.is_nan() {
        true => "–".to_owned(),
        false => format!("{value:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, mib: u64) -> Moment {
        let rss = mib << 20;
        Moment {
            at_us: ms * 1000,
            rss,
            pss: rss / 2,
        }
    }

    #[test]
    fn a_mean_weighs_looks_by_their_time_and_leaves_the_rest_out() {
        let moments = [at(0, 10), at(100, 40), at(400, 40), at(500, 4), at(1390, 2)];
        let of = |rest| BTreeMap::from(reduced(&moments, 400_000.0, rest));
        let figures = of(1_100_000.0);
        assert_eq!(figures["mean_rss_kb"], 32.5 * 1024.0);
        assert_eq!(figures["mean_pss_kb"], 32.5 * 512.0);
        assert_eq!(figures["rss_1s_kb"], 2048.0);
        assert!(figures["rss_10s_kb"].is_nan(), "nobody looked");
        assert!(of(900_000.0)["rss_1s_kb"].is_nan(), "it had ended");
    }

    #[test]
    fn a_table_has_a_row_for_each_figure_and_says_what_is_missing() {
        let sample = |kb: f64| {
            let names = [
                "hwm_kb",
                "mean_rss_kb",
                "rss_1s_kb",
                "alive_kb",
                "held_kb",
                "cpu_ns",
            ];
            let values = [kb, kb / 2.0, kb / 4.0, 0.0, kb / 16.0, 1e6];
            let pairs = names.into_iter().zip(values);
            pairs.map(|(n, v)| (n.to_owned(), v)).collect::<Sample>()
        };
        let mut raw = Raw::new("test", std::path::Path::new("brawn"));
        raw.rounds = vec![BTreeMap::from([
            (name("hour", GLIBC), sample(4096.0)),
            (name("hour", BRAWN), sample(2048.0)),
        ])];
        // A number and its unit stay together.
        let text = show(&raw).markdown().replace('\u{a0}', " ");
        assert!(text.contains("| hour | peak | 4.0 MiB | 0.50x |"), "{text}");
        assert!(text.contains("given back in 1 s | 75 % | 75 % |"), "{text}");
        assert!(
            text.contains("of pages without a block | 80 % | 80 % |"),
            "{text}"
        );
        assert!(text.contains("10 s after | – | – |"), "{text}");
    }
}

//! Watches the memory of `bench/workloads/overtime.c` over time, from outside of the process, with every heap.
//!
//! A load's figures are the peak, the mean while it works, and what is left 1 s and 10 s after its end. In each round
//! every heap runs every load once, in a random order.

pub mod figure;
pub mod words;

use super::{Choice, MIB, Raw, Site, chosen};
use crate::Result;
use crate::catalogue::{Entry, by_itself};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::rule::Judged;
use crate::show::{self, Cell, Row, Table};
use crate::stats::Estimate;
use crate::variant::Variant;
use brawn_lab::process::job::{End, Job, Moment, Output};
use brawn_lab::process::parent::{Sample, parse};
use brawn_lab::process::tree;
use brawn_lab::run::rounds::Order;
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
const POINTS: usize = 120;
/// The heaps in the guide's table, as far as a run has them: more columns could not be read. The command's own table
/// has all.
pub const GUIDE: [&str; 8] = [
    GLIBC,
    STOCK,
    "glibc-2",
    BRAWN,
    "lean",
    "secure",
    "mimalloc2",
    "jemalloc",
];

pub(super) fn variant(heap: &str) -> Option<Variant> {
    Variant::from_name(heap.trim_end_matches("-2"))
}

/// What has to be built for these heaps, each once.
pub(super) fn variants(heaps: &[&str]) -> Vec<Variant> {
    let mut variants: Vec<Variant> = heaps.iter().filter_map(|heap| variant(heap)).collect();
    variants.sort_unstable();
    variants.dedup();
    variants
}

const ENTRY: Entry = by_itself(WORKLOAD, "memory over time");

/// Builds the programs, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let heaps = chosen(&HEAPS, &choice.heaps);
    let kinds = chosen(&KINDS, &choice.only);
    let variants = variants(&heaps);
    let built = site.built(&variants, &[&ENTRY], progress)?;
    let mut raw = Raw::of_built("brawn-bench rss", &built);
    let mut curves = BTreeMap::new();
    let (what, all) = ("memory over time", (&kinds[..], &heaps[..]));
    raw.measure(what, (rounds, Order::Runs), all, progress, |turn| {
        let rest = match turn.round {
            0 if !choice.quick => LONG_REST,
            _ => REST,
        };
        let scale = if choice.quick { "5" } else { "100" };
        let (sample, moments) = run(&built, turn.thing, turn.side, rest, scale)?;
        let name = name(turn.thing, turn.side);
        if turn.round == 0 {
            curves.insert(name.clone(), curve(&moments));
        }
        Ok((name, sample))
    })?;
    raw.curves = curves;
    Ok(raw)
}

/// The name of a load with a heap in the raw data.
pub(super) fn name(kind: &str, heap: &str) -> String {
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
        variables: if heap.ends_with("-2") { &arenas } else { &[] },
        output: Output::Kept(4096),
        limit: Some(LIMIT),
        watch: true,
        ..Job::new(&path, &arguments)
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
    let first = run.moments.first().map_or(0.0, |m| m.at_us as f64 / 1000.0);
    let end = load_end(&sample, first) * 1000.0;
    let reduced = reduced(&run.moments, end, of("rest_ns") / 1000.0);
    // A file of raw data has no NaN.
    let seen = reduced.into_iter().filter(|(_, value)| value.is_finite());
    sample.extend(seen.map(|(name, value)| (name.to_owned(), value)));
    Ok((sample, run.moments))
}

/// When the load ended, in milliseconds after the start. It begins with the program, which `first`, the time of the first
/// look, shows. The program's own end is later than its rest: it counts what is held, and wakes what sleeps.
fn load_end(sample: &Sample, first: f64) -> f64 {
    let of = |name: &str| sample.get(name).copied().unwrap_or(f64::NAN) / 1e6;
    (first + of("load_ns")).min(of("wall_ns") - of("rest_ns"))
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
        // The last look before that instant; a rest that is shorter has none. If that look is older than the rest, the
        // looks after it were dropped because they showed the same, or there were none.
        let after = |seconds: f64| {
            let at = end + seconds * 1e6;
            let next = moments.partition_point(|m| m.at_us as f64 <= at);
            let last = next.checked_sub(1).map(|last| &moments[last]);
            let shows = |m: &&Moment| {
                let is_same = |n: &Moment| (n.rss, n.pss) == (m.rss, m.pss);
                m.at_us as f64 > end || moments.get(next).is_some_and(is_same)
            };
            last.filter(|m| rest >= seconds * 1e6 && shows(m))
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

/// Some of the moments: those at which the resident memory changes, and if these are too many, the least and the most
/// of each part of the run. So the work before a long rest is not lost, and peaks are kept.
fn curve(moments: &[Moment]) -> Vec<[u64; 3]> {
    let point = |m: &Moment| [m.at_us / 1000, m.rss / 1024, m.pss / 1024];
    let mut points: Vec<[u64; 3]> = moments.iter().map(point).collect();
    let changes = |at: usize, points: &[[u64; 3]]| {
        let is_end = at == 0 || at + 1 == points.len();
        is_end || points[at - 1][1] != points[at][1] || points[at][1] != points[at + 1][1]
    };
    let all = points.iter().enumerate();
    let kept = all.filter(|(at, _)| changes(*at, &points));
    points = kept.map(|(_, point)| *point).collect();
    if points.len() <= POINTS {
        return points;
    }
    let last = points.last().copied();
    let part = (points.len() * 2).div_ceil(POINTS - 2);
    let ends = points.chunks(part).flat_map(|part| {
        let least = (0..part.len()).min_by_key(|at| part[*at][1]);
        let most = (0..part.len()).max_by_key(|at| part[*at][1]);
        let mut ends: Vec<usize> = least.into_iter().chain(most).collect();
        ends.sort_unstable();
        ends.dedup();
        ends.into_iter().map(|at| part[at])
    });
    let mut thinned: Vec<[u64; 3]> = ends.collect();
    thinned.extend(last.filter(|last| thinned.last() != Some(last)));
    thinned
}

/// A figure of one load and heap, over all rounds that have it.
fn figure(raw: &Raw, kind: &str, heap: &str, figure: &str) -> f64 {
    raw.median(&name(kind, heap), figure)
}

/// A heap's figure divided by another's in the same round, over all rounds that have both.
fn ratio(raw: &Raw, kind: &str, heaps: [&str; 2], figure: &str) -> Option<Estimate> {
    let [heap, base] = heaps.map(|heap| name(kind, heap));
    raw.against([&heap, &base], |sample| sample.get(figure).copied())
}

/// How much of the memory that was free at the load's end has gone back to the kernel 1 s later, in percent: of all but
/// what `stays`, the bytes that are alive or the 4 KiB in which they lie.
fn given_back(raw: &Raw, kind: &str, heap: &str, stays: &str) -> f64 {
    let of = |name| figure(raw, kind, heap, name);
    let free = of("hwm_kb") - of(stays);
    (of("hwm_kb") - of("rss_1s_kb")) / free * 100.0
}

/// The loads as rows of the rule.
pub(crate) fn ruled(raw: &Raw) -> Vec<Judged> {
    let row = |kind: &str| {
        let of = |figure| move |heap: Variant| ratio(raw, kind, [BRAWN, heap.name()], figure);
        Judged::new(kind, of("cpu_ns"), of("hwm_kb"))
    };
    KINDS.into_iter().filter_map(row).collect()
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
pub(super) fn heaps(raw: &Raw) -> Vec<&'static str> {
    let has = |heap: &&str| {
        let ends = |key: &String| key.split(' ').nth(1) == Some(heap);
        raw.rounds.iter().any(|round| round.keys().any(ends))
    };
    HEAPS.into_iter().filter(has).collect()
}

/// A table of all loads: glibc's figures as they are, the others' against them, with intervals if there is more than one
/// round.
pub fn show(raw: &Raw) -> Table {
    shown(raw, &heaps(raw), &FIGURES, true)
}

/// The guide's table: fewer heaps, intervals for brawn only, and without what other rows or [`words`] already say.
pub fn short(raw: &Raw) -> Table {
    let heaps = heaps(raw);
    let heaps: Vec<&str> = GUIDE.into_iter().filter(|h| heaps.contains(h)).collect();
    let figures = [FIGURES[0], FIGURES[1], FIGURES[2], FIGURES[4]];
    shown(raw, &heaps, &figures, false)
}

/// `is_whole` adds what has been given back, and every interval.
fn shown(raw: &Raw, heaps: &[&str], figures: &[Figure], is_whole: bool) -> Table {
    let heaps = glibc_first(heaps);
    let mut rows = Vec::new();
    for kind in KINDS {
        let has = |heap: &&str| !raw.all(&name(kind, heap), "cpu_ns").is_empty();
        if !heaps.iter().any(has) {
            continue;
        }
        for (at, (title, id)) in figures.iter().copied().enumerate() {
            let base = figure(raw, kind, GLIBC, id);
            let label = if at == 0 { kind } else { "" };
            let cell = |heap: &str| match ratio(raw, kind, [heap, GLIBC], id) {
                _ if heap == GLIBC => absolute(id, base),
                Some(ratio) => against(ratio, is_whole || heap == BRAWN),
                None if base.is_nan() => absolute(id, figure(raw, kind, heap, id)),
                None => "–".to_owned(),
            };
            rows.push(row([label, title], &heaps, cell));
        }
        for (title, stays) in [
            ("given back in 1 s", "alive_kb"),
            ("of pages without a block", "held_kb"),
        ] {
            let back = |heap: &str| percent(given_back(raw, kind, heap, stays));
            rows.extend(is_whole.then(|| row(["", title], &heaps, back)));
        }
    }
    Table::new(["load", ""].into_iter().chain(heaps), rows)
}

/// The heaps, and glibc before them, which the others are shown against.
pub(super) fn glibc_first<'h>(heaps: &[&'h str]) -> Vec<&'h str> {
    let others = heaps.iter().copied().filter(|heap| *heap != GLIBC);
    std::iter::once(GLIBC).chain(others).collect()
}

/// A row with two titles and a cell for each heap.
pub(super) fn row(titles: [&str; 2], heaps: &[&str], cell: impl Fn(&str) -> String) -> Row {
    let cells = heaps.iter().map(|heap| Cell::from(cell(heap)));
    Row::Cells(titles.map(Cell::from).into_iter().chain(cells).collect())
}

/// A ratio and its interval, unless the interval shows the same numbers.
fn against(ratio: Estimate, with_interval: bool) -> String {
    let [middle, low, high] = [ratio.median, ratio.low, ratio.high].map(show::ratio);
    match with_interval && (low != middle || high != middle) {
        true => format!("{middle} {}", show::interval(&low, &high)),
        false => middle,
    }
}

fn absolute(figure: &str, value: f64) -> String {
    show::or_dash(value, |value| match figure {
        "cpu_ns" => show::time(value),
        _ => format!("{:.1} MiB", value * 1024.0 / MIB),
    })
}

fn percent(value: f64) -> String {
    show::or_dash(value, |value| format!("{value:.0} %"))
}

#[cfg(test)]
mod tests;

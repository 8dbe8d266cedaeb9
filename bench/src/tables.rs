//! The tables besides the bars: plain figures of each workload.

use crate::catalogue::{CATALOGUE, Entry, Kind};
use crate::raw::{Measurement, Results};
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::{Estimate, estimate};
use crate::variant::Variant;

/// What the names of measurements begin with that have a table of all heaps.
pub const HEAPS: &str = "heaps-";
/// What the names of measurements begin with whose blocks are recorded.
pub const TRACED: &str = "traced-";

/// Median of a metric, as text.
pub(crate) fn median(
    results: &Results,
    id: &str,
    variant: Variant,
    metric: &str,
    show: fn(f64) -> String,
) -> Cell {
    let measurement = results.measurements.get(id);
    let values = measurement.map(|m| m.values(variant, metric));
    let found = estimate(&values.unwrap_or_default());
    Cell::or_dash(found.map(|e| Cell::new(show(e.median), tone(variant))))
}

/// brawn's own figures stand out.
pub(crate) fn tone(variant: Variant) -> Tone {
    match variant {
        Variant::Brawn => Tone::Good,
        _ => Tone::Plain,
    }
}

/// The ratio of two variants in the same rounds, with its interval.
pub(crate) fn ratio(results: &Results, id: &str, metric: &str, a: Variant, b: Variant) -> Cell {
    let found = results.measurements.get(id).and_then(|m| {
        let (a, b) = (m.values(a, metric), m.values(b, metric));
        divided(&a, &b)
    });
    Cell::or_dash(found.map(|e| show::ratio_of(&e)))
}

/// The ratios of values of the same rounds.
pub(crate) fn divided(a: &[f64], b: &[f64]) -> Option<Estimate> {
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    estimate(&ratios)
}

/// The measurements that were made of those whose names begin so, with their entries.
pub(crate) fn measured<'r>(
    results: &'r Results,
    start: &str,
) -> impl Iterator<Item = (&'static Entry, &'r Measurement)> {
    let entries = CATALOGUE.iter().filter(move |e| e.id.starts_with(start));
    entries.filter_map(|e| Some((e, results.measurements.get(e.id)?)))
}

/// Processor time of one operation in each round, in nanoseconds.  The time that passes depends on what else the machine does.
pub(crate) fn per_operation(m: &Measurement, variant: Variant) -> Vec<f64> {
    let [time, operations] = ["cpu_ns", "operations"].map(|metric| m.values(variant, metric));
    time.iter().zip(&operations).map(|(t, o)| t / o).collect()
}

/// The processor time of a variant's operations against another one's.
pub(crate) fn against(m: &Measurement, variant: Variant, base: Variant) -> Option<Estimate> {
    let (of, base) = (per_operation(m, variant), per_operation(m, base));
    divided(&of, &base)
}

/// What a table has: a row for each workload, a column for each variant, then the columns with ratios.
#[derive(Clone, Copy)]
pub struct Shape {
    first: &'static str,
    metric: &'static str,
    show: fn(f64) -> String,
    variants: &'static [Variant],
    /// The columns with ratios: the heading, and the two variants.
    ratios: &'static [(&'static str, Variant, Variant)],
    /// Whether the rows are the measurements of profiles; otherwise those of libcs.
    profiles: bool,
}

const AGAINST_GLIBC: &[(&str, Variant, Variant)] =
    &[("brawn / glibc", Variant::Brawn, Variant::Glibc)];
const AGAINST_FAST: &[(&str, Variant, Variant)] = &[
    ("secure / fast", Variant::Secure, Variant::Brawn),
    ("lean / fast", Variant::Lean, Variant::Brawn),
];

/// The table.
pub fn workloads(results: &Results, shape: &Shape) -> Table {
    let Shape { metric, show, .. } = *shape;
    // A program without operations is not a workload; its memory has its own table.
    let has = |id: &str, metric: &str| {
        let samples = results.measurements.get(id).map(|m| &m.samples);
        samples.is_some_and(|s| s.values().any(|metrics| metrics.contains_key(metric)))
    };
    let with_metric = |id: &str| has(id, "ns") && has(id, metric);
    // These have tables of their own.
    let has_own = |id: &str| id.starts_with(TRACED) || id.starts_with(HEAPS);
    let entries = CATALOGUE
        .iter()
        .filter(|e| e.kind == Kind::Run && with_metric(e.id) && !has_own(e.id))
        .filter(|e| e.id.starts_with("profiles-") == shape.profiles);
    let ratios: Vec<_> = shape.ratios.iter().map(|(_, a, b)| [*a, *b]).collect();
    let figure = (metric, show);
    let rows = entries.map(|entry| row(results, entry, figure, shape.variants, &ratios));
    let mut header: Vec<Cell> = vec![shape.first.into()];
    header.extend(shape.variants.iter().map(|v| Cell::from(v.title())));
    header.extend(shape.ratios.iter().map(|(title, _, _)| Cell::from(*title)));
    Table::new(header, rows)
}

/// A row of a workload: the medians of a metric, and ratios of them.
pub(crate) fn row(
    results: &Results,
    entry: &Entry,
    (metric, show): (&str, fn(f64) -> String),
    variants: &[Variant],
    ratios: &[[Variant; 2]],
) -> Row {
    let id = entry.id;
    let medians = variants.iter();
    let medians = medians.map(|v| median(results, id, *v, metric, show));
    let ratios = ratios.iter();
    let ratios = ratios.map(|[a, b]| ratio(results, id, metric, *a, *b));
    let title = std::iter::once(Cell::from(entry.title));
    Row::Cells(title.chain(medians).chain(ratios).collect())
}

/// The peak memory of the rows of a table with its own workloads.
pub(crate) fn peaks(
    results: &Results,
    start: &str,
    variants: &[Variant],
    ratios: &[[Variant; 2]],
) -> Vec<Row> {
    let figure = ("hwm_kb", show::memory as fn(f64) -> String);
    let rows = measured(results, start);
    rows.map(|(entry, _)| row(results, entry, figure, variants, ratios))
        .collect()
}

/// Time of one operation in each workload.
pub const TIMES: Shape = Shape {
    first: "time of one operation",
    metric: "ns",
    show: show::time,
    variants: &Variant::LIBCS,
    ratios: AGAINST_GLIBC,
    profiles: false,
};

/// Peak memory of each workload.
pub const MEMORY: Shape = Shape {
    first: "peak RSS",
    metric: "hwm_kb",
    show: show::memory,
    ..TIMES
};

/// The same for brawn's profiles.
pub const PROFILE_TIMES: Shape = Shape {
    variants: &Variant::PROFILES,
    ratios: AGAINST_FAST,
    profiles: true,
    ..TIMES
};

/// The same for brawn's profiles.
pub const PROFILE_MEMORY: Shape = Shape {
    first: MEMORY.first,
    metric: MEMORY.metric,
    show: MEMORY.show,
    ..PROFILE_TIMES
};

/// A row of figures: its title, the measurement, the metric, and how the figure is written.
pub type Figure = (&'static str, &'static str, &'static str, fn(f64) -> String);

/// What the two benchmark programs do.
const LARGE: &str = "A thread per processor fills vectors of 0 to 100,000 bytes, 100,000 times";
const SMALL: &str = "A thread per processor fills vectors of 1 to 1000 bytes, 100,000 times";

/// The figures of a program that prints its own figures.
const fn from_inside(id: &'static str) -> [Figure; 4] {
    [
        ("time", id, "wall_ns", show::time),
        ("throughput", id, "per_second", show::rate),
        ("voluntary context switches", id, "voluntary", show::grouped),
        ("peak RSS", id, "hwm_kb", show::memory),
    ]
}

/// The figures of a program that prints no figures itself.
const fn from_outside(id: &'static str) -> [Figure; 3] {
    [
        ("time, exec to exit", id, "wall_ns", show::time),
        ("processor time", id, "cpu_ns", show::time),
        ("peak RSS", id, "peak_rss_kb", show::memory),
    ]
}

/// The figures of the two benchmark programs and of the program that allocates once.
pub const PROGRAMS: &[(&str, &[Figure])] = &[
    (LARGE, &from_inside("seed003")),
    (SMALL, &from_inside("seed001")),
    (
        "A program that allocates once",
        &[
            ("start-up, exec to exit", "startup", "wall_ns", show::time),
            ("peak RSS", "peak", "hwm_kb", show::memory),
            ("size, stripped", "size", "file_bytes", |bytes| {
                show::memory(bytes / 1024.0)
            }),
        ],
    ),
];

/// The figures of the Rust programs.
pub const RUST: &[(&str, &[Figure])] = &[
    (LARGE, &from_outside("rust-003")),
    (SMALL, &from_outside("rust-001")),
];

/// The figures of `wasmtime compile`.
pub const WASMTIME: &[(&str, &[Figure])] = &[
    (
        "wasmtime compile of a module of 14 MB, a thread per processor",
        &from_outside("wasmtime-parallel"),
    ),
    ("The same, not parallel", &from_outside("wasmtime-serial")),
];

/// The figures of programs: a heading for each program, then its rows.
pub fn programs(results: &Results, programs: &[(&str, &[Figure])], variants: &[Variant]) -> Table {
    let mut header: Vec<Cell> = vec![Cell::default()];
    header.extend(variants.iter().map(|v| Cell::from(v.title())));
    let mut rows = Vec::new();
    for (heading, figures) in programs {
        let mut ids = figures.iter().map(|(_, id, ..)| *id);
        if !ids.any(|id| results.measurements.contains_key(id)) {
            continue;
        }
        rows.push(Row::Heading((*heading).to_owned()));
        for (name, id, metric, show) in *figures {
            let mut cells: Vec<Cell> = vec![(*name).into()];
            let median = |v: &Variant| median(results, id, *v, metric, *show);
            cells.extend(variants.iter().map(median));
            rows.push(Row::Cells(cells));
        }
    }
    Table { header, rows }
}

/// One line that says where the figures come from.
pub fn machine(results: &Results) -> String {
    let run = &results.run;
    let of = |name: &str| run.machine.get(name).map_or("?", String::as_str);
    let version = |name: &str| run.versions.get(name).map_or("?", String::as_str);
    // Lines such as "ldd (Debian GLIBC 2.36-9) 2.36" end with the version.
    let last = |name: &str| version(name).rsplit(' ').next().unwrap_or("?").to_owned();
    // Some measurements may be from later days.
    let dates = results.measurements.values();
    let last_day = dates.filter_map(|m| m.date.as_ref()).max();
    let date = match last_day {
        Some(last) if *last > run.date => format!("{} to {last}", run.date),
        _ => run.date.clone(),
    };
    format!(
        "{}: {}, {} processors, Linux {}, {}; musl {}, glibc {}, gcc {}; mimalloc {} and {} by hand; {}.\n",
        date,
        of("cpu"),
        of("processors"),
        of("kernel"),
        of("distribution"),
        version("musl"),
        last("glibc"),
        last("gcc"),
        version("mimalloc2"),
        version("mimalloc3"),
        version("brawn"),
    )
}

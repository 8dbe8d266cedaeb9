//! Draws memory over time as an SVG: a chart for each load, a line for each heap.
//!
//! ```text
//! MiB │ ▏▏▏▏ │     ╱╲__╱╲│______________│________
//!       peak   -0.4 s   load ends     +1 s    +10 s
//! ```
//!
//! The time is that before and after the end of the load, so that what stays can be compared although heaps are not
//! equally fast. The scale of time changes at the end and 1 s after it. The picture has no scripts and its own colours for
//! light and dark pages, since GitHub shows it as an image.

use super::{GLIBC, KINDS, figure as median, heaps, load_end, name};
use crate::own::{MIB, Raw};
use crate::stats::{Estimate, estimate};
use crate::{Result, show};
use brawn_lab::show::chart::{self, STYLES, picture, stroke, text};
use std::fmt::Write as _;

/// The heaps that are drawn unless others are asked for: more lines could not be told apart.
pub const USUAL: [&str; 4] = [GLIBC, super::STOCK, super::BRAWN, "mimalloc2"];

const WIDTH: f64 = 860.0;
/// A chart, with what stands around it.
const CELL: (f64, f64) = (430.0, 184.0);
/// Where the first chart begins.
const TOP: f64 = 78.0;
/// The parts of a chart, from its left edge: where the peaks and the times begin, and how wide the times before the end,
/// up to 1 s after it, and up to 10 s after it are.
const PEAKS: f64 = 58.0;
const TIMES: f64 = 104.0;
const BEFORE: f64 = 168.0;
const SECOND: f64 = 78.0;
const REST: f64 = 54.0;
/// From a chart's top to its highest and to its lowest value.
const HIGHEST: f64 = 32.0;
const LOWEST: f64 = 146.0;
/// A load or a heap that needs more than so many times what the next one needs is cut off: otherwise nobody could see the
/// others.
const BEYOND: f64 = 5.0;

/// A load in a few words.
fn told(kind: &str) -> &'static str {
    match kind {
        "waves" => "a server's load comes and goes, three times",
        "hour" => "sessions of a minute to an hour",
        "compiler" => "phases; all but 1 % is freed; twice",
        "cache" => "48 MiB of values; an eighth stays",
        "pool" => "16 threads that work and then sleep",
        "requests" => "8,000 threads, each answers once",
        "table" => "one table grows and collapses, twice",
        "idle" => "1,000 threads that keep four blocks each",
        _ => "",
    }
}

/// What one heap did in one load.
struct Line {
    style: usize,
    heap: &'static str,
    /// Seconds after the load's end, and MiB.
    points: Vec<(f64, f64)>,
    /// How long the load took, in seconds.
    load: f64,
    /// MiB: the kernel's own count, and what was left 1 s and 10 s after the end.
    peak: Option<Estimate>,
    after: [Option<Estimate>; 2],
}

impl Line {
    fn of(raw: &Raw, kind: &str, heap: &'static str, style: usize) -> Option<Self> {
        let what = name(kind, heap);
        let curve = raw.curves.get(&what)?;
        let first = curve.first()?[0] as f64;
        let load = load_end(raw.rounds.first()?.get(&what)?, first) / 1000.0;
        let mib = |kib: f64| kib * 1024.0 / MIB;
        let figure = |id: &str| {
            let values: Vec<f64> = raw.all(&what, id).into_iter().map(mib).collect();
            estimate(&values)
        };
        let point = |p: &[u64; 3]| (p[0] as f64 / 1000.0 - load, mib(p[1] as f64));
        let is_drawn = load.is_finite() && load > 0.0;
        is_drawn.then(|| Self {
            style,
            heap,
            points: curve.iter().map(point).collect(),
            load,
            peak: figure("hwm_kb"),
            after: [figure("rss_1s_kb"), figure("rss_10s_kb")],
        })
    }

    /// The largest value that has a place in the chart, in MiB.
    fn most(&self) -> f64 {
        let peak = self.peak.map_or(0.0, |e| e.high);
        self.points.iter().map(|p| p.1).fold(peak, f64::max)
    }
}

/// The largest of `values`, or the largest that is not [`BEYOND`] all smaller ones.
fn within(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    let gap = values.windows(2).find(|pair| pair[0] <= pair[1] * BEYOND);
    gap.map_or_else(|| values.last().copied().unwrap_or(1.0), |pair| pair[0])
}

/// A round step: at most `most` of them are in `span`.
fn step(span: f64, most: f64) -> f64 {
    let least = span / most;
    let power = 10f64.powf(least.log10().floor());
    let rounded = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let fits = rounded.into_iter().find(|step| *step >= least * 0.999);
    fits.unwrap_or(power * 10.0)
}

/// What a chart's axes show.
struct Scales {
    /// The time before the end, in seconds, and MiB.
    before: f64,
    high: f64,
}

impl Scales {
    fn of(lines: &[Line]) -> Self {
        let before = within(lines.iter().map(|line| line.load).collect());
        let high = within(lines.iter().map(Line::most).collect());
        let is_beyond = |line: &Line| line.most() > high || line.load > before;
        let noted = lines.iter().filter(|line| is_beyond(line)).count();
        Self {
            before,
            // Room above the lines, and for a note on each that is cut off.
            high: high * (1.06 + 0.2 * noted as f64),
        }
    }

    /// `at` is in seconds after the end.
    fn x(&self, at: f64) -> f64 {
        let end = TIMES + BEFORE;
        match at {
            at if at < 0.0 => end + at / self.before * BEFORE,
            at if at < 1.0 => end + at * SECOND,
            at => end + SECOND + (at - 1.0) / 9.0 * REST,
        }
    }

    fn y(&self, mib: f64) -> f64 {
        LOWEST - (mib / self.high).min(1.0) * (LOWEST - HIGHEST)
    }
}

/// The picture. `kinds` and `heaps` are what to draw of the run; empty for every load, and for the usual heaps.
pub fn figure(raw: &Raw, kinds: &[String], heaps: &[String]) -> Result<String> {
    let heaps = drawn(raw, heaps)?;
    let charts = KINDS.into_iter().filter_map(|kind| {
        let is_asked = kinds.is_empty() || kinds.iter().any(|k| k == kind);
        let heaps = heaps.iter().filter(|_| is_asked);
        let lines = heaps.filter_map(|(heap, style)| Line::of(raw, kind, heap, *style));
        let lines: Vec<Line> = lines.collect();
        (!lines.is_empty()).then_some((kind, lines))
    });
    let charts: Vec<(&str, Vec<Line>)> = charts.collect();
    if charts.is_empty() {
        return Err("these raw data have no curves of these loads and heaps".into());
    }
    let rows = charts.len().div_ceil(2) as f64;
    let height = TOP + rows * CELL.1 + 8.0;
    let mut svg = legend(&heaps, raw.rounds.len() > 1);
    for (number, (kind, lines)) in charts.iter().enumerate() {
        let (column, row) = ((number % 2) as f64, (number / 2) as f64);
        let (x, y) = (column * CELL.0, TOP + row * CELL.1);
        // A String takes everything.
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        svg += &chart(kind, lines);
        svg += "</g>\n";
    }
    let said = alternative(raw, &heaps);
    let told = ["Resident memory over time", &said, &style(&heaps)];
    Ok(picture([WIDTH, height], told, &svg))
}

/// The heaps to draw and the numbers of their styles.
fn drawn(raw: &Raw, asked: &[String]) -> Result<Vec<(&'static str, usize)>> {
    let there = heaps(raw);
    if let Some(unknown) = asked.iter().find(|a| !there.contains(&a.as_str())) {
        let there = there.join(", ");
        return Err(format!(
            "these raw data have no {unknown}; there are {there}"
        ));
    }
    let is_drawn = |heap: &&str| match asked.is_empty() {
        true => USUAL.contains(heap),
        false => asked.iter().any(|a| a == heap),
    };
    let mut chosen: Vec<&str> = USUAL.into_iter().filter(|h| there.contains(h)).collect();
    chosen.extend(there.iter().filter(|heap| !USUAL.contains(heap)));
    let mut free = USUAL.len()..STYLES.len();
    let styled = chosen.into_iter().filter(is_drawn).map(|heap| {
        let usual = USUAL.iter().position(|usual| *usual == heap);
        let style = usual.or_else(|| free.next());
        let too_many =
            || format!("the figure has no line for {heap}: choose fewer heaps with --heaps");
        Ok((heap, style.ok_or_else(too_many)?))
    });
    styled.collect()
}

/// A heap as people call it.
fn title(heap: &str) -> &str {
    match heap {
        super::STOCK => "stock musl",
        "glibc-2" => "glibc, 2 arenas",
        heap => heap,
    }
}

/// The picture in words: what was left 1 s after each load.
pub fn usual_alternative(raw: &Raw) -> Result<String> {
    Ok(alternative(raw, &drawn(raw, &[])?))
}

fn alternative(raw: &Raw, heaps: &[(&str, usize)]) -> String {
    let names: Vec<&str> = heaps.iter().map(|(heap, _)| title(heap)).collect();
    let loads = KINDS.iter().filter_map(|kind| {
        let left = heaps.iter().map(|(heap, _)| {
            let kib = median(raw, kind, heap, "rss_1s_kb");
            match kib.is_nan() {
                true => "–".to_owned(),
                false => format!("{:.1}", kib * 1024.0 / MIB),
            }
        });
        let left: Vec<String> = left.collect();
        let is_there = left.iter().any(|text| text != "–");
        is_there.then(|| format!("{kind} {}", left.join(", ")))
    });
    let loads: Vec<String> = loads.collect();
    format!(
        "Resident memory over time with {}, a chart for each load. MiB 1 s after the end, in that order: {}.",
        names.join(", "),
        loads.join("; ")
    )
}

fn style(heaps: &[(&str, usize)]) -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (_, number) in heaps {
        let (day, night, dashes, width) = STYLES[*number];
        // A String takes everything.
        let _ = writeln!(
            light,
            ".k{number} {{ stroke: {day}; stroke-width: {width} }} .d{number} {{ stroke-dasharray: {dashes} }} .t{number} {{ fill: {day} }}"
        );
        let _ = writeln!(
            dark,
            ".k{number} {{ stroke: {night} }} .t{number} {{ fill: {night} }}"
        );
    }
    format!(
        "<style>\n\
         .page {{ fill: #ffffff; stroke: #d0d7de }} .rule {{ stroke: #d0d7de }} .end {{ stroke: #1f2328 }} .rest {{ fill: #f0f3f6 }}\n\
         text {{ font: 13px system-ui, -apple-system, \"Segoe UI\", \"DejaVu Sans\", sans-serif; fill: #1f2328 }}\n\
         .dim {{ fill: #59636e; font-size: 11px }} .b {{ font-weight: 600 }} .small {{ font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }}\n\
         path {{ fill: none; stroke-linejoin: round }}\n{light}\
         @media (prefers-color-scheme: dark) {{\n\
         .page {{ fill: #0d1117; stroke: #3d444d }} .rule {{ stroke: #3d444d }} .end {{ stroke: #e6edf3 }} .rest {{ fill: #1a2029 }}\n\
         text {{ fill: #e6edf3 }} .dim {{ fill: #9198a1 }} .small {{ stroke: #0d1117 }}\n{dark}}}\n</style>\n"
    )
}

fn legend(heaps: &[(&str, usize)], has_intervals: bool) -> String {
    let mut svg = text("b", "start", 16.0, 24.0, "Resident memory over time, MiB");
    let note = match has_intervals {
        true => "peak and +1 s: median and interval of all rounds; lines: the first round",
        false => "peak: the kernel's own count, which curves of single looks can miss",
    };
    svg += &text("dim", "end", WIDTH - 16.0, 24.0, note);
    let mut x = 16.0;
    for (heap, number) in heaps {
        svg += &stroke(&format!("k{number} d{number}"), &format!("M{x:.1} 48h34"));
        let name = title(heap);
        svg += &text(&format!("t{number}"), "start", x + 40.0, 52.0, name);
        // Letters have about this width.
        x += 64.0 + name.chars().count() as f64 * 7.4;
    }
    svg
}

/// One load's chart.
fn chart(kind: &str, lines: &[Line]) -> String {
    let scales = Scales::of(lines);
    let mut svg = axes(kind, &scales);
    let mut beyond = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let style = line.style;
        let class = format!("k{style}");
        svg += &stroke(&format!("{class} d{style}"), &path(&line.points, &scales));
        // Each heap has a place of its own, so that equal peaks do not hide each other.
        let place = PEAKS + 36.0 / lines.len() as f64 * (number as f64 + 0.5);
        if let Some(peak) = line.peak {
            let half = 15.0 / lines.len() as f64;
            let y = scales.y(peak.median);
            let (low, high) = (scales.y(peak.low), scales.y(peak.high));
            let (left, width) = (place - half, half * 2.0);
            let path = format!("M{left:.1} {y:.1}h{width:.1}M{place:.1} {low:.1}V{high:.1}");
            svg += &stroke(&class, &path);
        }
        let marks = [(1.0, line.after[0]), (10.0, line.after[1])];
        let marks = marks.into_iter().filter_map(|(at, left)| Some((at, left?)));
        // A single round has no interval; only the first one rests for 10 s.
        for (at, left) in marks.filter(|(_, left)| left.samples > 1) {
            let x = scales.x(at) + (number as f64 - (lines.len() - 1) as f64 / 2.0) * 3.0;
            let [low, middle, high] = [left.low, left.median, left.high].map(|v| scales.y(v));
            let path = format!("M{x:.1} {low:.1}V{high:.1}M{:.1} {middle:.1}h4", x - 2.0);
            svg += &stroke(&class, &path);
        }
        let (is_high, is_long) = (line.most() > scales.high, line.load > scales.before);
        if is_high || is_long {
            let high = is_high.then(|| format!("to {} MiB", show::grouped(line.most())));
            let long = is_long.then(|| format!("{:.1} s of load", line.load));
            let parts: Vec<String> = [high, long].into_iter().flatten().collect();
            beyond.push((style, format!("{}: {}", title(line.heap), parts.join(", "))));
        }
    }
    for (number, (style, what)) in beyond.iter().enumerate() {
        let y = HIGHEST + 14.0 + 14.0 * number as f64;
        svg += &text(&format!("small t{style}"), "start", TIMES + 6.0, y, what);
    }
    svg
}

/// A chart's frame, rules and numbers.
fn axes(kind: &str, scales: &Scales) -> String {
    let right = TIMES + BEFORE + SECOND + REST;
    let mut svg = format!(
        "<text x=\"{PEAKS}\" y=\"20\"><tspan class=\"b\">{kind}</tspan><tspan class=\"dim\" dx=\"8\">{}</tspan></text>\n",
        told(kind)
    );
    let _ = writeln!(
        svg,
        "<rect class=\"rest\" x=\"{:.1}\" y=\"{HIGHEST}\" width=\"{:.1}\" height=\"{:.1}\"/>",
        scales.x(0.0),
        right - scales.x(0.0),
        LOWEST - HIGHEST
    );
    let each = step(scales.high, 4.0);
    let mut mib = 0.0;
    while mib <= scales.high {
        let y = scales.y(mib);
        svg += &stroke(
            "rule",
            &format!("M{PEAKS} {y:.1}H{:.1}M{TIMES} {y:.1}H{right}", PEAKS + 36.0),
        );
        // A longer number has no room for its unit.
        let label = if mib > 0.0 && mib < 1000.0 && mib + each > scales.high {
            format!("{} MiB", show::grouped(mib))
        } else {
            plain(mib)
        };
        svg += &text("dim", "end", PEAKS - 5.0, y + 4.0, &label);
        mib += each;
    }
    let below = LOWEST + 15.0;
    svg += &text("dim", "middle", PEAKS + 18.0, below, "peak");
    // The first tick has room beside the words at the end.
    let each = step(scales.before, 3.0);
    let mut at = -each;
    while at >= -scales.before * 1.001 {
        let x = scales.x(at);
        svg += &stroke("rule", &format!("M{x:.1} {LOWEST}v4"));
        if x > TIMES + 10.0 && x < scales.x(0.0) - 50.0 {
            svg += &text("dim", "middle", x, below, &format!("−{} s", plain(-at)));
        }
        at -= each;
    }
    for (class, at, label) in [
        ("end", 0.0, "load ends"),
        ("rule", 1.0, "+1 s"),
        ("rule", 10.0, "+10 s"),
    ] {
        let x = scales.x(at);
        svg += &stroke(class, &format!("M{x:.1} {HIGHEST}V{:.1}", LOWEST + 4.0));
        svg += &text("dim", "middle", x, below, label);
    }
    svg
}

/// A round number without zeros at its end.
fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A line through the points from where the chart begins to 10 s after the end.
fn path(points: &[(f64, f64)], scales: &Scales) -> String {
    // Where the scale of time changes, a straight line would have to bend.
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if let Some(before) = corners.last().copied() {
            for edge in [-scales.before, 0.0, 1.0, 10.0] {
                if before.0 < edge && edge < point.0 {
                    let part = (edge - before.0) / (point.0 - before.0);
                    corners.push((edge, before.1 + part * (point.1 - before.1)));
                }
            }
        }
        corners.push(*point);
    }
    let seen = corners
        .iter()
        .filter(|p| p.0 >= -scales.before && p.0 <= 10.0);
    chart::path(seen.map(|p| (scales.x(p.0), scales.y(p.1))))
}

#[cfg(test)]
mod tests;

//! Draws the sweep as an SVG: above, each heap's patterns as a curve, sorted by their time against glibc; below, every pattern with brawn as a dot.
//!
//! ```text
//! 10x │          __╱
//!  1x │─────____╱────  glibc
//!     └──────────────
//! ```
//!
//! The picture has no scripts and its own colours for light and dark pages, since GitHub shows it as an image.

use super::pattern::{Pattern, Shape};
use super::patterns::patterns;
use super::results::{Line, heaps, lines};
use super::table::BARS;
use super::{BRAWN, GLIBC};
use crate::own::Raw;
use crate::stats::geometric_mean;
use crate::{Result, show};
use brawn_lab::show::chart::{self, STYLES, picture, stroke, text};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 632.0;
/// Of both parts.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 844.0;
/// Where the parts begin and how high they are.
const CURVES: (f64, f64) = (86.0, 290.0);
const DOTS: (f64, f64) = (424.0, 172.0);
/// Points of a curve are at least so far apart.
const APART: f64 = 2.0;

/// The number of a heap's style. Those of the heaps that the other figures have, too, are the same there.
fn style_of(heap: &str) -> usize {
    let order = [
        GLIBC,
        "stock",
        BRAWN,
        "mimalloc2",
        "mimalloc3",
        "jemalloc",
        "lean",
        "secure",
    ];
    order.iter().position(|name| *name == heap).unwrap_or(0)
}

fn title(heap: &str) -> &str {
    match heap {
        "stock" => "stock musl",
        "mimalloc2" => "mimalloc 2",
        "mimalloc3" => "mimalloc 3",
        heap => heap,
    }
}

/// The axis of ratios, which is logarithmic.
struct Scale {
    low: f64,
    high: f64,
    top: f64,
    height: f64,
}

impl Scale {
    /// Shows all of `values`, and at least what is near glibc.
    fn of(values: impl Iterator<Item = f64>, (top, height): (f64, f64)) -> Self {
        let (low, high) = values.fold((0.4, 2.5), |(low, high): (f64, f64), v| {
            (low.min(v), high.max(v))
        });
        Self {
            low: low / 1.1,
            high: high * 1.1,
            top,
            height,
        }
    }

    fn y(&self, ratio: f64) -> f64 {
        let part = (ratio / self.low).ln() / (self.high / self.low).ln();
        self.top + self.height * (1.0 - part)
    }

    /// The ratios that have a line: powers of ten, and where there is site, their halves.
    fn rules(&self) -> Vec<f64> {
        let digits: &[f64] = if self.high / self.low < 300.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0, 3.0]
        };
        let all =
            (-6..=6).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        all.filter(|ratio| (self.low..=self.high).contains(ratio))
            .collect()
    }

    fn axis(&self) -> String {
        let mut svg = String::new();
        for ratio in self.rules() {
            let y = self.y(ratio);
            let class = if ratio == 1.0 { "glibc" } else { "rule" };
            // A String takes everything.
            svg += &stroke(class, &format!("M{LEFT} {y:.1}H{RIGHT}"));
            let label = match ratio {
                1.0 => "glibc".to_owned(),
                // 3 times a tenth is not 0.3.
                ratio if ratio < 1.0 => format!("{}x", format!("{ratio:.4}").trim_end_matches('0')),
                ratio => format!("{}x", show::grouped(ratio)),
            };
            svg += &text("dim", "end", LEFT - 6.0, y + 4.0, &label);
        }
        svg
    }
}

/// The picture.
pub fn figure(raw: &Raw) -> Result<String> {
    let lines = lines(raw);
    let heaps = heaps(raw).into_iter().filter(|heap| *heap != GLIBC);
    let heaps: Vec<&str> = heaps.collect();
    if lines.is_empty() || !heaps.contains(&BRAWN) {
        return Err("these raw data have no patterns, or not those of glibc and brawn".into());
    }
    let mut svg = legend(&heaps, lines.len());
    svg += &curves(&heaps, &lines);
    svg += &dots(&lines);
    let title = format!("Processor time of {} patterns against glibc", lines.len());
    let said = alternative(raw, &lines);
    let told = [&*title, &said, &style(&heaps)];
    Ok(picture([WIDTH, HEIGHT], told, &svg))
}

/// The picture in words: each heap's mean and worst.
pub fn alternative(raw: &Raw, lines: &[Line]) -> String {
    let heaps = heaps(raw).into_iter().filter(|heap| *heap != GLIBC);
    let heaps = heaps.map(|heap| {
        let times = || lines.iter().map(|line| line.time(heap));
        let worst = times().fold(f64::NAN, f64::max);
        let mean = show::ratio(geometric_mean(times()));
        format!("{} {mean}, {}", title(heap), show::ratio(worst))
    });
    let heaps: Vec<String> = heaps.collect();
    format!(
        "Processor time of {} ways of using blocks against glibc, each heap sorted. Geometric mean and worst: {}.",
        lines.len(),
        heaps.join("; ")
    )
}

fn style(heaps: &[&str]) -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for heap in heaps {
        let number = style_of(heap);
        let (day, night, dashes, width) = STYLES[number];
        // A String takes everything.
        let _ = writeln!(
            light,
            ".k{number} {{ stroke: {day}; stroke-width: {width}; stroke-dasharray: {dashes} }} .t{number} {{ fill: {day} }}"
        );
        let _ = writeln!(
            dark,
            ".k{number} {{ stroke: {night} }} .t{number} {{ fill: {night} }}"
        );
    }
    let (day, night, ..) = STYLES[style_of(BRAWN)];
    format!(
        "<style>\n\
         .page {{ fill: #ffffff; stroke: #d0d7de }} .rule {{ stroke: #d0d7de }} .glibc {{ stroke: #57606a; stroke-width: 1.5 }}\n\
         .bar {{ stroke: #cf222e; stroke-dasharray: 2 3 }} .high {{ fill: #cf222e; font-size: 11px }}\n\
         text {{ font: 13px system-ui, -apple-system, \"Segoe UI\", \"DejaVu Sans\", sans-serif; fill: #1f2328 }}\n\
         .dim {{ fill: #59636e; font-size: 11px }} .b {{ font-weight: 600 }}\n\
         path {{ fill: none; stroke-linejoin: round }} .dots {{ stroke: {day}; stroke-width: 3; stroke-linecap: round }}\n{light}\
         @media (prefers-color-scheme: dark) {{\n\
         .page {{ fill: #0d1117; stroke: #3d444d }} .rule {{ stroke: #3d444d }} .glibc {{ stroke: #9198a1 }}\n\
         .bar {{ stroke: #ff7b72 }} .high {{ fill: #ff7b72 }} .dots {{ stroke: {night} }}\n\
         text {{ fill: #e6edf3 }} .dim {{ fill: #9198a1 }}\n{dark}}}\n</style>\n"
    )
}

fn legend(heaps: &[&str], count: usize) -> String {
    let title_of_all = format!("Processor time of {count} patterns against glibc");
    let order = "each heap's patterns sorted, the fastest on the left";
    let mut svg = text("b", "start", 16.0, 24.0, &title_of_all);
    svg += &text("dim", "end", RIGHT, 24.0, order);
    let mut x = 16.0;
    for heap in heaps {
        let number = style_of(heap);
        // A String takes everything.
        svg += &stroke(&format!("k{number}"), &format!("M{x:.1} 48h34"));
        svg += &text(&format!("t{number}"), "start", x + 40.0, 52.0, title(heap));
        // Letters have about this width.
        x += 58.0 + title(heap).chars().count() as f64 * 7.4;
    }
    svg
}

/// A curve for each heap, brawn's above the others.
fn curves(heaps: &[&str], lines: &[Line]) -> String {
    let finite = |heap: &str| {
        let times = lines.iter().map(|line| line.time(heap));
        times.filter(|time| time.is_finite()).collect::<Vec<f64>>()
    };
    let scale = Scale::of(heaps.iter().flat_map(|heap| finite(heap)), CURVES);
    let mut svg = scale.axis();
    let last = heaps.iter().filter(|heap| **heap == BRAWN);
    for heap in heaps.iter().filter(|heap| **heap != BRAWN).chain(last) {
        let mut times = finite(heap);
        times.sort_unstable_by(f64::total_cmp);
        let x = |at: usize| LEFT + (at as f64 + 0.5) / times.len() as f64 * (RIGHT - LEFT);
        let mut kept: Vec<usize> = Vec::new();
        for at in 0..times.len() {
            let is_far = kept.last().is_none_or(|last| x(at) - x(*last) >= APART);
            if is_far || at + 1 == times.len() {
                kept.push(at);
            }
        }
        let line = chart::path(kept.iter().map(|at| (x(*at), scale.y(times[*at]))));
        // A String takes everything.
        svg += &stroke(&format!("k{}", style_of(heap)), &line);
    }
    let below = CURVES.0 + CURVES.1 + 14.0;
    for percent in [0, 25, 50, 75, 100] {
        let x = LEFT + f64::from(percent) / 100.0 * (RIGHT - LEFT);
        let anchor = if percent == 100 { "end" } else { "middle" };
        let of = if percent == 50 {
            " of the patterns"
        } else {
            ""
        };
        let label = format!("{percent} %{of}");
        svg += &text("dim", anchor, x, below, &label);
    }
    svg
}

/// What a pattern is, in the order of the catalogue.
fn kind(pattern: &Pattern) -> &'static str {
    match &pattern.shape {
        _ if pattern.grows() => "growing",
        Shape::Turn(sizes) if sizes.len() == 1 && pattern.live > 0 => "one size, others alive",
        Shape::Turn(sizes) if sizes.len() == 1 => "one size",
        Shape::Turn(_) => "sizes in turn",
        _ => "random sizes",
    }
}

/// A dot for each pattern with brawn, in the catalogue's order.
fn dots(lines: &[Line]) -> String {
    let bar = BARS[0].1;
    let scale = Scale::of(lines.iter().map(|line| line.time(BRAWN)), DOTS);
    let title = "Each pattern with brawn, in the order of the catalogue";
    let mut svg = text("b", "start", 16.0, DOTS.0 - 12.0, title);
    svg += &scale.axis();
    let y = scale.y(bar);
    // A String takes everything.
    svg += &stroke("bar", &format!("M{LEFT} {y:.1}H{RIGHT}"));
    let dashed = format!("dashed: the bar, {bar}x");
    svg += &text("high", "end", RIGHT, DOTS.0 - 12.0, &dashed);
    let all = patterns();
    let kinds: BTreeMap<String, &str> = all.iter().map(|p| (p.to_string(), kind(p))).collect();
    let kind = |line: &Line| kinds.get(&line.name).copied().unwrap_or("others");
    let x = |at: usize| LEFT + (at as f64 + 0.5) / lines.len() as f64 * (RIGHT - LEFT);
    let times = lines.iter().map(|line| line.time(BRAWN)).enumerate();
    let times = times.filter(|(_, time)| time.is_finite());
    let path = chart::dots(times.map(|(at, time)| (x(at), scale.y(time))));
    svg += &stroke("dots", &path);
    let below = DOTS.0 + DOTS.1;
    let mut begin = 0;
    for part in lines.chunk_by(|a, b| kind(a) == kind(b)) {
        let end = begin + part.len();
        let (from, to) = (x(begin), x(end - 1));
        if begin > 0 {
            svg += &stroke("rule", &format!("M{from:.1} {}V{:.1}", DOTS.0, below + 6.0));
        }
        let middle = (from + to) / 2.0;
        svg += &text("dim", "middle", middle, below + 16.0, kind(&part[0]));
        begin = end;
    }
    svg
}

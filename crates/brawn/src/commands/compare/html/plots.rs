//! Runs as dots, and memory as lines.
//!
//! A figure is stretched to the page's width, so it contains no text: the text is placed around it. All the dots of a
//! form are one path, each a line of no length with round ends: an element for each would make the page slow.

use super::colour;
use brawn_lab::data::Comparison;
use brawn_lab::process::figures::WALL;
use brawn_lab::process::job::Moment;
use brawn_lab::show::chart::{self, axis};
use brawn_lab::show::page::{duration, folded, line};
use brawn_lab::show::units::{bytes, elapsed};
use brawn_lab::stats::median::{Estimate, estimate};
use maud::{Markup, html};

/// The width of a figure, in units that the browser stretches.
const WIDTH: f64 = 1000.0;
/// The height of a form's dots.
const LANE: f64 = 56.0;
/// The height of the figure of memory.
const HIGH: f64 = 180.0;
/// Dots that are next to each other stand above each other.
const COLUMNS: f64 = 120.0;
/// More runs than these have smaller dots.
const MANY: usize = 150;
/// More runs than these are not all in the table.
const LISTED: usize = 500;

/// The range of an axis.
#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// One range for all times. A few very long runs are outside of it; otherwise the others could not be
    /// distinguished.
    fn of(all: &[Vec<f64>]) -> Option<Self> {
        let mut high = f64::MIN;
        let (mut low, mut last) = (f64::MAX, f64::MIN);
        for values in all.iter().filter(|values| !values.is_empty()) {
            let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
            low = low.min(values[0]);
            last = last.max(at(1.0));
            high = high.max(at(0.9) + 1.5 * (at(0.9) - at(0.1)));
        }
        if low > last {
            return None;
        }
        let high = last.min(high).max(low * 1.001).max(low + 1.0);
        let edge = (high - low) * 0.03;
        Some(Self {
            low: (low - edge).max(0.0),
            high: high + edge,
        })
    }

    /// A value's position, from 0 to 1.
    fn at(self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The value at a position.
    fn value(self, share: f64) -> f64 {
        self.low + (self.high - self.low) * share
    }
}

/// Each run of each form, on one scale.  `id` is the prefix of the ids of its elements.
pub fn runs(data: &Comparison, id: &str) -> Markup {
    let all = 0..data.candidates.len();
    let times = all.map(|candidate| {
        let mut times = data.values(candidate, WALL);
        times.sort_unstable_by(f64::total_cmp);
        times
    });
    let times: Vec<Vec<f64>> = times.collect();
    let Some(scale) = Scale::of(&times) else {
        return html! {};
    };
    let beyond = times.iter().flatten().filter(|t| **t > scale.high).count();
    html! {
        section {
            h2 { "Time of each run" }
            p.soft {
                "Each dot is a run. The mark is the median, the band its 95 % interval."
                @if scale.low > 0.0 { " The scale does not begin at 0." }
                @if beyond > 0 { " " (beyond) " of the runs took longer than the scale shows; they are at its end." }
            }
            figure {
                @for (candidate, times) in times.iter().enumerate() {
                    @if let Some(middle) = estimate(times) { (lane(data, candidate, times, middle, scale, id)) }
                }
                (axis([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| duration(scale.value(share)))))
            }
            (table(data, &times))
        }
    }
}

fn lane(
    data: &Comparison,
    candidate: usize,
    times: &[f64],
    middle: Estimate,
    scale: Scale,
    id: &str,
) -> Markup {
    let name = line(&data.candidates[candidate].name);
    let median = elapsed(middle.median);
    let interval = format!("{} – {}", elapsed(middle.low), elapsed(middle.high));
    let x = |value: f64| scale.at(value) * WIDTH;
    let (low, high, at) = (x(middle.low), x(middle.high), x(middle.median));
    let (half, top, end) = (LANE / 2.0, LANE * 0.2, LANE * 0.8);
    let class = match times.len() > MANY {
        true => format!("lane many {}", colour(candidate)),
        false => format!("lane {}", colour(candidate)),
    };
    html! {
        div class=(class) {
            div.name { b { (name) } span { (median) span.soft { " (" (interval) ")" } } }
            svg viewBox=(format!("0 0 {WIDTH} {LANE}")) height=(LANE) preserveAspectRatio="none"
                role="img" aria-labelledby=(format!("{id}t{candidate} {id}d{candidate}")) {
                title id=(format!("{id}t{candidate}")) { "Times of " (times.len()) " runs: " (name) }
                desc id=(format!("{id}d{candidate}")) {
                    "The median is " (median) ", its interval " (interval) ", the fastest "
                    (elapsed(times[0])) ", the slowest " (elapsed(times[times.len() - 1])) "."
                }
                path.grid d=(format!("M0 {LANE}h{WIDTH}")) {}
                path.span d=(format!("M{low:.1} {half}H{high:.1}")) {}
                path.dots d=(dots(times, scale)) {}
                path.mid d=(format!("M{at:.1} {top}V{end}")) {}
            }
        }
    }
}

/// One dot for each run: those of one column from the middle outwards.
fn dots(times: &[f64], scale: Scale) -> String {
    let column = |time: f64| (scale.at(time) * COLUMNS) as usize;
    let columns = times.chunk_by(|a, b| column(*a) == column(*b));
    chart::dots(columns.flat_map(|of_it| {
        let most = LANE * 0.8;
        let step = (most / of_it.len() as f64).min(7.0);
        of_it.iter().enumerate().map(move |(number, time)| {
            let away = number.div_ceil(2) as f64 * step;
            let y = LANE / 2.0 + if number % 2 == 0 { away } else { -away };
            (scale.at(*time) * WIDTH, y)
        })
    }))
}

fn table(data: &Comparison, times: &[Vec<f64>]) -> Markup {
    let head = [
        "form", "runs", "fastest", "5 %", "median", "95 %", "slowest",
    ];
    let head = head.map(String::from);
    let rows = times.iter().enumerate().filter(|(_, t)| !t.is_empty());
    let rows = rows.map(|(candidate, times)| {
        let at = |share: f64| elapsed(times[((times.len() - 1) as f64 * share).round() as usize]);
        let mut row = vec![
            line(&data.candidates[candidate].name),
            times.len().to_string(),
        ];
        row.extend([0.0, 0.05, 0.5, 0.95, 1.0].map(at));
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let mut listed = Vec::new();
    if times.iter().map(Vec::len).sum::<usize>() <= LISTED {
        for (number, round) in data.order.iter().enumerate() {
            let of_it = |candidate: usize| {
                let mut runs = data.measured();
                let run = runs.find(|r| r.candidate == candidate && r.round == number);
                run.map_or_else(|| "–".into(), |run| elapsed(run.figures.wall_ns as f64))
            };
            let mut row = vec![(number + 1).to_string()];
            row.extend((0..round.len()).map(of_it));
            listed.push(row);
        }
    }
    let mut names = vec!["round".to_owned()];
    names.extend(data.candidates.iter().map(|form| line(&form.name)));
    html! {
        (folded("The same as a table", &head, &rows))
        @if !listed.is_empty() { (folded("Every run", &names, &listed)) }
    }
}

/// Memory over the time of the run that was watched.
pub fn memory(data: &Comparison, id: &str) -> Markup {
    let all = 0..data.candidates.len();
    let watched = all.filter_map(|candidate| {
        let mut runs = data.runs.iter();
        let run = runs.find(|run| run.candidate == candidate && run.memory.len() > 2)?;
        Some((candidate, run.memory.as_slice()))
    });
    let watched: Vec<(usize, &[Moment])> = watched.collect();
    let moments = || watched.iter().flat_map(|(_, moments)| moments.iter());
    let last = moments().map(|moment| moment.at_us).max().unwrap_or(0) as f64;
    let most = moments().map(|moment| moment.rss).max().unwrap_or(0) as f64;
    if watched.is_empty() || last <= 0.0 || most <= 0.0 {
        return html! {};
    }
    let peaks = watched.iter().map(|(candidate, moments)| {
        let peak = moments.iter().map(|moment| moment.rss).max().unwrap_or(0);
        (line(&data.candidates[*candidate].name), bytes(peak as f64))
    });
    let peaks: Vec<(String, String)> = peaks.collect();
    let told: Vec<String> = peaks
        .iter()
        .map(|(name, peak)| format!("{name} at most {peak}"))
        .collect();
    html! {
        section {
            h2 { "Memory over time" }
            p.soft { "Resident memory of all processes, in the first run of each form; its time is not counted." }
            figure {
                div.keys {
                    @for ((candidate, _), (name, peak)) in watched.iter().zip(&peaks) {
                        span class=(format!("key {}", colour(*candidate))) { (name) span.soft { " " (peak) } }
                    }
                }
                div.soft aria-hidden="true" { (bytes(most)) }
                svg viewBox=(format!("0 0 {WIDTH} {HIGH}")) height=(HIGH) preserveAspectRatio="none"
                    role="img" aria-labelledby=(format!("{id}tm {id}dm")) {
                    title id=(format!("{id}tm")) { "Memory over time" }
                    desc id=(format!("{id}dm")) { (told.join("; ")) "." }
                    path.grid d=(format!("M0 0h{WIDTH}M0 {}h{WIDTH}M0 {HIGH}h{WIDTH}", HIGH / 2.0)) {}
                    @for (candidate, moments) in &watched {
                        g class=(colour(*candidate)) { path.mem d=(curve(moments, last, most)) {} }
                    }
                }
                (axis([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| duration(last * 1e3 * share))))
            }
            (steps(data, &watched, last))
        }
    }
}

fn curve(moments: &[Moment], last: f64, most: f64) -> String {
    chart::path(moments.iter().map(|moment| {
        let x = moment.at_us as f64 / last * WIDTH;
        (x, HIGH - moment.rss as f64 / most * HIGH)
    }))
}

fn steps(data: &Comparison, watched: &[(usize, &[Moment])], last: f64) -> Markup {
    let mut head = vec!["after".to_owned()];
    head.extend(watched.iter().map(|(c, _)| line(&data.candidates[*c].name)));
    let rows = (0..=10).map(|tenth| {
        let now = last * f64::from(tenth) / 10.0;
        let mut row = vec![elapsed(now * 1e3)];
        row.extend(watched.iter().map(|(_, moments)| {
            let is_over = moments.last().is_none_or(|end| (end.at_us as f64) < now);
            let then = moments
                .iter()
                .rev()
                .find(|moment| moment.at_us as f64 <= now);
            match then {
                Some(moment) if !is_over => bytes(moment.rss as f64),
                _ => "–".into(),
            }
        }));
        row
    });
    folded("The same as a table", &head, &rows.collect::<Vec<_>>())
}

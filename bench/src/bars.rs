//! The bars that brawn has to meet, and whether it meets them.

use crate::raw::Results;
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::{Estimate, estimate};
use crate::variant::Variant;

/// How a bar's figure is computed from the figures of one round.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// The figure divided by the other variant's in the same round; at most the limit.
    Ratio(Variant),
    /// The figure minus the other variant's in the same round; at most the limit.
    Excess(Variant),
    /// The figure divided by the other variant's; at least the limit.
    Share(Variant),
    /// The figure itself; at most the limit.
    Value,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Nanoseconds,
    Kibibytes,
    Bytes,
}

/// One bar.
#[derive(Clone, Copy, Debug)]
struct Bar {
    measure: &'static str,
    /// The measurements; the worst of them counts.
    ids: &'static [&'static str],
    metric: &'static str,
    unit: Unit,
    form: Form,
    limit: f64,
    /// The variant whose figure has to meet the bar.
    of: Variant,
}

const RLIMIT: &[&str] = &[
    "rlimit-64",
    "rlimit-1024",
    "rlimit-16384",
    "rlimit-102400",
    "rlimit-1048576",
];

const fn threads(measure: &'static str, ids: &'static [&'static str]) -> Bar {
    Bar {
        measure,
        ids,
        metric: "ns",
        unit: Unit::Nanoseconds,
        form: Form::Ratio(Variant::Glibc),
        limit: 1.0,
        of: Variant::Brawn,
    }
}

const fn profile(
    of: Variant,
    metric: &'static str,
    measure: &'static str,
    ids: &'static [&'static str],
    form: Form,
    limit: f64,
) -> Bar {
    Bar {
        measure,
        ids,
        metric,
        unit: if matches!(metric.as_bytes(), b"ns") {
            Unit::Nanoseconds
        } else {
            Unit::Kibibytes
        },
        form,
        limit,
        of,
    }
}

const THREADS: &[&str] = &[
    "profiles-threads-1",
    "profiles-threads-2",
    "profiles-threads-8",
    "profiles-threads-32",
];

const PROFILES: &[Bar] = &[
    profile(
        Variant::Secure,
        "ns",
        "secure: filled vectors of 1–1000 B, time against fast",
        &["profiles-seed001"],
        Form::Ratio(Variant::Brawn),
        1.3,
    ),
    profile(
        Variant::Secure,
        "ns",
        "secure: malloc+free of 1–1000 B, the worst of 1, 2, 8 and 32 threads, time against fast",
        THREADS,
        Form::Ratio(Variant::Brawn),
        1.3,
    ),
    profile(
        Variant::Lean,
        "hwm_kb",
        // mallocng has 0.53x, and five percent more are allowed.
        "lean: peak RSS of a mixed stress, against glibc",
        &["profiles-stress"],
        Form::Ratio(Variant::Glibc),
        0.56,
    ),
    profile(
        Variant::Lean,
        "ns",
        "lean: time of the mixed stress, against glibc",
        &["profiles-stress"],
        Form::Ratio(Variant::Glibc),
        1.0,
    ),
];

const RUST: &[Bar] = &[Bar {
    measure: "filled vectors of 0–100,000 B, a thread per processor, time against glibc",
    ids: &["rust-003"],
    metric: "wall_ns",
    unit: Unit::Nanoseconds,
    form: Form::Ratio(Variant::Glibc),
    limit: 1.05,
    of: Variant::Brawn,
}];

const fn wasmtime(
    measure: &'static str,
    ids: &'static [&'static str],
    metric: &'static str,
    limit: f64,
) -> Bar {
    Bar {
        measure,
        ids,
        metric,
        unit: if matches!(metric.as_bytes(), b"cpu_ns") {
            Unit::Nanoseconds
        } else {
            Unit::Kibibytes
        },
        form: Form::Ratio(Variant::Glibc),
        limit,
        of: Variant::Brawn,
    }
}

const WASMTIME: &[Bar] = &[
    wasmtime(
        "wasmtime compile, parallel: processor time against glibc",
        &["wasmtime-parallel"],
        "cpu_ns",
        1.0,
    ),
    wasmtime("its peak RSS", &["wasmtime-parallel"], "peak_rss_kb", 1.0),
    wasmtime(
        "wasmtime compile, not parallel: processor time against glibc",
        &["wasmtime-serial"],
        "cpu_ns",
        1.0,
    ),
    wasmtime("its peak RSS", &["wasmtime-serial"], "peak_rss_kb", 1.0),
];

const BARS: &[Bar] = &[
    threads(
        "malloc+free of 1–1000 B, 1 thread, time against glibc",
        &["threads-1"],
    ),
    threads("the same, 2 threads", &["threads-2"]),
    threads("the same, 8 threads", &["threads-8"]),
    threads("the same, 32 threads", &["threads-32"]),
    Bar {
        measure: "run of a program that allocates once, against stock",
        ids: &["startup"],
        metric: "wall_ns",
        unit: Unit::Nanoseconds,
        form: Form::Ratio(Variant::Stock),
        limit: 1.05,
        of: Variant::Brawn,
    },
    Bar {
        measure: "its peak RSS",
        ids: &["peak"],
        metric: "hwm_kb",
        unit: Unit::Kibibytes,
        form: Form::Excess(Variant::Stock),
        limit: 128.0,
        of: Variant::Brawn,
    },
    Bar {
        measure: "growth of a stripped executable (text and data)",
        ids: &["size"],
        metric: "loaded_bytes",
        unit: Unit::Bytes,
        form: Form::Excess(Variant::Stock),
        limit: 40.0 * 1024.0,
        of: Variant::Brawn,
    },
    Bar {
        measure: "live bytes held before NULL under RLIMIT_AS of 64 MiB, worst of five block sizes",
        ids: RLIMIT,
        metric: "held_bytes",
        unit: Unit::Bytes,
        form: Form::Share(Variant::Stock),
        limit: 0.99,
        of: Variant::Brawn,
    },
    Bar {
        measure: "private writable address space of an idle program after one malloc",
        ids: &["idle"],
        metric: "writable_kb",
        unit: Unit::Kibibytes,
        form: Form::Excess(Variant::Stock),
        limit: 1024.0,
        of: Variant::Brawn,
    },
    Bar {
        measure: "peak RSS of a mixed stress, against glibc",
        ids: &["stress"],
        metric: "hwm_kb",
        unit: Unit::Kibibytes,
        form: Form::Ratio(Variant::Glibc),
        limit: 1.0,
        of: Variant::Brawn,
    },
    Bar {
        measure: "brawn patch of a libc.a of 8 MB",
        ids: &["patch"],
        metric: "wall_ns",
        unit: Unit::Nanoseconds,
        form: Form::Value,
        limit: 0.2e9,
        of: Variant::Brawn,
    },
];

impl Bar {
    /// The variant's figure: the worst of the bar's measurements. `None` if one of them is missing.
    fn figure(&self, results: &Results, variant: Variant) -> Option<Estimate> {
        let figures: Option<Vec<Estimate>> = self
            .ids
            .iter()
            .map(|id| self.figure_of(results, id, variant))
            .collect();
        let by_median = |a: &Estimate, b: &Estimate| a.median.total_cmp(&b.median);
        match self.form {
            Form::Share(_) => figures?.into_iter().min_by(by_median),
            _ => figures?.into_iter().max_by(by_median),
        }
    }

    fn figure_of(&self, results: &Results, id: &str, variant: Variant) -> Option<Estimate> {
        let measurement = results.measurements.get(id)?;
        let own = measurement.values(variant, self.metric);
        let paired = |base: Variant, join: fn(f64, f64) -> f64| -> Vec<f64> {
            let base = measurement.values(base, self.metric);
            own.iter().zip(&base).map(|(a, b)| join(*a, *b)).collect()
        };
        match self.form {
            Form::Ratio(base) | Form::Share(base) => estimate(&paired(base, |a, b| a / b)),
            Form::Excess(base) => estimate(&paired(base, |a, b| a - b)),
            Form::Value => estimate(&own),
        }
    }

    /// The figure itself, in its own unit, of the variant that others are compared with.
    fn plain(&self, results: &Results, variant: Variant) -> Option<String> {
        let [id] = self.ids else { return None };
        let values = results.measurements.get(*id)?.values(variant, self.metric);
        Some(amount(self.unit, estimate(&values)?.median))
    }

    fn met(&self, figure: &Estimate) -> bool {
        match self.form {
            Form::Share(_) => figure.median >= self.limit,
            _ => figure.median <= self.limit,
        }
    }

    fn base(&self) -> Option<Variant> {
        match self.form {
            Form::Ratio(v) | Form::Excess(v) | Form::Share(v) => Some(v),
            Form::Value => None,
        }
    }

    fn text(&self, value: f64) -> String {
        match self.form {
            Form::Ratio(_) => show::ratio(value),
            Form::Share(_) => format!("{:.1} %", value * 100.0),
            Form::Excess(_) => {
                let text = amount(self.unit, value);
                if value >= 0.0 {
                    format!("+{text}")
                } else {
                    text
                }
            }
            Form::Value => amount(self.unit, value),
        }
    }

    fn limit_text(&self) -> String {
        match self.form {
            Form::Share(base) => format!("≥ {} of {}'s", self.text(self.limit), base.title()),
            Form::Excess(base) => format!("≤ {} {}", base.title(), self.text(self.limit)),
            _ => format!("≤ {}", self.text(self.limit)),
        }
    }

    fn cell(&self, results: &Results, variant: Variant) -> Cell {
        if self.base() == Some(variant)
            && let Some(plain) = self.plain(results, variant)
        {
            return plain.into();
        }
        let Some(figure) = self.figure(results, variant) else {
            return Cell::or_dash(None::<Cell>);
        };
        let mut text = self.text(figure.median);
        // An interval that shows the same numbers as the figure is left out.
        let (low, high) = (self.text(figure.low), self.text(figure.high));
        if variant == self.of && (low != text || high != text) {
            text = format!("{text} {}", show::interval(&low, &high));
        }
        let tone = match (variant == self.of, self.met(&figure)) {
            (true, true) => Tone::Good,
            (true, false) => Tone::Bad,
            (false, _) => Tone::Plain,
        };
        Cell::new(text, tone)
    }
}

fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Nanoseconds => show::time(value),
        Unit::Kibibytes => show::memory(value),
        Unit::Bytes => show::memory(value / 1024.0),
    }
}

/// The table of the bars: the figures of every libc, the bar, and whether brawn meets it.
pub fn table(results: &Results) -> Table {
    of(results, BARS, &Variant::LIBCS)
}

/// The same for brawn's profiles.
pub fn profiles(results: &Results) -> Table {
    of(results, PROFILES, &Variant::PROFILES)
}

/// The same for Rust programs.
pub fn rust(results: &Results) -> Table {
    of(results, RUST, &Variant::RUST)
}

/// The same for `wasmtime compile`.
pub fn wasmtime_compile(results: &Results) -> Table {
    of(results, WASMTIME, &Variant::LINKED)
}

fn of(results: &Results, bars: &[Bar], variants: &[Variant]) -> Table {
    let mut header: Vec<Cell> = vec!["measure".into()];
    header.extend(variants.iter().map(|v| Cell::from(v.title())));
    header.push("bar".into());
    let row = |bar: &Bar| {
        let mut cells: Vec<Cell> = vec![bar.measure.into()];
        cells.extend(variants.iter().map(|v| bar.cell(results, *v)));
        let (verdict, tone) = match bar.figure(results, bar.of) {
            Some(figure) if bar.met(&figure) => ("met", Tone::Good),
            Some(_) => ("not met", Tone::Bad),
            None => ("not measured", Tone::Faint),
        };
        cells.push(Cell::new(format!("{}: {verdict}", bar.limit_text()), tone));
        Row::Cells(cells)
    };
    Table::new(header, bars.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Measurement;
    use std::collections::BTreeMap;

    fn results(id: &str, metric: &str, figures: &[(Variant, &[Option<f64>])]) -> Results {
        let samples = figures
            .iter()
            .map(|(v, s)| (*v, BTreeMap::from([(metric.to_owned(), s.to_vec())])));
        let measurement = Measurement {
            samples: samples.collect(),
            ..Measurement::empty(id)
        };
        Results::of("", [measurement])
    }

    fn cells(table: &Table, row: usize) -> Vec<&str> {
        match &table.rows[row] {
            Row::Cells(cells) => cells.iter().map(|c| c.text.as_str()).collect(),
            Row::Heading(_) => Vec::new(),
        }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The machine was ten times slower in the last round: the ratio stays.
        let r = results(
            "threads-1",
            "ns",
            &[
                (Variant::Glibc, &[Some(10.0), Some(10.0), Some(100.0)]),
                (Variant::Brawn, &[Some(8.0), Some(8.0), Some(80.0)]),
                (Variant::Stock, &[Some(200.0), None, Some(2000.0)]),
            ],
        );
        let expected = [
            BARS[0].measure,
            "20.0x",
            "–",
            "–",
            "10.0 ns",
            "0.80x",
            "≤ 1.00x: met",
        ];
        assert_eq!(cells(&table(&r), 0), expected);
    }

    #[test]
    fn the_worst_block_size_decides() {
        let mut r = results(
            RLIMIT[0],
            "held_bytes",
            &[
                (Variant::Stock, &[Some(100.0)]),
                (Variant::Brawn, &[Some(99.0)]),
            ],
        );
        let row = BARS.iter().position(|b| b.ids == RLIMIT).expect("a bar");
        assert_eq!(
            cells(&table(&r), row)[6],
            "≥ 99.0 % of stock musl's: not measured",
            "four sizes are missing"
        );
        for id in &RLIMIT[1..] {
            let one = results(
                id,
                "held_bytes",
                &[
                    (Variant::Stock, &[Some(100.0)]),
                    (Variant::Brawn, &[Some(89.0)]),
                ],
            );
            r.measurements.extend(one.measurements);
        }
        assert_eq!(cells(&table(&r), row)[5], "89.0 %");
        assert_eq!(
            cells(&table(&r), row)[6],
            "≥ 99.0 % of stock musl's: not met"
        );
    }

    #[test]
    fn every_bar_names_measurements_of_the_catalogue() {
        for id in [BARS, PROFILES, RUST, WASMTIME]
            .concat()
            .iter()
            .flat_map(|b| b.ids)
        {
            assert!(crate::catalogue::entry(id).is_some(), "{id}");
        }
    }
}

//! The bars that brawn has to meet, and whether it meets them.

use crate::raw::Results;
use crate::rows;
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

/// One bar: a line of `bars.txt`.
#[derive(Clone, Debug)]
struct Bar {
    measure: &'static str,
    /// The measurements; the worst of them counts.
    ids: Vec<&'static str>,
    metric: &'static str,
    unit: Unit,
    form: Form,
    limit: f64,
    /// The variant whose figure has to meet the bar.
    of: Variant,
}

/// The bars of a table.
fn bars(table: &str) -> Vec<Bar> {
    let all = rows(include_str!("bars.txt")).filter(|row| row[0] == table);
    all.map(|row| Bar::read(row).unwrap_or_else(|| panic!("bars.txt: {row:?}")))
        .collect()
}

impl Bar {
    fn read([_, measure, ids, metric, figure, limit]: [&'static str; 6]) -> Option<Self> {
        let mut words = figure.split(' ');
        let of = Variant::from_name(words.next()?)?;
        let (sign, base) = (words.next(), words.next().and_then(Variant::from_name));
        Some(Self {
            measure,
            ids: ids.split(' ').collect(),
            metric,
            unit: match metric.rsplit('_').next()? {
                "ns" => Unit::Nanoseconds,
                "kb" => Unit::Kibibytes,
                _ => Unit::Bytes,
            },
            form: match (sign, base) {
                (Some("/"), Some(base)) => Form::Ratio(base),
                (Some("-"), Some(base)) => Form::Excess(base),
                (Some("of"), Some(base)) => Form::Share(base),
                (None, None) => Form::Value,
                _ => return None,
            },
            limit: limit.parse().ok()?,
            of,
        })
    }

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
        let [id] = self.ids[..] else { return None };
        let values = results.measurements.get(id)?.values(variant, self.metric);
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
            Form::Excess(_) => show::signed(value, amount(self.unit, value)),
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

/// The bars of one of `bars.txt`'s tables: the figures of every variant, the bar, and whether brawn meets it.
pub fn table(results: &Results, table: &str) -> Table {
    let bars = bars(table);
    let variants = Variant::group(table).unwrap_or_default();
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
mod tests;

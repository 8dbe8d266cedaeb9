//! The figures for people: a table by family, then what it comes to.

use super::{LeftOut, Measured, Sort};
use crate::ui;
use anstyle::{AnsiColor, Style};
use brawn_core::shown;
use brawn_lab::judge::functions::{
    self, GLIBC, Line, behind, brawn, families, is_ahead, is_behind, mean, parts, stock, usual,
};
use brawn_lab::show::units::{digits, ratio, time};
use std::fmt::Write as _;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const FASTER: Style = AnsiColor::Green.on_default();
const SLOWER: Style = AnsiColor::Red.on_default();

/// The widths of the columns of figures: the base's time, two ratios, an interval.
const TIME: usize = 9;
const RATIO: usize = 8;
const INTERVAL: usize = 14;
/// Names have at least this room beside the interval, or the interval goes.
const NAME: usize = 32;
/// A narrower terminal has the figures below the names.
const NARROW: usize = 60;
/// So many names are in a sentence.
const NAMED: usize = 6;

/// Prints it.
pub fn print(measured: &Measured, sort: Sort) {
    ui::text(&text(measured, sort, ui::width()));
}

/// What is printed on a terminal of that width.
pub fn text(measured: &Measured, sort: Sort, width: Option<usize>) -> String {
    let lines = measured.lines();
    let names = lines.iter().map(|line| line.name.chars().count());
    let table = Table::new(&measured.base, names.max().unwrap_or(0), width);
    let mut text = String::new();
    for (family, lines) in sorted(&lines, sort) {
        text += &table.head(family);
        for line in &lines {
            let (_, name) = parts(&line.name);
            let name = if family.is_empty() { &line.name } else { name };
            text += &table.line(
                name,
                Some(line.base),
                line.stock,
                line.brawn.median,
                Some(line),
            );
        }
        let of = |of: fn(&Line) -> f64| mean(lines.iter().copied(), of);
        text += &table.line("geometric mean", None, of(stock), of(brawn), None);
        text.push('\n');
    }
    let folded = |said: &str, indent| ui::folded(&shown::line(said).to_string(), indent, width);
    let left = measured.left_out.iter();
    let left = left.map(|left| format!("left out: {}", left_out(left)));
    let findings = measured.findings.iter();
    let findings = findings.map(|f| format!("{}, {}: {}", f.row, f.form, f.what));
    for said in left.chain(findings) {
        text += &(folded(&said, 2) + "\n");
    }
    text + &folded(&measured.verdict, 0)
}

/// The rows of each family; all below no name if the slowest come first.
pub fn sorted(lines: &[Line], sort: Sort) -> Vec<(&str, Vec<&Line>)> {
    match sort {
        Sort::Ratio if lines.is_empty() => Vec::new(),
        Sort::Ratio => vec![("", lines.iter().collect())],
        Sort::Family => {
            let mut all = families(lines);
            for (_, lines) in &mut all {
                lines.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            }
            all
        }
    }
}

/// As in `2 rows (math; insque and remque): why`, with the family's name for all of its rows.
pub fn left_out(left: &LeftOut) -> String {
    let all: Vec<&str> = functions::all().collect();
    let is_lost = |row: &&str| left.rows.iter().any(|lost| lost == row);
    let mut names: Vec<&str> = Vec::new();
    for row in &left.rows {
        let (family, name) = parts(row);
        let mut of_it = all.iter().filter(|row| parts(row).0 == family);
        let name = if of_it.all(is_lost) { family } else { name };
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; {more} more"),
    };
    names.truncate(NAMED);
    let (count, names) = (left.rows.len(), names.join("; "));
    let s = if count == 1 { "" } else { "s" };
    format!("{count} row{s} ({names}{more}): {}", left.why)
}

/// Colours a ratio: slower than the base, or not.
pub fn is_good(ratio: f64) -> Option<bool> {
    match ratio {
        r if is_behind(r) => Some(false),
        r if is_ahead(r) => Some(true),
        _ => None,
    }
}

/// All in one sentence.
pub fn verdict(lines: &[Line], base: &str) -> String {
    if lines.is_empty() {
        return "no row was measured".into();
    }
    let all = lines.len();
    let rows = if all == 1 { "row is" } else { "rows are" };
    let ahead = lines.iter().filter(|line| is_ahead(brawn(line))).count();
    let mean_of = |of: fn(&Line) -> f64| ratio(mean(usual(lines), of));
    let (slower, own) = (behind(lines, brawn), mean_of(brawn));
    let (also, musl) = match base == GLIBC {
        true => (
            format!(" (stock musl {})", behind(lines, stock)),
            format!(" (stock musl {})", mean_of(stock)),
        ),
        false => Default::default(),
    };
    format!(
        "brawn: {slower} of {all} {rows} more than 5 % slower than {base}'s{also}, {ahead} more than 5 % faster; \
         geometric mean {own} of {base}'s time{musl}"
    )
}

/// The columns.
struct Table {
    /// Whether there is glibc to compare with; otherwise it is stock musl.
    is_glibc: bool,
    name: usize,
    has_interval: bool,
    /// The width of a terminal that has the figures below the names.
    narrow: Option<usize>,
}

impl Table {
    fn new(base: &str, longest: usize, width: Option<usize>) -> Self {
        let is_glibc = base == GLIBC;
        let figures = TIME + RATIO * (1 + usize::from(is_glibc));
        let width = width.unwrap_or(usize::MAX);
        let has_interval = width >= NAME + figures + INTERVAL;
        let figures = figures + if has_interval { INTERVAL } else { 0 };
        Self {
            is_glibc,
            name: longest.min(width.saturating_sub(figures).max(NAME)),
            has_interval,
            narrow: Some(width).filter(|width| *width < NARROW),
        }
    }

    /// The line above a family's rows.
    fn head(&self, family: &str) -> String {
        let family = match family {
            "" => "function".to_owned(),
            family => shown::line(family).to_string(),
        };
        let (base, musl) = match self.is_glibc {
            true => ("glibc", "musl"),
            false => ("musl", ""),
        };
        let figures = self.figures([base, musl, "brawn"], "", BOLD);
        let name = match self.narrow.is_some() {
            true => family,
            false => format!("{family:<0$}", self.name),
        };
        let gap = if self.narrow.is_some() { " " } else { "" };
        format!("{BOLD}{name}{BOLD:#}{gap}{figures}\n")
    }

    /// The columns of figures.
    fn figures(&self, [base, musl, brawn]: [&str; 3], interval: &str, style: Style) -> String {
        let (time, width) = match self.narrow.is_some() {
            true => (0, 0),
            false => (TIME, RATIO),
        };
        let gap = if self.narrow.is_some() { "  " } else { "" };
        let mut text = format!("{base:>time$}");
        if self.is_glibc {
            let _ = write!(text, "{gap}{musl:>width$}");
        }
        let _ = write!(text, "{gap}{style}{brawn:>width$}{style:#}");
        if self.has_interval && !interval.is_empty() {
            let _ = write!(text, "  {DIM}{interval}{DIM:#}");
        }
        text
    }

    /// A row's line; `line` has its interval.
    fn line(
        &self,
        name: &str,
        base: Option<f64>,
        stock: f64,
        brawn: f64,
        line: Option<&Line>,
    ) -> String {
        let style = match is_good(brawn) {
            Some(true) => FASTER,
            Some(false) => SLOWER,
            None => Style::new(),
        };
        let interval = line.map_or_else(String::new, |line| {
            format!("{}–{}", digits(line.brawn.low), digits(line.brawn.high))
        });
        let base = base.map_or_else(String::new, time);
        let figures = self.figures([&base, &ratio(stock), &ratio(brawn)], &interval, style);
        let name = shown::line(name).to_string();
        if self.narrow.is_some() {
            let name = ui::folded(&name, 0, self.narrow);
            return format!("{name}\n  {}\n", figures.trim_start());
        }
        let folded = ui::folded(&name, 0, Some(self.name));
        let (before, last) = match folded.rsplit_once('\n') {
            Some((before, last)) => (format!("{before}\n"), last),
            None => (String::new(), folded.as_str()),
        };
        format!("{before}{last:<0$}{figures}\n", self.name)
    }
}

#[cfg(test)]
mod tests;

//! The generated parts of docs/libc.md: a sentence, tables, and a figure.

use super::{Page, shown};
use crate::own::libc::{
    Line, STOCK_BAR, behind, brawn, families, is_behind, lines, mean, slower_than_stock, stock,
    usual,
};
use crate::own::{Raw, acid};
use crate::show::{self, Cell, Row, Table};
use brawn_lab::judge::functions::STOCK;
use brawn_lab::show::chart::{self, picture, text};
use std::fmt::Write as _;

pub const PAGE: Page = Page {
    document: "docs/libc.md",
    kind: "libc",
    parts: &[
        ("said", |from, raw| Ok(said(from, raw, &lines(raw)))),
        ("figure", |_, raw| {
            Ok(shown("libc", &alternative(&lines(raw))))
        }),
        ("programs", |_, _| {
            Ok(acid::show(&Raw::newest("acid")?.1).markdown())
        }),
        ("stock", |_, raw| Ok(slower(raw))),
        ("behind", |_, raw| {
            let lines = lines(raw);
            Ok(table(lines.iter().filter(|line| is_behind(brawn(line)))))
        }),
        ("fastest", |_, raw| {
            Ok(table(lines(raw).iter().rev().take(FASTEST)))
        }),
    ],
    figure: Some(|raw| Ok(figure(&lines(raw)))),
};

fn said(path: &str, raw: &Raw, lines: &[Line]) -> String {
    format!(
        "{} rows, one call each or a few that belong together, at sizes and inputs as programs have them: {} are more than 5 % \
         slower than\nglibc with stock musl, {} with brawn. The geometric mean of all rows but `edges` is {} of glibc's time with stock musl, \
         {} with brawn (the bar is 0.8x).\nMedians of {} rounds on {}, {} processors shared with other work; `{path}` has\n\
         every sample, and `brawn-bench libc` repeats it.\n",
        lines.len(),
        behind(lines, stock),
        behind(lines, brawn),
        show::ratio(mean(usual(lines), stock)),
        show::ratio(mean(usual(lines), brawn)),
        raw.rounds.len(),
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
    )
}

fn table<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    let cells = |line: &Line| {
        Row::Cells(vec![
            Cell::from(line.name.clone()),
            Cell::from(show::time(line.base)),
            Cell::from(show::ratio(line.stock)),
            Cell::from(show::ratio(line.brawn.median)),
        ])
    };
    let header = ["function", "glibc", "stock musl", "brawn"];
    Table::new(header, lines.map(cells)).markdown()
}

/// How many of the rows that are faster than glibc's are shown.
const FASTEST: usize = 30;

/// The figure in words.
fn alternative(lines: &[Line]) -> String {
    let means = families(lines).into_iter().map(|(family, lines)| {
        let of = |of: fn(&Line) -> f64| show::ratio(mean(lines.iter().copied(), of));
        format!("{family} {} and {}", of(stock), of(brawn))
    });
    let means: Vec<String> = means.collect();
    format!(
        "Each row's time against glibc's, with stock musl and with brawn. Geometric means by family, stock musl and brawn: {}.",
        means.join("; ")
    )
}

const WIDTH: f64 = 860.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 62.0;
/// A family's height: two lanes and a gap.
const BAND: f64 = 40.0;
const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 150.0;

fn x(ratio: f64) -> f64 {
    let part = (ratio.clamp(LOWEST, HIGHEST) / LOWEST).ln() / (HIGHEST / LOWEST).ln();
    LEFT + part * (WIDTH - LEFT - RIGHT)
}

/// A side's name, its distance from the family's top, its figure in a row, and the place of its mean.
type Lane<'n> = (&'n str, f64, fn(&Line) -> f64, f64);

const STYLE: &str = "<style>
.page { fill: #ffffff; stroke: #d0d7de } .rule { stroke: #d0d7de } .one { stroke: #1f2328; stroke-width: 1.5 }
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .dim { fill: #59636e; font-size: 11px } .b { font-weight: 600 }
path { fill: none; stroke-width: 6; stroke-linecap: round; stroke-opacity: .5 } .stock { stroke: #b35900 } .brawn { stroke: #0550ae }
.stocks { fill: #8f4700 } .brawns { fill: #0550ae }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d } .rule { stroke: #3d444d } .one { stroke: #e6edf3 } text { fill: #e6edf3 } .dim { fill: #9198a1 }
.stock { stroke: #f0a050 } .brawn { stroke: #79c0ff } .stocks { fill: #f0a050 } .brawns { fill: #79c0ff }
}
</style>
";

/// Each family's rows as two lanes of dots on a logarithmic scale.
fn figure(lines: &[Line]) -> String {
    let families = families(lines);
    let bottom = TOP + BAND * families.len() as f64;
    let height = bottom + 34.0;
    let title = "Time against glibc's: a dot is a row, to the left is faster";
    let mut svg = text("b", "start", 16.0, 24.0, title);
    svg += &text("dim", "end", WIDTH - 16.0, 24.0, "geometric mean");
    svg += &text("stocks", "end", WIDTH - 82.0, 44.0, "stock musl");
    svg += &text("brawns", "end", WIDTH - 16.0, 44.0, "brawn");
    for tick in [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let class = if tick == 1.0 { "one" } else { "rule" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{TOP:.1}\" y2=\"{bottom:.1}\"/>",
            x(tick)
        );
        svg += &text("dim", "middle", x(tick), bottom + 18.0, &format!("{tick}x"));
    }
    for (number, (family, lines)) in families.iter().enumerate() {
        let y = TOP + BAND * number as f64;
        svg += &text("", "end", LEFT - 16.0, y + 24.0, family);
        let lanes: [Lane<'_>; 2] = [("stock", 13.0, stock, 82.0), ("brawn", 27.0, brawn, 16.0)];
        for (side, lane, of, column) in lanes {
            let dots = chart::dots(lines.iter().map(|line| (x(of(line)), y + lane)));
            let _ = writeln!(svg, "<path class=\"{side}\" d=\"{dots}\"/>");
            let mean = show::ratio(mean(lines.iter().copied(), of));
            svg += &text(&format!("{side}s"), "end", WIDTH - column, y + 24.0, &mean);
        }
    }
    let words = alternative(lines).replace('&', "&amp;");
    let told = ["Functions of libc against glibc's", &words, STYLE];
    picture([WIDTH, height], told, &svg)
}

/// Each row that takes longer than with stock musl, and why.
fn reasons() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = crate::rows(include_str!("libc/slower.txt"));
    all.flat_map(|[why, names]| names.split("; ").map(move |name| (name, why)))
}

/// The rows that take longer than with stock musl, and why.
fn slower(raw: &Raw) -> String {
    let lines = slower_than_stock(raw);
    let why = |line: &Line| reasons().find(|(name, _)| *name == line.name);
    let rows = lines.iter().map(|line| {
        Row::Cells(vec![
            Cell::from(line.name.clone()),
            Cell::from(show::time(line.base)),
            Cell::from(show::ratio_of(&line.brawn)),
            Cell::from(why(line).map_or("–", |(_, why)| why)),
        ])
    });
    let header = ["function", "stock musl", "brawn / stock musl", "why"];
    let table = Table::new(header, rows);
    format!(
        "No row is to take more than {} of stock musl's time. {} of the {} rows do: the lower end of their interval is above that. So the bar is not met.\n\n{}",
        show::ratio(STOCK_BAR),
        lines.len(),
        brawn_lab::judge::functions::lines(&raw.rounds, STOCK).len(),
        table.markdown(),
    )
}

#[cfg(test)]
mod tests;

//! The rows of `bench/edges` that are above a bar, in docs/libc.md.

use super::Page;
use crate::own::libc::brawn;
use crate::own::{Raw, edges};
use crate::show::{self, Cell, Row, Table};

pub const PAGE: Page = Page {
    document: super::libc::PAGE.document,
    kind: "edges",
    parts: &[
        ("said", |from, raw| Ok(said(from, raw))),
        ("above", |_, raw| Ok(table(raw))),
    ],
    figure: None,
};

fn said(path: &str, raw: &Raw) -> String {
    format!(
        "{}Medians of {} rounds on {}, {} processors shared with other work; `{path}` has every sample, and\n`brawn-bench edges` repeats it.\n",
        edges::summary(raw),
        raw.rounds.len(),
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
    )
}

fn table(raw: &Raw) -> String {
    let rows = edges::above(raw).into_iter().map(|(line, against_stock)| {
        Row::Cells(vec![
            Cell::from(line.name.clone()),
            Cell::from(show::time(line.base)),
            Cell::from(show::ratio(brawn(&line))),
            Cell::from(show::ratio(against_stock)),
        ])
    });
    let header = ["function", "glibc", "brawn / glibc", "brawn / stock musl"];
    Table::new(header, rows).markdown()
}

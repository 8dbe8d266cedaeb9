//! The sweep in docs/benchmarks.md: a figure, tables, and sentences.

use super::{Page, shown};
use crate::own::sweep::results::{heaps, lines};
use crate::own::sweep::{figure, table, words};
use crate::show::Table;

/// How many patterns each list of the page has at most.
const WORST: usize = 12;

pub const PAGE: Page = Page {
    document: "docs/benchmarks.md",
    kind: "sweep",
    parts: &[
        ("missed", |_, raw| Ok(words::missed(&lines(raw)))),
        ("said", |from, raw| Ok(words::said(raw, &lines(raw), from))),
        ("figure", |_, raw| {
            Ok(shown("sweep", &figure::alternative(raw, &lines(raw))))
        }),
        ("summary", |_, raw| {
            Ok(table::summary(raw, &lines(raw)).markdown())
        }),
        ("slowest", |_, raw| {
            Ok(table::slowest(&heaps(raw), &lines(raw), WORST).markdown())
        }),
        ("peaks", |_, raw| {
            let found = table::peaks(&heaps(raw), &lines(raw), WORST);
            Ok(table_or(
                found,
                "In no pattern is brawn's peak above the bar.\n",
            ))
        }),
        ("cliffs", |_, raw| {
            let found = table::steps(&heaps(raw), &lines(raw), WORST);
            Ok(table_or(found, "No profile has a cliff.\n"))
        }),
    ],
    figure: Some(figure::figure),
};

fn table_or(table: Option<Table>, none: &str) -> String {
    table.map_or_else(|| none.to_owned(), |table| table.markdown())
}

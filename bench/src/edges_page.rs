//! The rows of `bench/edges` that are above a bar, in docs/libc.md.  `brawn-bench readme` writes them between `<!-- edges:NAME -->`
//! and `<!-- /edges:NAME -->`, and a test compares them with the raw data.

use crate::Result;
use crate::own::libc::brawn;
use crate::own::{Raw, edges};
use crate::readme::{fill_file, replace};
use crate::show::{self, Cell, Row, Table};

/// Below the repository's directory.
pub const DOCUMENT: &str = crate::libc_page::DOCUMENT;

fn said(path: &str, raw: &Raw) -> String {
    let machine = |key: &str| raw.machine.get(key).map_or("?", String::as_str);
    format!(
        "{}Medians of {} rounds on {}, {} processors shared with other work; `{path}` has every sample, and\n`brawn-bench edges` repeats it.\n",
        edges::summary(raw),
        raw.rounds.len(),
        machine("cpu"),
        machine("processors"),
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
    let rows = rows.collect();
    let header = header.map(Cell::from).into();
    Table { header, rows }.markdown()
}

fn made() -> Result<String> {
    let (path, raw) = Raw::newest("edges")?;
    fill_file(DOCUMENT, "edges", |name| match name {
        "said" => Ok(said(&path, &raw)),
        "above" => Ok(table(&raw)),
        _ => Err(format!("unknown marker edges:{name}; known: said, above")),
    })
}

/// Rewrites the document from the newest raw data. Returns its name, and whether it changed.
pub fn rewrite() -> Result<(&'static str, bool)> {
    replace(DOCUMENT, &made()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readme::assert_up_to_date;

    #[test]
    fn the_document_agrees_with_the_raw_data() {
        let made = made().expect("readable raw data, and known markers");
        assert_up_to_date(&[(DOCUMENT, made)], DOCUMENT, "edges", &["said", "above"]);
    }
}

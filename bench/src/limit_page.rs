//! The table of memory limits in docs/tuning.md.  `brawn-bench readme` writes it between `<!-- limit:NAME -->` and
//! `<!-- /limit:NAME -->`, and a test compares it with the raw data.

use crate::own::{Raw, limit};
use crate::readme::{fill_with, replace};
use crate::{Result, context, repository};
use std::fs;

/// Below the repository's directory.
pub const DOCUMENT: &str = "docs/tuning.md";

fn said(path: &str, raw: &Raw) -> String {
    let machine = |key: &str| raw.machine.get(key).map_or("?", String::as_str);
    let rounds = match raw.rounds.len() {
        1 => "One round".to_owned(),
        count => format!("Medians of {count} rounds"),
    };
    format!(
        "{rounds} on {}, {} processors shared with other work, {}. {}\n`{path}` has all figures, and\n`brawn-bench limit` repeats it.\n",
        machine("cpu"),
        machine("processors"),
        raw.date,
        limit::limited_by(raw),
    )
}

fn made() -> Result<String> {
    let (path, raw) = Raw::newest("limit")?;
    let document = repository().join(DOCUMENT);
    let document = context(fs::read_to_string(&document), "read", &document)?;
    fill_with(&document, "limit", |name| match name {
        "said" => Ok(said(&path, &raw)),
        "table" => Ok(limit::show(&raw).markdown()),
        _ => Err(format!("unknown marker limit:{name}; known: said, table")),
    })
}

/// Rewrites the document from the newest raw data. Returns its name, and whether it changed.
pub fn rewrite() -> Result<(&'static str, bool)> {
    replace(DOCUMENT, &made()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_agrees_with_the_raw_data() {
        let old = fs::read_to_string(repository().join(DOCUMENT)).expect("readable");
        let new = made().expect("readable raw data, and known markers");
        let again = "run `cargo run -p brawn-bench -- readme`";
        assert!(old == new, "{DOCUMENT} is out of date: {again}");
        for name in ["said", "table"] {
            let marker = format!("<!-- limit:{name} -->");
            assert_eq!(old.matches(&marker).count(), 1, "{name}");
        }
    }
}

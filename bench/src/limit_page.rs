//! The table of memory limits in docs/tuning.md.  `brawn-bench readme` writes it between `<!-- limit:NAME -->` and
//! `<!-- /limit:NAME -->`, and a test compares it with the raw data.

use crate::Result;
use crate::own::{Raw, limit};
use crate::readme::{fill_file, replace};

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
    fill_file(DOCUMENT, "limit", |name| match name {
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
    use crate::readme::assert_up_to_date;

    #[test]
    fn the_document_agrees_with_the_raw_data() {
        let made = made().expect("readable raw data, and known markers");
        assert_up_to_date(&[(DOCUMENT, made)], DOCUMENT, "limit", &["said", "table"]);
    }
}

//! Memory over time in docs/tuning.md: a figure, a table, and sentences. `brawn-bench readme` writes them between
//! `<!-- rss:NAME -->` and `<!-- /rss:NAME -->`, and a test compares them with the raw data.

use crate::Result;
use crate::own::Raw;
use crate::own::rss::{self, figure, words};
use crate::readme::{fill_file, replace_all};

/// Below the repository's directory.
pub const DOCUMENT: &str = "docs/tuning.md";
/// The figure, where the document shows it from.
const FIGURE: &str = "figures/rss.svg";
const MARKERS: [&str; 4] = ["said", "figure", "table", "more"];

fn said(path: &str, raw: &Raw) -> String {
    let machine = |key: &str| raw.machine.get(key).map_or("?", String::as_str);
    let rounds = match raw.rounds.len() {
        1 => "One round".to_owned(),
        count => format!("Medians of {count} rounds, below brawn's the interval,"),
    };
    format!(
        "{rounds} on {}, {} processors shared with other work, {}; `{path}` has\n\
         the figures of every run and the curves of the first round, and `brawn-bench rss` repeats it.\n",
        machine("cpu"),
        machine("processors"),
        raw.date,
    )
}

/// The document and the figure as the raw data have them: the paths below the repository's directory, and the text.
fn made() -> Result<[(&'static str, String); 2]> {
    let (from, raw) = Raw::newest("rss")?;
    let text = |name: &str| match name {
        "said" => Ok(said(&from, &raw)),
        "figure" => Ok(format!(
            "![{}]({FIGURE})\n",
            figure::usual_alternative(&raw)?
        )),
        "table" => Ok(rss::short(&raw).markdown()),
        "more" => Ok(words::later(&raw) + &words::pss(&raw) + &words::left_out(&raw, &from)),
        _ => Err(format!(
            "unknown marker rss:{name}; known: {}",
            MARKERS.join(", ")
        )),
    };
    Ok([
        (DOCUMENT, fill_file(DOCUMENT, "rss", text)?),
        ("docs/figures/rss.svg", figure::figure(&raw, &[], &[])?),
    ])
}

/// Rewrites the document and the figure from the newest raw data; for each its name, and whether it changed.
pub fn rewrite() -> Result<Vec<(&'static str, bool)>> {
    replace_all(&made()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readme::assert_up_to_date;

    #[test]
    fn document_and_figure_agree_with_the_raw_data() {
        let made = made().expect("readable raw data, and known markers");
        assert_up_to_date(&made, DOCUMENT, "rss", &MARKERS);
    }
}

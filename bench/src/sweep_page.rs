//! The sweep in docs/benchmarks.md: a figure, tables, and sentences. `brawn-bench readme` writes them between `<!-- sweep:NAME -->` and
//! `<!-- /sweep:NAME -->`, and a test compares them with the raw data.

use crate::Result;
use crate::own::Raw;
use crate::own::sweep::{figure, results, table, words};
use crate::readme::{fill_file, replace_all};

/// Below the repository's directory.
pub const DOCUMENT: &str = "docs/benchmarks.md";
/// The figure, where the document shows it from.
const FIGURE: &str = "figures/sweep.svg";
const MARKERS: [&str; 7] = [
    "missed", "said", "figure", "summary", "slowest", "peaks", "cliffs",
];
/// How many patterns each list of the page has at most.
const WORST: usize = 12;

/// The document and the figure as the raw data have them: the paths below the repository's directory, and the text.
fn made() -> Result<[(&'static str, String); 2]> {
    let (from, raw) = Raw::newest("sweep")?;
    let lines = results::lines(&raw);
    let heaps = results::heaps(&raw);
    let text = |name: &str| match name {
        "missed" => Ok(words::missed(&lines)),
        "said" => Ok(words::said(&raw, &lines, &from)),
        "figure" => Ok(format!(
            "![{}]({FIGURE})\n",
            figure::alternative(&raw, &lines)
        )),
        "summary" => Ok(table::summary(&raw, &lines).markdown()),
        "slowest" => Ok(table::slowest(&heaps, &lines, WORST).markdown()),
        "peaks" => Ok(table::peaks(&heaps, &lines, WORST).map_or_else(
            || "In no pattern is brawn's peak above the bar.\n".to_owned(),
            |table| table.markdown(),
        )),
        "cliffs" => Ok(table::steps(&heaps, &lines, WORST).map_or_else(
            || "No profile has a cliff.\n".to_owned(),
            |table| table.markdown(),
        )),
        _ => Err(format!(
            "unknown marker sweep:{name}; known: {}",
            MARKERS.join(", ")
        )),
    };
    Ok([
        (DOCUMENT, fill_file(DOCUMENT, "sweep", text)?),
        ("docs/figures/sweep.svg", figure::figure(&raw)?),
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
        assert_up_to_date(&made, DOCUMENT, "sweep", &MARKERS);
    }
}

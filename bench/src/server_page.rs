//! The servers in docs/benchmarks.md: tables, and sentences. `brawn-bench readme` writes them between `<!-- server:NAME -->` and
//! `<!-- /server:NAME -->`, and a test compares them with the raw data.

use crate::Result;
use crate::own::Raw;
use crate::own::server::table::{self, MOST_MEMORY, MOST_TIME};
use crate::readme::{fill_file, replace};
use crate::show;

/// Below the repository's directory.
pub const DOCUMENT: &str = "docs/benchmarks.md";
const MARKERS: [&str; 4] = ["missed", "said", "times", "memory"];

fn said(path: &str, raw: &Raw) -> String {
    let machine = |key: &str| raw.machine.get(key).map_or("?", String::as_str);
    let version = |key: &str| raw.versions.get(key).map_or("?", String::as_str);
    format!(
        "Medians of {} rounds on {}, {} processors shared with other work (load {:.0} to {:.0}), {}; axum {}, tower-http {}, miniz_oxide {};\n\
         {}. `{path}` has every sample, and\n`brawn-bench server` repeats it.\n",
        raw.rounds.len(),
        machine("cpu"),
        machine("processors"),
        raw.load[0],
        raw.load[1],
        raw.date,
        version("axum"),
        version("tower-http"),
        version("miniz_oxide"),
        version("nginx"),
    )
}

/// What the list of bars that are not met says.
fn missed(raw: &Raw) -> String {
    let mut parts = Vec::new();
    for (of_memory, what, bar) in [
        (false, "processor time of a request", MOST_TIME),
        (true, "memory 2 s after the load", MOST_MEMORY),
    ] {
        let (above, all, worst) = table::missed(raw, of_memory);
        if let Some((load, ratio)) = worst.filter(|_| above > 0) {
            parts.push(format!(
                "{what} against glibc in {above} of {all} loads (at worst {}: {load}), bar {bar:.1}x",
                show::ratio(ratio)
            ));
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(
            "- [Servers that compress](#servers): {}.\n",
            parts.join("; ")
        ),
    }
}

fn made() -> Result<String> {
    let (path, raw) = Raw::newest("server")?;
    fill_file(DOCUMENT, "server", |name| match name {
        "missed" => Ok(missed(&raw)),
        "said" => Ok(said(&path, &raw)),
        "times" => Ok(table::times(&raw).markdown()),
        "memory" => Ok(table::memory(&raw).markdown()),
        _ => Err(format!(
            "unknown marker server:{name}; known: {}",
            MARKERS.join(", ")
        )),
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
        let made = [(
            DOCUMENT,
            made().expect("readable raw data, and known markers"),
        )];
        assert_up_to_date(&made, DOCUMENT, "server", &MARKERS);
    }
}

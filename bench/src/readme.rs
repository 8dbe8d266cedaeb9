//! README's tables: what stands between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` comes from
//! the newest folder of raw data.

use crate::raw::Results;
use crate::variant::Variant;
use crate::{Result, bars, context, repository, tables};
use std::fs;
use std::path::{Path, PathBuf};

/// The tables by the names of their markers.
pub const NAMES: [&str; 12] = [
    "bars",
    "times",
    "memory",
    "programs",
    "machine",
    "profile-bars",
    "profile-times",
    "profile-memory",
    "rust-bars",
    "rust",
    "wasmtime-bars",
    "wasmtime",
];

fn text(results: &Results, name: &str) -> Option<String> {
    Some(match name {
        "bars" => bars::table(results).markdown(),
        "times" => tables::times(results).markdown(),
        "memory" => tables::memory(results).markdown(),
        "programs" => tables::programs(results, tables::PROGRAMS, &Variant::LIBCS).markdown(),
        "profile-bars" => bars::profiles(results).markdown(),
        "profile-times" => tables::profile_times(results).markdown(),
        "profile-memory" => tables::profile_memory(results).markdown(),
        "rust-bars" => bars::rust(results).markdown(),
        "rust" => tables::programs(results, tables::RUST, &Variant::RUST).markdown(),
        "wasmtime-bars" => bars::wasmtime_compile(results).markdown(),
        "wasmtime" => tables::programs(results, tables::WASMTIME, &Variant::LINKED).markdown(),
        "machine" => tables::machine(results),
        _ => return None,
    })
}

/// The newest folder of raw data: their names begin with the date.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let folders = entries.filter_map(|e| Some(e.ok()?.path()));
    folders.filter(|path| path.join("run.json").is_file()).max()
}

/// Where raw data is kept.
pub fn results_folder() -> PathBuf {
    repository().join("bench/results")
}

/// Puts the tables into a document: every marker must be known and closed.
pub fn fill(document: &str, results: &Results) -> Result<String> {
    let mut out = String::new();
    let mut rest = document;
    while let Some(at) = rest.find("<!-- bench:") {
        let (before, marked) = rest.split_at(at);
        let end = marked.find(" -->").ok_or("a marker that does not end")?;
        let name = &marked["<!-- bench:".len()..end];
        let table = text(results, name)
            .ok_or_else(|| format!("unknown marker bench:{name}; known: {}", NAMES.join(", ")))?;
        let close = format!("<!-- /bench:{name} -->");
        let closed = marked.find(&close).ok_or_else(|| format!("no {close}"))?;
        out += &format!("{before}<!-- bench:{name} -->\n{table}{close}");
        rest = &marked[closed + close.len()..];
    }
    Ok(out + rest)
}

/// Rewrites a document from the newest raw data; says whether it changed.
pub fn rewrite(document: &Path) -> Result<bool> {
    let folder = newest(&results_folder()).ok_or("no raw data in bench/results")?;
    let old = context(fs::read_to_string(document), "read", document)?;
    let new = fill(&old, &Results::read(&folder)?)?;
    if new != old {
        context(fs::write(document, &new), "write", document)?;
    }
    Ok(new != old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Run;
    use std::collections::BTreeMap;

    fn nothing() -> Results {
        let run = Run {
            format: 1,
            date: "2025-01-01".to_owned(),
            machine: BTreeMap::new(),
            versions: BTreeMap::new(),
            builds: Vec::new(),
        };
        Results {
            run,
            measurements: BTreeMap::new(),
        }
    }

    #[test]
    fn only_what_is_between_markers_changes() {
        let filled = fill(
            "a\n<!-- bench:bars -->\nold\n<!-- /bench:bars -->\nz\n",
            &nothing(),
        )
        .expect("known");
        assert!(
            filled.starts_with("a\n<!-- bench:bars -->\n| measure |"),
            "{filled}"
        );
        assert!(filled.ends_with("|\n<!-- /bench:bars -->\nz\n"), "{filled}");
        assert_eq!(
            fill(&filled, &nothing()).as_deref(),
            Ok(filled.as_str()),
            "the second time nothing changes"
        );
    }

    #[test]
    fn unknown_and_open_markers_are_errors() {
        assert!(fill("<!-- bench:nothing -->", &nothing()).is_err());
        assert!(fill("<!-- bench:bars -->", &nothing()).is_err());
    }

    /// README shows what the committed raw data gives.  Figures in it need raw data.
    #[test]
    fn readme_agrees_with_the_raw_data() {
        let document = repository().join("README.md");
        let text = fs::read_to_string(&document).unwrap_or_default();
        match newest(&results_folder()) {
            Some(folder) => {
                let results = Results::read(&folder).expect("readable raw data");
                let filled = fill(&text, &results).expect("markers");
                assert!(
                    filled == text,
                    "README.md is out of date: run `cargo run -p brawn-bench -- readme`"
                );
                assert!(
                    text.contains("<!-- bench:bars -->"),
                    "README.md has no table of the bars"
                );
            }
            // Tables wait empty for the first raw data: figures without it cannot be checked.
            None => {
                for name in NAMES {
                    let open = format!("<!-- bench:{name} -->\n");
                    let rest = text.split_once(&open).map(|(_, rest)| rest);
                    let empty =
                        rest.is_none_or(|r| r.starts_with(&format!("<!-- /bench:{name} -->")));
                    assert!(
                        empty,
                        "README.md has figures at bench:{name}, but bench/results has no raw data"
                    );
                }
            }
        }
    }
}

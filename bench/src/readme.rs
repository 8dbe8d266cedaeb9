//! Fills the tables of README, docs/benchmarks.md and docs/heap-profile.md: the text between `<!-- bench:NAME -->` and
//! `<!-- /bench:NAME -->`. Each table comes from the newest directory of raw data that has its measurements, since not every machine has
//! an hour to build wasmtime.

use crate::raw::Results;
use crate::show::Table;
use crate::tables::{self, Figure};
use crate::variant::Variant;
use crate::{Result, bars, context, heaps, repository, rule, traced};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands between two markers.
#[derive(Clone, Copy)]
pub enum Shown {
    /// A table of bars, by its name in `bars.txt`.
    Bars(&'static str),
    /// A table of workloads.
    Workloads(tables::Shape),
    /// A table of programs' figures.
    Programs(
        &'static [(&'static str, &'static [Figure])],
        &'static [Variant],
    ),
    /// Another table.
    Table(fn(&Results) -> Table),
    /// Sentences.
    Words(fn(&Results) -> String),
}

impl Shown {
    /// The table, unless it is sentences.
    pub fn table(self, results: &Results) -> Option<Table> {
        Some(match self {
            Self::Bars(name) => bars::table(results, name),
            Self::Workloads(shape) => tables::workloads(results, &shape),
            Self::Programs(figures, variants) => tables::programs(results, figures, variants),
            Self::Table(table) => table(results),
            Self::Words(_) => return None,
        })
    }

    fn text(self, results: &Results) -> String {
        match self {
            Self::Words(words) => words(results),
            table => table
                .table(results)
                .map_or_else(String::new, |table| table.markdown()),
        }
    }
}

/// All of them, by their names in the markers.
pub const SHOWN: [(&str, Shown); 23] = [
    ("bars", Shown::Bars("libcs")),
    ("times", Shown::Workloads(tables::TIMES)),
    ("memory", Shown::Workloads(tables::MEMORY)),
    (
        "programs",
        Shown::Programs(tables::PROGRAMS, &Variant::LIBCS),
    ),
    ("machine", Shown::Words(tables::machine)),
    ("profile-bars", Shown::Bars("profiles")),
    ("profile-times", Shown::Workloads(tables::PROFILE_TIMES)),
    ("profile-memory", Shown::Workloads(tables::PROFILE_MEMORY)),
    ("profile-machine", Shown::Words(tables::machine)),
    ("traced-times", Shown::Table(traced::times)),
    ("traced-memory", Shown::Table(traced::memory)),
    ("traced-said", Shown::Words(traced::said)),
    ("heaps-times", Shown::Table(heaps::times)),
    ("heaps-memory", Shown::Table(heaps::memory)),
    ("heaps-said", Shown::Words(heaps::said)),
    ("rust-bars", Shown::Bars("rust")),
    ("rust", Shown::Programs(tables::RUST, &Variant::RUST)),
    ("rust-machine", Shown::Words(tables::machine)),
    ("wasmtime-bars", Shown::Bars("linked")),
    (
        "wasmtime",
        Shown::Programs(tables::WASMTIME, &Variant::LINKED),
    ),
    ("wasmtime-machine", Shown::Words(tables::machine)),
    ("rule-said", Shown::Words(rule::said)),
    ("rule", Shown::Table(rule::broken)),
];

/// The documents with tables, below the repository's directory.
const DOCUMENTS: [&str; 3] = ["README.md", "docs/benchmarks.md", "docs/heap-profile.md"];

/// A measurement that is in every directory that has the rest of the table.
fn needs(name: &str) -> &'static str {
    match name.split('-').next() {
        Some("profile") => "profiles-threads-1",
        Some("traced") => "traced-threads-1",
        Some("heaps") => "heaps-server",
        Some("rust") => "rust-003",
        Some("wasmtime") => "wasmtime-parallel",
        _ => "threads-1",
    }
}

/// The directories of raw data, the newest first; their names begin with the date.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let folders = entries.filter_map(|e| Some(e.ok()?.path()));
    let mut folders: Vec<_> = folders
        .filter(|path| path.join("run.json").is_file())
        .collect();
    folders.sort_unstable_by(|a, b| b.cmp(a));
    folders
}

/// The newest directory of raw data.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    folders(folder).into_iter().next()
}

fn all() -> Result<Vec<Results>> {
    let folders = folders(&results_folder());
    folders.iter().map(|folder| Results::read(folder)).collect()
}

/// The results for a table: the newest of `all` that have its measurements.
fn chosen<'a>(all: &'a [Results], name: &str) -> Option<&'a Results> {
    let needed = needs(name);
    let has_it = all.iter().find(|r| r.measurements.contains_key(needed));
    has_it.or(all.first())
}

/// Where raw data is kept.
pub fn results_folder() -> PathBuf {
    repository().join("bench/results")
}

/// Puts the tables into a document. Every marker must be known and must have an end. `all` has the newest results
/// first.
pub fn fill(document: &str, all: &[Results]) -> Result<String> {
    fill_with(document, "bench", |name| {
        let results = chosen(all, name).ok_or("no raw data in bench/results")?;
        Ok(named("bench", &SHOWN, name)?.text(results))
    })
}

/// How wide a line of prose is at most.
const COLUMNS: usize = 120;

/// A line of a document, as several ones if it is prose that is wider than a page's. Code is not divided.
fn in_columns(line: &str) -> String {
    let is_prose = !line.starts_with(['|', '<', '!', '#']);
    if !is_prose || line.chars().count() <= COLUMNS {
        return format!("{line}\n");
    }
    let indent = if line.starts_with("- ") { "  " } else { "" };
    let (mut out, mut width, mut is_code) = (String::new(), 0, false);
    let words = line.split_inclusive(|c: char| {
        is_code ^= c == '`';
        c == ' ' && !is_code
    });
    for word in words {
        let word = word.trim_end_matches(' ');
        let columns = word.chars().count();
        // A dash there would begin a list.
        if width + 1 + columns > COLUMNS && word != "-" {
            out += &format!("\n{indent}{word}");
            width = indent.len() + columns;
        } else {
            let space = if width == 0 { "" } else { " " };
            out += &format!("{space}{word}");
            width += space.len() + columns;
        }
    }
    out + "\n"
}

/// What stands at the marker `name` of a kind.
pub(crate) fn named<'p, P>(kind: &str, parts: &'p [(&str, P)], name: &str) -> Result<&'p P> {
    let found = parts.iter().find(|(known, _)| *known == name);
    found.map(|(_, part)| part).ok_or_else(|| {
        let known: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        format!("unknown marker {kind}:{name}; known: {}", known.join(", "))
    })
}

/// Puts `text` of each name between the markers `<!-- KIND:NAME -->` and `<!-- /KIND:NAME -->`.
pub fn fill_with(
    document: &str,
    kind: &str,
    text: impl Fn(&str) -> Result<String>,
) -> Result<String> {
    let open = format!("<!-- {kind}:");
    let mut out = String::new();
    let mut rest = document;
    while let Some(at) = rest.find(&open) {
        let (before, marked) = rest.split_at(at);
        let end = marked.find(" -->").ok_or("a marker that does not end")?;
        let name = &marked[open.len()..end];
        let text: String = text(name)?.lines().map(in_columns).collect();
        let close = format!("<!-- /{kind}:{name} -->");
        let closed = marked.find(&close).ok_or_else(|| format!("no {close}"))?;
        out += &format!("{before}{open}{name} -->\n{text}{close}");
        rest = &marked[closed + close.len()..];
    }
    Ok(out + rest)
}

/// Rewrites the documents from the newest raw data. Returns each document's name, and whether it changed.
pub fn rewrite() -> Result<Vec<(String, bool)>> {
    let all = all()?;
    let mut changes = Vec::new();
    for name in DOCUMENTS {
        let document = repository().join(name);
        let old = context(fs::read_to_string(&document), "read", &document)?;
        changes.push((name.to_owned(), replace(name, &fill(&old, &all)?)?));
    }
    Ok(changes)
}

/// Writes a file of the repository if that is not what it has, and returns whether it changed.
pub(crate) fn replace(name: &str, new: &str) -> Result<bool> {
    let path = repository().join(name);
    let is_same = fs::read_to_string(&path).is_ok_and(|old| old == new);
    if !is_same {
        context(fs::write(&path, new), "write", &path)?;
    }
    Ok(!is_same)
}

#[cfg(test)]
mod tests;

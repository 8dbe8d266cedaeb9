//! Pages of the guide with figures of `brawn-bench`'s own measurements. `brawn-bench readme` writes each part between
//! `<!-- KIND:NAME -->` and `<!-- /KIND:NAME -->`, and a test compares it with the raw data.

mod edges;
mod libc;
mod limit;
mod rss;
mod server;
mod sweep;

use crate::own::Raw;
use crate::readme::{fill_with, named, replace};
use crate::{Result, context, repository};

/// The parts of one document that come from one kind of raw data.
struct Page {
    /// Below the repository's directory.
    document: &'static str,
    /// The kind, as `bench/results` and the markers have it.
    kind: &'static str,
    /// The text of each marker; the file's name comes first.
    parts: &'static [(&'static str, Part)],
    /// The figure of that kind in `docs/figures`.
    figure: Option<fn(&Raw) -> Result<String>>,
}

type Part = fn(&str, &Raw) -> Result<String>;

/// In the order in which they are rewritten.
const PAGES: [Page; 6] = [
    libc::PAGE,
    edges::PAGE,
    rss::PAGE,
    limit::PAGE,
    sweep::PAGE,
    server::PAGE,
];

impl Page {
    /// The files as the raw data have them: their paths below the repository's directory, and their texts.
    fn made(&self) -> Result<Vec<(String, String)>> {
        let (from, raw) = Raw::newest(self.kind)?;
        let part = |name: &str| named(self.kind, self.parts, name)?(&from, &raw);
        let path = repository().join(self.document);
        let old = context(std::fs::read_to_string(&path), "read", &path)?;
        let mut made = vec![(self.document.to_owned(), fill_with(&old, self.kind, part)?)];
        if let Some(figure) = self.figure {
            made.push((format!("docs/{}", figure_path(self.kind)), figure(&raw)?));
        }
        Ok(made)
    }
}

/// The figure of a kind, from where documents show it.
fn figure_path(kind: &str) -> String {
    format!("figures/{kind}.svg")
}

/// A figure in a document; `words` say the same.
fn shown(kind: &str, words: &str) -> String {
    format!("![{words}]({})\n", figure_path(kind))
}

/// Rewrites all pages and figures from the newest raw data; for each its name, and whether it changed.
pub fn rewrite() -> Result<Vec<(String, bool)>> {
    let mut changes = Vec::new();
    for page in &PAGES {
        for (name, new) in page.made()? {
            let is_changed = replace(&name, &new)?;
            changes.push((name, is_changed));
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests;

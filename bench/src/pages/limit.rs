//! The table of memory limits in docs/tuning.md.

use super::Page;
use crate::own::{Raw, limit};

pub const PAGE: Page = Page {
    document: "docs/tuning.md",
    kind: "limit",
    parts: &[
        ("said", |from, raw| Ok(said(from, raw))),
        ("table", |_, raw| Ok(limit::show(raw).markdown())),
    ],
    figure: None,
};

fn said(path: &str, raw: &Raw) -> String {
    let rounds = match raw.rounds.len() {
        1 => "One round".to_owned(),
        count => format!("Medians of {count} rounds"),
    };
    format!(
        "{rounds} on {}, {} processors shared with other work, {}. {}\n`{path}` has all figures, and\n`brawn-bench limit` repeats it.\n",
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
        raw.date,
        limit::limited_by(raw),
    )
}

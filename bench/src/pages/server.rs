//! The servers in docs/benchmarks.md: tables, and sentences.

use super::Page;
use crate::own::Raw;
use crate::own::server::table::{self, MOST_MEMORY, MOST_TIME};
use crate::show;

pub const PAGE: Page = Page {
    document: "docs/benchmarks.md",
    kind: "server",
    parts: &[
        ("missed", |_, raw| Ok(missed(raw))),
        ("said", |from, raw| Ok(said(from, raw))),
        ("times", |_, raw| Ok(table::times(raw).markdown())),
        ("memory", |_, raw| Ok(table::memory(raw).markdown())),
    ],
    figure: None,
};

fn said(path: &str, raw: &Raw) -> String {
    let version = |key: &str| raw.versions.get(key).map_or("?", String::as_str);
    format!(
        "Medians of {} rounds on {}, {} processors shared with other work (load {:.0} to {:.0}), {}; axum {}, tower-http {}, miniz_oxide {};\n\
         {}. `{path}` has every sample, and\n`brawn-bench server` repeats it.\n",
        raw.rounds.len(),
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
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

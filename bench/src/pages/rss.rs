//! Memory over time in docs/tuning.md: a figure, a table, and sentences.

use super::{Page, shown};
use crate::own::Raw;
use crate::own::rss::{self, figure, words};
use crate::rule;

pub const PAGE: Page = Page {
    document: "docs/tuning.md",
    kind: "rss",
    parts: &[
        ("said", |from, raw| Ok(said(from, raw))),
        ("figure", |_, raw| {
            Ok(shown("rss", &figure::usual_alternative(raw)?))
        }),
        ("table", |_, raw| Ok(rss::short(raw).markdown())),
        ("rule", |_, raw| {
            let rows = rss::ruled(raw);
            Ok(rule::words(&rows) + "\n" + &rule::table(&rows).markdown())
        }),
        ("more", |from, raw| {
            Ok(words::later(raw) + &words::pss(raw) + &words::left_out(raw, from))
        }),
    ],
    figure: Some(|raw| figure::figure(raw, &[], &[])),
};

fn said(path: &str, raw: &Raw) -> String {
    let rounds = match raw.rounds.len() {
        1 => "One round".to_owned(),
        count => format!("Medians of {count} rounds, below brawn's the interval,"),
    };
    format!(
        "{rounds} on {}, {} processors shared with other work, {}; `{path}` has\n\
         the figures of every run and the curves of the first round, and `brawn-bench rss` repeats it.\n",
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
        raw.date,
    )
}

//! What pages say in passing: commands within text, and figures of the README's.

use super::{pages, root};
use crate::common::{brawn_path, ok};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};

/// Commands in text, such as `brawn patch --rust`, with their lines.
fn commands(text: &str) -> Vec<(usize, String)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let codes = events.filter_map(|(event, range)| match event {
        Event::Code(code) if code.starts_with("brawn ") => Some((
            text[..range.start].matches('\n').count() + 1,
            code.into_string(),
        )),
        _ => None,
    });
    codes.collect()
}

/// Every option that a subcommand's help has.
fn options(subcommand: &str) -> BTreeSet<String> {
    let help = ok(brawn_path(), &[subcommand, "--help"]);
    // Examples have other programs' options, too.
    let own = help.split("\nExamples:\n").next().expect("split gives one");
    let words = own.split(|c: char| c.is_whitespace() || "[]=,`<>.;()".contains(c));
    words
        .filter(|w| w.starts_with('-'))
        .map(Into::into)
        .collect()
}

#[test]
fn commands_within_text_are_brawns() {
    let help = ok(brawn_path(), &["--help"]);
    let list = help
        .split("Commands:\n")
        .nth(1)
        .expect("a list of commands");
    let lines = list.lines().take_while(|l| !l.is_empty());
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let known: BTreeMap<&str, BTreeSet<String>> = names
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(|name| (name, options(name)))
        .collect();
    assert!(known["patch"].contains("--rust") && known["patch"].contains("-o"));
    let (mut wrong, mut count) = (String::new(), 0);
    for (name, text) in pages() {
        for (line, command) in commands(&text) {
            count += 1;
            let words = command.split_whitespace().skip(1);
            let mut words = words.take_while(|w| *w != "--");
            let first = words.next().unwrap_or_default();
            if first.starts_with('-') {
                continue;
            }
            let Some(options) = known.get(first) else {
                wrong += &format!("{name}:{line}: `{command}`: there is no `brawn {first}`\n");
                continue;
            };
            // Behind these stand another program's.
            let own =
                words.take_while(|w| w.starts_with('-') || !["cargo", "run"].contains(&first));
            for option in own.filter(|w| w.starts_with('-') && w.len() > 1) {
                let option = option.split('=').next().expect("split gives one");
                if !options.contains(option.trim_end_matches('…')) {
                    wrong += &format!("{name}:{line}: `{command}`: there is no {option}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > 50, "only {count} commands were found");
}

/// Figures in the tables of a page: `1.26x`, `19.6 ns`.
fn figures(text: &str) -> Vec<String> {
    let mut cell = String::new();
    let (mut inside, mut all) = (false, Vec::new());
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableCell) => inside = true,
            Event::End(TagEnd::TableCell) => {
                inside = false;
                let words: Vec<&str> = cell.split([' ', '\u{a0}']).collect();
                for (n, word) in words.iter().enumerate() {
                    let word = word.trim_matches([',', ';', '+', '(', ')']);
                    let number = word.trim_end_matches('x');
                    let unit = words.get(n + 1).map(|u| u.trim_matches([',', ';', ')']));
                    let unit = unit.filter(|u| ["ns", "µs", "ms", "s", "KiB", "MiB"].contains(u));
                    if number.parse::<f64>().is_err() {
                        continue;
                    }
                    if word.len() > number.len() {
                        all.push(word.into());
                    } else if let Some(unit) = unit {
                        all.push(format!("{word} {unit}"));
                    }
                }
                cell.clear();
            }
            Event::Text(part) | Event::Code(part) if inside => cell.push_str(&part),
            _ => {}
        }
    }
    all
}

/// The tables of README.md and docs/benchmarks.md are made anew from measurements: what pages took from them has to
/// follow.
#[test]
fn figures_in_tables_are_the_benchmarks() {
    let read = |name| std::fs::read_to_string(root().join(name)).expect("readable");
    let measured = (read("README.md") + &read("docs/benchmarks.md")).replace('\u{a0}', " ");
    for (page, least) in [("introduction", 20), ("tuning", 10)] {
        let text =
            std::fs::read_to_string(root().join(format!("docs/{page}.md"))).expect("readable");
        // Some tables are made from raw data of their own (bench/src/pages/rss.rs, limit.rs).
        let without = |text: String, table: &str| {
            let (begin, end) = (format!("<!-- {table} -->"), format!("<!-- /{table} -->"));
            let parts = text.split_once(&begin);
            let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
            parts.map_or(text.clone(), |(before, behind)| format!("{before}{behind}"))
        };
        let own = ["rss:table", "rss:rule", "limit:table"]
            .into_iter()
            .fold(text, without);
        let figures = figures(&own);
        assert!(figures.len() >= least, "{page}: {figures:?}");
        for figure in figures {
            assert!(
                measured.contains(&figure),
                "docs/{page}.md has {figure}, README.md and docs/benchmarks.md have not"
            );
        }
    }
}

#[test]
fn commands_and_figures_are_found() {
    let text =
        "`brawn a --b`\n\n| x |\n|---|\n| 1.5x of 3, +19.6 ns; 8 threads (64 KiB) `2 MiB` |\n";
    assert_eq!(commands(text), [(1, "brawn a --b".to_owned())]);
    assert_eq!(figures(text), ["1.5x", "19.6 ns", "64 KiB", "2 MiB"]);
}

use super::*;
use crate::raw::Measurement;

/// Tables that are not in these documents.
const NOT_SHOWN: [&str; 1] = ["programs"];

fn nothing() -> [Results; 1] {
    [of("2025-01-01", &[])]
}

fn of(date: &str, measurements: &[&str]) -> Results {
    Results::of(date, measurements.iter().map(|id| Measurement::empty(id)))
}

#[test]
fn a_table_is_of_the_newest_folder_that_has_it() {
    let all = [
        of("2025-01-03", &["rust-003"]),
        of("2025-01-02", &["threads-1", "profiles-threads-1"]),
        of("2025-01-01", &["threads-1", "wasmtime-parallel"]),
    ];
    let date = |name: &str| chosen(&all, name).map(|results| results.run.date.as_str());
    assert_eq!(date("rust-bars"), Some("2025-01-03"));
    assert_eq!(date("bars"), Some("2025-01-02"));
    assert_eq!(date("profile-machine"), Some("2025-01-02"));
    assert_eq!(date("wasmtime"), Some("2025-01-01"));
    assert!(chosen(&[], "bars").is_none());
}

/// All documents joined together.
fn documents() -> String {
    let text = |name: &&str| fs::read_to_string(repository().join(name)).expect("readable");
    DOCUMENTS.iter().map(text).collect()
}

/// Tables with figures of another machine than the first tables must say so.
#[test]
fn every_machine_is_named() {
    let text = documents();
    let all = all().expect("readable raw data");
    let folder = |name: &str| chosen(&all, name).map(|r| (&r.run.machine, &r.run.date));
    let names = SHOWN.iter().map(|(name, _)| *name);
    for name in names.filter(|name| name.ends_with("-machine")) {
        let is_named = text.contains(&format!("<!-- bench:{name} -->"));
        assert_eq!(is_named, folder(name) != folder("machine"), "{name}");
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
fn prose_is_as_wide_as_a_page() {
    let of = |line: &str| in_columns(line);
    assert_eq!(of("short"), "short\n");
    let row = format!("| {} |", "word ".repeat(40));
    assert_eq!(of(&row), format!("{row}\n"));
    let code = format!("`{}`", "c ".repeat(20));
    let item = format!("- {}{code} end", "word ".repeat(20));
    let first = format!("- {}", "word ".repeat(20));
    assert_eq!(of(&item), format!("{}\n  {code} end\n", first.trim_end()));
    for line in of(&"word ".repeat(99)).lines() {
        assert!(line.chars().count() <= COLUMNS, "{line}");
    }
}

#[test]
fn unknown_and_open_markers_are_errors() {
    assert!(fill("<!-- bench:nothing -->", &nothing()).is_err());
    assert!(fill("<!-- bench:bars -->", &nothing()).is_err());
}

/// The documents must show the figures of the committed raw data.
#[test]
fn documents_agree_with_the_raw_data() {
    let text = documents();
    let filled = fill(&text, &all().expect("readable raw data")).expect("markers");
    assert!(
        filled == text,
        "{DOCUMENTS:?} are out of date: run `cargo run -p brawn-bench -- readme`"
    );
    // Whether a table says its machine depends on the machine: every_machine_is_named.
    let always = |name: &&str| !NOT_SHOWN.contains(name) && !name.ends_with("-machine");
    for name in SHOWN.iter().map(|(name, _)| *name).filter(always) {
        let marker = format!("<!-- bench:{name} -->");
        assert_eq!(text.matches(&marker).count(), 1, "{marker}");
    }
}

/// README shows bars that are not met, or sends its readers to the top of a page that names them.
#[test]
fn bars_that_are_not_met_are_named_first() {
    let read = |name: &str| fs::read_to_string(repository().join(name)).expect("readable");
    let (first, page) = (read("README.md"), read("docs/benchmarks.md"));
    let (top, tables) = page.split_once("\n## ").expect("a heading");
    // Wherever a line ends.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (first, top) = (words(&first), words(top));
    let missed = |text: &str| {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        rows.filter(|row| row.contains(": not met"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let elsewhere = missed(tables);
    for row in &elsewhere {
        // As in `| secure: malloc+free of 1–1000 B, …`.
        let what = row.trim_start_matches("| ").split([':', ',', '|']).next();
        let what = what.unwrap_or_default().trim();
        assert!(top.contains(what), "the top does not name {what}: {row}");
    }
    let is_said = first.contains("names the bars that brawn does not meet");
    assert!(is_said || elsewhere.is_empty(), "{elsewhere:?}");
}

/// The figures in the first sentences of README must be in its table of bars.
#[test]
fn the_headline_is_of_the_table() {
    let text = fs::read_to_string(repository().join("README.md")).expect("readable");
    let (head, rest) = text.split_once("\n## ").expect("a heading");
    let row = rest
        .lines()
        .find(|line| line.starts_with("| the same, 2 threads |"))
        .expect("the row of two threads");
    let figures = head
        .split(|c: char| c.is_whitespace() || c == ',')
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.ends_with('x') && word.starts_with(|c: char| c.is_ascii_digit()));
    let figures: Vec<&str> = figures.collect();
    assert_eq!(figures.len(), 2, "{figures:?}");
    for figure in figures {
        assert!(row.contains(figure), "{figure} is not in: {row}");
    }
}

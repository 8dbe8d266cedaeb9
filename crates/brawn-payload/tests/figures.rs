//! Every memory function has its figure in `docs/memory-functions.md`, drawn from the raw data that is here: a figure
//! names the SHA-256 of what it was drawn from (`bench/memory/plot.py`).

mod common;

use common::root;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = "docs/memory-functions.md";
const FIGURES: &str = "docs/figures/memory";
const DATA: &str = "bench/results/memory";

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a directory with this ending, without it.
fn files(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    entries
        .map(|entry| entry.expect("an entry").file_name())
        .filter_map(|name| Some(name.to_str()?.strip_suffix(ending)?.to_owned()))
        .collect()
}

/// What programs call: not musl's internal names.
fn functions() -> BTreeSet<String> {
    let memory = brawn_payload::payloads().iter().filter_map(|p| p.memory);
    memory
        .flat_map(|memory| memory.functions)
        .flat_map(|function| function.surface)
        .filter(|name| !name.starts_with('_'))
        .map(|&name| name.to_owned())
        .collect()
}

#[test]
fn every_function_has_its_figure_and_a_line_about_it() {
    let functions = functions();
    assert!(functions.contains("memcpy"), "{functions:?}");
    let mut expected = functions.clone();
    expected.insert("overview".to_owned());
    assert_eq!(files(FIGURES, ".svg"), expected, "{FIGURES}");

    let page = text(PAGE);
    for name in &expected {
        let image = format!("](figures/memory/{name}.svg)");
        assert!(page.contains(&image), "{PAGE} does not show {name}.svg");
    }
    for name in &functions {
        let line = format!("\n`{name}`: ");
        assert!(page.contains(&line), "{PAGE} says nothing of {name}");
    }
    for (document, link) in [
        ("README.md", "](docs/figures/run.svg)"),
        ("README.md", "docs/memory-functions.md"),
        ("payload/memory/README.md", "docs/memory-functions.md"),
    ] {
        assert!(text(document).contains(link), "{document} has no {link}");
    }
}

#[test]
fn the_figures_are_of_the_raw_data() {
    let newest = files(DATA, ".tsv").pop_last().expect("raw data");
    let bytes = fs::read(root().join(format!("{DATA}/{newest}.tsv"))).expect("readable raw data");
    let digest: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let source = format!("<dc:source>{newest}.tsv sha256:{digest}</dc:source>");
    for name in files(FIGURES, ".svg") {
        let path = format!("{FIGURES}/{name}.svg");
        assert!(
            text(&path).contains(&source),
            "{path} was not drawn from {newest}.tsv as it is: run `make figures`"
        );
    }
}

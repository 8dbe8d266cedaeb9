//! What is a page of the book: `tests/packaging/book.rs` has it made.

use super::{pages, root};

#[test]
fn every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("readable");
    for (name, _) in pages() {
        let Some(name) = name.strip_prefix("docs/") else {
            continue;
        };
        let times = summary.matches(&format!("]({name})")).count();
        assert!(
            name == "SUMMARY.md" || times == 1,
            "SUMMARY.md has {name} {times} times"
        );
    }
}

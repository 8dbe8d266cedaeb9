use super::*;

fn table() -> Table {
    Table {
        header: vec!["what".into(), "stock".into()],
        rows: vec![
            Row::Heading("first".into()),
            Row::Cells(vec!["time".into(), Cell::new("1 µs", Tone::Good)]),
        ],
    }
}

#[test]
fn lines_of_a_terminal_table_are_equally_wide() {
    let plain = anstream::adapter::strip_str(&table().terminal()).to_string();
    let widths: Vec<usize> = plain.lines().map(|l| l.chars().count()).collect();
    assert!(widths.windows(2).all(|w| w[0] == w[1]), "{plain}");
}

#[test]
fn long_text_is_broken_at_spaces() {
    assert_eq!(wrap("  a bc def", 5), ["  a", "bc", "def"]);
    assert_eq!(wrap("a bc def", 8), ["a bc def"]);
    assert_eq!(wrap("", 5), [""]);
}

#[test]
fn markdown_has_a_rule_and_bold_headings() {
    assert_eq!(
        table().markdown(),
        "| what | stock |\n| --- | ---: |\n| **first** |  |\n| time | 1\u{a0}µs |\n"
    );
}

#[test]
fn in_markdown_an_interval_stands_below_its_figure() {
    let cells: Vec<Cell> = vec![
        "run of a (short) program".into(),
        "0.5x (0.4x … 0.6x)".into(),
    ];
    let texts: Vec<String> = unbroken(&cells).into_iter().map(|c| c.text).collect();
    assert_eq!(
        texts,
        [
            "run of a (short) program",
            "0.5x<br>(0.4x\u{a0}…\u{a0}0.6x)"
        ]
    );
}

#[test]
fn lines_are_broken_at_blanks_and_long_words_stay_whole() {
    let text = "  one two  three, four five";
    assert_eq!(folded(text, 2, None), text);
    assert_eq!(folded(text, 2, Some(80)), text);
    assert_eq!(folded(text, 3, Some(23)), "  one two  three,\n   four five");
    let path = "/a/path/that/is/longer/than/a/line";
    assert_eq!(folded(path, 1, Some(21)), path);
    let kept = format!("kept in {path} and here");
    let expected = format!("kept in\n {path}\n and here");
    assert_eq!(folded(&kept, 1, Some(21)), expected);
}

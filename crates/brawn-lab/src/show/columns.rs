//! Tables without lines between the cells: aligned columns, and details below each line.

use super::table::folded;
use anstyle::Style;
use brawn_core::shown;
use std::fmt::Write as _;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// One line of a table.
#[derive(Debug, Default)]
pub struct Row {
    /// The columns.
    pub cells: Vec<String>,
    /// How the first one is printed.
    pub style: Style,
    /// Lines below it.
    pub details: Vec<String>,
}

impl<const N: usize> From<[String; N]> for Row {
    fn from(cells: [String; N]) -> Self {
        let cells = cells.into();
        Self {
            cells,
            ..Self::default()
        }
    }
}

/// `rows` below `head`.  The last column is not padded; it may contain long paths. Details fit into `width`.
pub fn columns(
    head: impl IntoIterator<Item = impl Into<String>>,
    rows: &[Row],
    width: Option<usize>,
) -> String {
    // Names come from files, and may contain anything.
    let safe = |text: &String| shown::line(text).to_string();
    let head: Vec<String> = head.into_iter().map(Into::into).collect();
    let cells = rows.iter().map(|row| row.cells.iter().map(safe).collect());
    let cells: Vec<Vec<String>> = cells.collect();
    let longest = |column: usize| {
        let all = cells
            .iter()
            .chain([&head])
            .filter_map(|row| row.get(column));
        all.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(longest).collect();
    let line = |text: &mut String, cells: &[String], first: Style, rest: Style| {
        for (number, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let style = if number == 0 { first } else { rest };
            let width = if number + 1 == cells.len() { 0 } else { *width };
            let gap = if number == 0 { "" } else { "  " };
            // A String takes everything.
            let _ = write!(text, "{gap}{style}{cell:<width$}{style:#}");
        }
        text.push('\n');
    };
    let mut text = String::new();
    line(&mut text, &head, BOLD, BOLD);
    for (row, cells) in rows.iter().zip(&cells) {
        line(&mut text, cells, row.style, Style::new());
        for detail in &row.details {
            let detail = folded(&safe(detail), widths[0] + 2, width);
            let _ = writeln!(text, "{:1$}  {DIM}{detail}{DIM:#}", "", widths[0]);
        }
    }
    text
}

//! Tables for people: aligned columns, and details below each line.

use crate::ui;
use anstyle::Style;
use brawn_core::shown;
use std::fmt::Write as _;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// One line of a table.
#[derive(Debug)]
pub struct Row<const N: usize> {
    /// The columns.
    pub cells: [String; N],
    /// How the first one is printed.
    pub style: Style,
    /// Lines below it.
    pub details: Vec<String>,
}

/// `rows` below `head`.  The last column is not padded; it may contain long paths.
pub fn table<const N: usize>(head: [&str; N], rows: &[Row<N>]) -> String {
    let mut widths = head.map(str::len);
    // Names come from files, and may contain anything.
    let safe = |text: &String| shown::line(text).to_string();
    let cells: Vec<[String; N]> = rows
        .iter()
        .map(|row| row.cells.each_ref().map(safe))
        .collect();
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |text: &mut String, cells: &[String], first: Style, rest: Style| {
        for (number, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let style = if number == 0 { first } else { rest };
            let width = if number + 1 == cells.len() { 0 } else { width };
            let gap = if number == 0 { "" } else { "  " };
            // A String takes everything.
            let _ = write!(text, "{gap}{style}{cell:<width$}{style:#}");
        }
        text.push('\n');
    };
    let mut text = String::new();
    line(&mut text, &head.map(String::from), BOLD, BOLD);
    for (row, cells) in rows.iter().zip(&cells) {
        line(&mut text, cells, row.style, Style::new());
        for detail in &row.details {
            let detail = ui::folded(&safe(detail), widths[0] + 2, ui::width());
            let _ = writeln!(text, "{:1$}  {DIM}{detail}{DIM:#}", "", widths[0]);
        }
    }
    text
}

//! Tables for people: on a terminal, and as Markdown.

use anstyle::{AnsiColor, Style};

/// How a cell is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// An ordinary figure.
    #[default]
    Plain,
    /// The figure that the table is about, or a good figure.
    Good,
    /// A figure that is not good enough.
    Bad,
    /// A figure of little interest.
    Faint,
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// How it is shown.
    pub tone: Tone,
}

impl Cell {
    /// A cell with that tone.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }

    /// That cell; a dash if there is none.
    pub fn or_dash(cell: Option<impl Into<Self>>) -> Self {
        cell.map_or_else(|| Self::new("–", Tone::Faint), Into::into)
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A heading over the lines that follow.
    Heading(String),
    /// Cells, as many as the table's header has.
    Cells(Vec<Cell>),
}

/// A table; its first column is text, the others are figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns' names.
    pub header: Vec<Cell>,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table of these lines.
    pub fn new(
        header: impl IntoIterator<Item = impl Into<Cell>>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        let rows = rows.into_iter().collect();
        Self { header, rows }
    }

    /// Markdown for GitHub. Figures are not broken into lines, except that an interval goes below its figure:
    /// otherwise the widest table would fill a screen with lines of two words.
    pub fn markdown(&self) -> String {
        let line = |cells: &[Cell]| {
            let cells: Vec<String> = cells.iter().map(|c| c.text.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut out = line(&self.header);
        let rule: Vec<&str> = (0..self.header.len())
            .map(|i| if i == 0 { "---" } else { "---:" })
            .collect();
        out += &format!("| {} |\n", rule.join(" | "));
        for row in &self.rows {
            out += &match row {
                Row::Heading(text) => {
                    let mut cells = vec![Cell::from(format!("**{text}**"))];
                    cells.resize(self.header.len(), Cell::default());
                    line(&cells)
                }
                Row::Cells(cells) => line(&unbroken(cells)),
            };
        }
        out
    }

    /// A table with lines and colours. Printing through `anstream` removes what a terminal cannot show.
    pub fn terminal(&self) -> String {
        let widths = self.widths();
        let faint = Style::new().dimmed();
        let rule = |left: &str, middle: &str, right: &str| {
            let parts: Vec<String> = widths.iter().map(|w| "─".repeat(w + 2)).collect();
            format!("{faint}{left}{}{right}{faint:#}\n", parts.join(middle))
        };
        let bar = format!("{faint}│{faint:#}");
        let whole = widths.iter().sum::<usize>() + 3 * widths.len() - 3;
        let mut out = rule("╭", "┬", "╮") + &lines(&self.header, &widths, &bar, true);
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Heading(text) => {
                    let bold = Style::new().bold();
                    let gap = " ".repeat(whole.saturating_sub(text.chars().count()));
                    out += &rule("├", "┴", "┤");
                    out += &format!("{bar} {bold}{text}{bold:#}{gap} {bar}\n");
                    out += &rule("├", "┬", "┤");
                }
                Row::Cells(cells) => {
                    if i == 0 {
                        out += &rule("├", "┼", "┤");
                    }
                    out += &lines(cells, &widths, &bar, false);
                }
            }
        }
        out + &rule("╰", "┴", "╯")
    }

    /// The widths of the columns. Figures are never broken; the first column's text and the header are.
    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.header.len()];
        let cells = self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(cells),
            Row::Heading(_) => None,
        });
        for cells in cells {
            for (i, (width, cell)) in widths.iter_mut().zip(cells).enumerate() {
                let most = if i == 0 { FIRST_COLUMN } else { usize::MAX };
                *width = (*width).max(longest(&wrap(&cell.text, most)));
            }
        }
        for (width, cell) in widths.iter_mut().zip(&self.header) {
            *width = (*width).max(longest(&wrap(&cell.text, (*width).max(HEADER))));
        }
        widths
    }
}

/// The width at which the text of the first column is broken.
const FIRST_COLUMN: usize = 46;

/// The width at which a header is broken if its figures are narrower.
const HEADER: usize = 10;

/// The lines of one row on a terminal.
fn lines(cells: &[Cell], widths: &[usize], bar: &str, bold: bool) -> String {
    let wrapped: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(c, w)| wrap(&c.text, *w))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
    let mut out = String::new();
    for line in 0..height {
        out += bar;
        for (i, (cell, &width)) in cells.iter().zip(widths).enumerate() {
            let text = wrapped[i].get(line).map_or("", String::as_str);
            let style = if bold {
                style(cell.tone).bold()
            } else {
                style(cell.tone)
            };
            let gap = " ".repeat(width - text.chars().count());
            let (before, after) = if i == 0 {
                ("", gap.as_str())
            } else {
                (gap.as_str(), "")
            };
            out += &format!(" {before}{style}{text}{style:#}{after} {bar}");
        }
        out.push('\n');
    }
    out
}

fn longest(lines: &[String]) -> usize {
    lines.iter().map(|l| l.chars().count()).max().unwrap_or(0)
}

/// Breaks text at its spaces. The first line keeps its indent, and no word is broken.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut has_word) = (vec![String::new()], false);
    for word in text.split_inclusive(' ') {
        let line = lines.last_mut().expect("begins with one line");
        if has_word && line.chars().count() + word.trim_end().chars().count() > width {
            line.truncate(line.trim_end().len());
            lines.push(word.to_owned());
            has_word = false;
        } else {
            line.push_str(word);
        }
        has_word |= !word.trim_end().is_empty();
    }
    lines
}

/// `text` from column `indent` on, in lines of `width` columns that are broken at blanks and begin in that
/// column.  A word that is longer, such as a path, stays whole; without a width all is one line.
pub fn folded(text: &str, indent: usize, width: Option<usize>) -> String {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20));
    wrap(text, room).join(&format!("\n{:indent$}", ""))
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Good => AnsiColor::Green.on_default().bold(),
        Tone::Bad => AnsiColor::Red.on_default(),
        Tone::Faint => Style::new().dimmed(),
    }
}

/// The cells of a line; spaces in figures become spaces at which lines cannot break.
fn unbroken(cells: &[Cell]) -> Vec<Cell> {
    let figure = |cell: &Cell| {
        // A bar is text as well as a figure.
        if cell.text.starts_with(['≤', '≥']) {
            return Cell::new(cell.text.replacen(' ', "\u{a0}", 1), cell.tone);
        }
        let text = cell.text.replace(" (", "<br>(").replace(' ', "\u{a0}");
        Cell::new(text, cell.tone)
    };
    cells
        .iter()
        .take(1)
        .cloned()
        .chain(cells.iter().skip(1).map(figure))
        .collect()
}

#[cfg(test)]
mod tests;

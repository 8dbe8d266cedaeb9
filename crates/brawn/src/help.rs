//! The end of each `--help`: examples, exit codes, and the address of the guide.

use crate::exit;
use clap::builder::styling::{AnsiColor, Styles};
use std::fmt::Write as _;

/// Of every help text.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Commands, each with what it does, below the name of the subcommand whose help has them; `[]` is brawn's own.
const EXAMPLES: &str = include_str!("examples.txt");

/// The examples of `subcommand`'s help, each with what it does; `""` is brawn's own.
pub fn examples(subcommand: &str) -> Vec<(&'static str, &'static str)> {
    let head = format!("[{subcommand}]\n");
    let mut all = EXAMPLES.split("\n\n");
    let lines = all.find_map(|part| part.strip_prefix(&head)).unwrap_or("");
    let pair = |line: &'static str| match line.split_once("  # ") {
        Some((line, what)) => (line.trim_end(), what),
        None => (line, ""),
    };
    lines.lines().map(pair).collect()
}

/// Where the guide is.
pub fn guide() -> &'static str {
    concat!(env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs")
}

/// The text below the options of `subcommand`'s help; `""` is brawn's own.
pub fn after(subcommand: &str) -> String {
    let heading = STYLES.get_header();
    let mut text = format!("{heading}Examples:{heading:#}\n");
    let examples = examples(subcommand);
    let explained = examples.iter().filter(|(_, what)| !what.is_empty());
    let width = explained.map(|(line, _)| line.chars().count()).max();
    for (line, what) in &examples {
        // To write to a String cannot fail.
        let _ = match what.is_empty() {
            true => writeln!(text, "  {line}"),
            false => writeln!(text, "  {line:0$}  # {what}", width.unwrap_or_default()),
        };
    }
    let _ = write!(
        text,
        "\n{heading}Exit codes:{heading:#}\n{}",
        exit::table(subcommand)
    );
    if subcommand.is_empty() {
        let _ = write!(text, "\n\nThe guide: {}", guide());
    }
    text
}

#[cfg(test)]
mod tests;

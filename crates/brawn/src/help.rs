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
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::{CommandFactory as _, Parser as _};

    /// The subcommands that have examples.
    fn names() -> impl Iterator<Item = &'static str> {
        let heads = EXAMPLES.lines().filter_map(|line| line.strip_prefix('['));
        heads.filter_map(|line| line.strip_suffix(']'))
    }

    #[test]
    fn every_subcommand_has_examples_that_can_be_typed() {
        let command = Cli::command();
        let subcommands = command.get_subcommands().map(|c| c.get_name().to_owned());
        let mut expected: Vec<String> = subcommands.chain([String::new()]).collect();
        let mut listed: Vec<String> = names().map(str::to_owned).collect();
        // Those of subcommands may have examples, under the names of their pages.
        for above in command.get_subcommands() {
            let name = |below: &clap::Command| format!("{}-{}", above.get_name(), below.get_name());
            let below = above.get_subcommands().map(name);
            expected.extend(below.filter(|name| listed.contains(name)));
        }
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
        for of in names() {
            for (line, _) in examples(of) {
                let from = line.find("brawn ").expect("brawn is in it");
                let own = line[from..]
                    .split([')', '|', '>'])
                    .next()
                    .expect("split gives one");
                let is_its = |of: &str| own[6..].starts_with(of);
                let is_its = is_its(of) || is_its(&of.replacen('-', " ", 1));
                assert!(is_its, "{line}: in the help of {of}");
                let words = shell_words::split(own).expect("quoted as a shell reads it");
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{line}: {error}");
                }
            }
        }
    }

    #[test]
    fn examples_and_exit_codes_fit_into_80_columns() {
        for of in names() {
            for line in anstream::adapter::strip_str(&after(of)).to_string().lines() {
                assert!(line.chars().count() <= 80, "{of}: {line}");
                let is_heading = line.ends_with(':') || line.starts_with("The guide: ");
                assert!(
                    line.is_empty() || is_heading || line.starts_with("  "),
                    "{of}: {line}"
                );
            }
        }
    }
}

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

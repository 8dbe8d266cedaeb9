use super::Cli;
use clap::{Arg, Command, CommandFactory as _};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

/// Every way to type an option: each of its names, with and without a value.
fn typed(option: &Arg) -> Vec<Vec<OsString>> {
    let long = option.get_long_and_visible_aliases().unwrap_or_default();
    let short = option.get_short_and_visible_aliases().unwrap_or_default();
    let long = long.iter().map(|name| (format!("--{name}"), "="));
    let short = short.iter().map(|name| (format!("-{name}"), ""));
    let mut all = Vec::new();
    for (name, between) in long.chain(short) {
        all.push(vec![name.clone().into(), "2".into()]);
        all.push(vec![format!("{name}{between}2").into()]);
        all.push(vec![name.into()]);
    }
    all
}

/// What the argument `id` gets of `words`, if `begin` is the command line in front of them.
fn passed(begin: &[&str], id: &str, words: &[OsString]) -> Option<Vec<OsString>> {
    let line = begin.iter().map(OsString::from);
    let parsed = Cli::command().try_get_matches_from(line.chain(words.iter().cloned()));
    let (_, of_it) = parsed.as_ref().ok()?.subcommand()?;
    Some(of_it.get_raw(id)?.map(Into::into).collect())
}

/// Holds that a program gets everything that stands behind its name: each option of the command, in every form,
/// and words that mean something to brawn, to a shell or to nobody.
fn passes_everything_on(command: &Command, begin: &[&str], program: &[&str]) {
    let id = command.get_positionals().last().expect("one").get_id();
    let mut all: Vec<Vec<OsString>> = command.get_arguments().flat_map(typed).collect();
    for word in [
        "--help",
        "-h",
        "--version",
        "-V",
        "--",
        "-",
        "",
        "-vh",
        "help",
        "--no",
        "run",
    ] {
        all.push(vec![word.into()]);
    }
    // An image's configuration is JSON.
    if command.get_name() != "image" {
        all.push(vec![OsString::from_vec(vec![b'-', 0xff, b'=', 0xfe])]);
    }
    for words in all {
        for (before, after) in [(&[][..], &["last"][..]), (&["first"], &["--", "-v"])] {
            let word = |word: &&str| OsString::from(*word);
            let words = before.iter().map(word).chain(words.iter().cloned());
            let given = program.iter().map(word).chain(words);
            let given: Vec<OsString> = given.chain(after.iter().map(word)).collect();
            let found = passed(begin, id.as_str(), &given);
            assert_eq!(found.as_ref(), Some(&given), "{begin:?}");
        }
    }
}

#[test]
fn what_stands_behind_a_program_is_the_programs() {
    let mut brawn = Cli::command();
    brawn.build();
    let takes = |is: fn(&Arg) -> bool| -> Vec<&Command> {
        let all = brawn.get_subcommands();
        all.filter(|c| c.get_positionals().any(is)).collect()
    };
    let mut names = Vec::new();
    for command in takes(Arg::is_trailing_var_arg_set) {
        let name = command.get_name();
        passes_everything_on(command, &["brawn", name], &["program"]);
        passes_everything_on(command, &["brawn", name, "--"], &["program"]);
        names.push(name);
    }
    assert_eq!(names, ["cargo", "run", "preload", "compare"]);
    // brawn runs nothing here: without `--`, options may stand on both sides of the file.
    let mut names = Vec::new();
    for command in takes(Arg::is_last_set) {
        let name = command.get_name();
        passes_everything_on(command, &["brawn", name, "-n", "program", "--"], &[]);
        names.push(name);
    }
    assert_eq!(names, ["image"]);
}

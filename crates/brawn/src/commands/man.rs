//! `brawn man`: the manual pages, made from the text of `--help`.

use crate::exit::{self, Exit};
use crate::help;
use crate::ui;
use brawn_core::{Error, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

/// Print a manual page, of brawn or of one of its commands.
///
/// As in `brawn man patch | man -l -`.  brawn's packages contain all pages, so `man brawn-patch` works there.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("man"))]
pub struct Args {
    /// The command, as in `signatures find` [default: brawn itself].
    #[arg(conflicts_with = "list")]
    command: Vec<String>,

    /// Print the names of all pages instead, as `man` uses them.
    #[arg(long)]
    list: bool,
}

pub fn run(args: &Args, brawn: fn() -> Command) -> Result<Exit> {
    let pages = pages(brawn());
    if args.list {
        ui::text(&names(&pages).join("\n"));
    } else {
        ui::text(&page(&args.command, &pages)?);
    }
    Ok(Exit::Success)
}

/// All of brawn's commands, each under the name of its page, brawn itself first.
fn pages(brawn: Command) -> Vec<Command> {
    let mut brawn = brawn.disable_help_subcommand(true);
    brawn.build();
    let mut all = vec![brawn];
    let mut next = 0;
    while let Some(command) = all.get(next) {
        let below = command.get_subcommands().filter(|c| !c.is_hide_set());
        let below: Vec<Command> = below.cloned().collect();
        all.extend(below);
        next += 1;
    }
    all
}

fn name_of(command: &Command) -> &str {
    command.get_display_name().unwrap_or("brawn")
}

fn names(pages: &[Command]) -> Vec<String> {
    let mut names: Vec<String> = pages.iter().map(|c| name_of(c).to_owned()).collect();
    names.sort_unstable();
    names
}

/// The page of the command with these words, or with the page's own name.
fn page(words: &[String], pages: &[Command]) -> Result<String> {
    let asked = words.join("-");
    let name = match asked.as_str() {
        "" | "brawn" => "brawn".to_owned(),
        of if of.starts_with("brawn-") => asked,
        _ => format!("brawn-{asked}"),
    };
    let command = pages.iter().find(|c| name_of(c) == name);
    let command = command.ok_or_else(|| {
        let message = "there is no such page: `brawn man --list` prints them all";
        Error::usage(format!("{}: {message}", words.join(" ")))
    })?;
    render(command, pages).map_err(|e| Error::io("cannot write the page", e))
}

/// How brawn's own page says what to type.
const USAGE: &str =
    "brawn COMMAND [OPTIONS] [ARGUMENTS]...\nbrawn --version [--verbose]\nbrawn --licenses";

/// Which command does what; `--help` has room for the list alone.
const DESCRIPTION: &str = "\
brawn brings a heap, memory functions and other functions of libc that are faster than musl's, and puts them where \
musl's are.

`patch` puts them into the libc.a of a toolchain: all that is linked from then on has them.  `link-args` and `cargo` \
bring them in one build, and leave libc.a alone.  `rewrite` puts them into a finished static executable, `run` into a \
copy of one, and `preload` into dynamic programs while they run.  `restore` undoes `patch` and `rewrite`, to the byte.

`inspect` says whose heap and memory functions are in a file, and `toolchains` which libc.a there are.  `compare` and \
`bench` measure what brawn's give on this machine; `verify` checks that they do what libc's have to.";

/// Pages of which a reader of the first one may want to know.
const RELATED: &[(&str, &[&str])] = &[
    ("patch", &["restore", "toolchains", "rewrite", "link-args"]),
    ("restore", &["patch", "rewrite"]),
    ("toolchains", &["patch", "restore"]),
    ("link-args", &["cargo", "patch"]),
    ("cargo", &["link-args", "patch"]),
    ("rewrite", &["restore", "run", "inspect", "compare"]),
    ("run", &["rewrite", "preload", "heap-profile"]),
    ("preload", &["run", "rewrite"]),
    ("compare", &["bench", "rewrite", "run"]),
    ("bench", &["bench-libc", "compare"]),
    ("bench-libc", &["bench", "compare"]),
    ("heap-profile", &["run", "link-args"]),
    ("image", &["rewrite", "inspect"]),
    ("inspect", &["verify", "rewrite", "patch"]),
    ("verify", &["inspect", "patch"]),
    ("signatures", &["rewrite"]),
    ("completions", &["man"]),
    ("man", &["completions"]),
];

/// The page: clap's parts of it, and the end of `--help`, each part with its own heading.
fn render(command: &Command, pages: &[Command]) -> io::Result<String> {
    let subcommand = name_of(command)
        .trim_start_matches("brawn")
        .trim_start_matches('-')
        .to_owned();
    // Subcommands of subcommands have the exit codes of their parent.
    let parent = subcommand.split('-').next().unwrap_or_default().to_owned();
    let of = match help::examples(&subcommand).is_empty() {
        true => parent,
        false => subcommand.clone(),
    };
    let has_options = command.get_arguments().any(|a| !a.is_hide_set());
    let has_subcommands = command.get_subcommands().any(|c| !c.is_hide_set());
    let command = match (command.clone(), subcommand.as_str()) {
        (command, "") => command.override_usage(USAGE).long_about(DESCRIPTION),
        (command, _) => command,
    };
    let man = Man::new(command)
        .source(concat!("brawn ", env!("CARGO_PKG_VERSION")))
        .manual("brawn's manual")
        // No date, so that the same sources make the same page; clap would leave an empty word out.
        .date(" ");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Options are not broken at hyphens, and lines are not justified.
    page.extend_from_slice(b".nh\n.ad l\n");
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if has_options {
        man.render_options_section(&mut page)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::default();
    add_examples(&mut roff, &subcommand);
    add_exit_codes(&mut roff, &of);
    add_see_also(&mut roff, &subcommand, pages);
    roff.to_writer(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    // Values of an option: one a line, without lines between them, and less far to the right.
    let lists = page.replace("\n.RS 14\n", "\n.RS 7\n.PD 0\n");
    let lists = lists.replace("\n.RE\n", "\n.RE\n.PD\n");
    // This must work in every locale of the reader.
    let mut page = String::new();
    for c in lists.chars() {
        match c.is_ascii() {
            true => page.push(c),
            false => page += &format!("\\[u{:04X}]", u32::from(c)),
        }
    }
    Ok(page)
}

fn add_examples(roff: &mut Roff, subcommand: &str) {
    let examples = help::examples(subcommand);
    if examples.is_empty() {
        return;
    }
    roff.control("SH", ["EXAMPLES"]);
    for (line, what) in examples {
        roff.control("TP", []);
        roff.text([bold(line)]);
        roff.text([roman(what)]);
    }
}

fn add_exit_codes(roff: &mut Roff, subcommand: &str) {
    roff.control("SH", ["EXIT STATUS"]);
    for line in exit::table(subcommand).lines().map(str::trim) {
        match line.split_once(' ') {
            Some((code, what)) if code == "else" || code.parse::<u8>().is_ok() => {
                roff.control("TP", []);
                roff.text([bold(code)]);
                roff.text([roman(what.trim())]);
            }
            _ => {
                roff.control("PP", []);
                roff.text([roman(line)]);
            }
        }
    }
}

/// The other pages, and where the guide is.
fn add_see_also(roff: &mut Roff, subcommand: &str, pages: &[Command]) {
    roff.control("SH", ["SEE ALSO"]);
    let own = format!("brawn-{subcommand}");
    let others: Vec<String> = match subcommand {
        "" => Vec::new(),
        // Those of the same command, and that command.
        _ => {
            let (parent, is_below) = match subcommand.split_once('-') {
                Some((parent, _)) if help::examples(subcommand).is_empty() => (parent, true),
                _ => (subcommand, false),
            };
            let prefix = format!("brawn-{parent}");
            let near = |name: &String| **name != own && is_below && name.starts_with(&prefix);
            let related = RELATED.iter().filter(|(of, _)| *of == subcommand);
            let related = related.flat_map(|(_, others)| *others);
            std::iter::once("brawn".to_owned())
                .chain(related.map(|name| format!("brawn-{name}")))
                .chain(names(pages).into_iter().filter(near))
                .collect()
        }
    };
    for name in &others {
        roff.text([bold(name.as_str()), roman("(1),")]);
    }
    roff.text([roman(format!("the guide: {}", help::guide()))]);
}

#[cfg(test)]
mod tests;

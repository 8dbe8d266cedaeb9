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

/// Commands, each with what it does, by the subcommand whose help has them; `""` is brawn's own.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            ("brawn inspect PROGRAM", "which heap is in it?"),
            ("brawn compare PROGRAM ARGS", "is it faster with brawn's?"),
            ("brawn patch --rust", "for this Rust toolchain"),
            ("brawn patch --system", "for musl-gcc"),
            ("brawn cargo build --target …-linux-musl", "for this build"),
        ],
    ),
    (
        "patch",
        &[
            ("brawn patch --rust", "the active Rust toolchain's musl"),
            ("brawn patch --system", "the distribution's"),
            ("brawn patch -n path/to/libc.a", "show what would be done"),
            (
                "brawn patch libc.a -o new/libc.a",
                "leave the original alone",
            ),
            (
                "brawn patch --swift --upgrade",
                "SDKs that have mimalloc, too",
            ),
        ],
    ),
    (
        "restore",
        &[
            ("brawn restore --rust", "undo `brawn patch --rust`"),
            ("brawn restore path/to/libc.a", "one archive"),
            ("brawn restore PROGRAM", "undo `brawn rewrite PROGRAM`"),
        ],
    ),
    (
        "toolchains",
        &[
            ("brawn toolchains", "all that are found here"),
            ("brawn toolchains --kind rust,system", "two kinds"),
            (
                "brawn toolchains --root /mnt/image",
                "in an image's directory",
            ),
        ],
    ),
    (
        "link-args",
        &[
            ("musl-gcc -static a.c $(brawn link-args) -o a", "C, C++"),
            ("cargo rustc -- $(brawn link-args --format rustc)", "Rust"),
            ("brawn link-args --format swift --arch aarch64", "Swift"),
        ],
    ),
    (
        "cargo",
        &[
            (
                "brawn cargo build --release --target x86_64-unknown-linux-musl",
                "",
            ),
            (
                "brawn cargo --profile secure test --target aarch64-unknown-linux-musl",
                "",
            ),
        ],
    ),
    (
        "rewrite",
        &[
            ("brawn rewrite -n tool", "show what would be done"),
            ("brawn rewrite tool -o faster", "leave the original alone"),
            (
                "brawn rewrite tool",
                "in place; `brawn restore tool` undoes it",
            ),
        ],
    ),
    (
        "run",
        &[
            ("brawn run ./tool --its arguments", ""),
            ("brawn run --profile lean tool", "found in PATH"),
            ("brawn run --or-plain ./tool", "in any case"),
            (
                "brawn run --heap-profile heap.pb.gz ./tool",
                "who asks for memory?",
            ),
        ],
    ),
    (
        "heap-profile",
        &[
            ("brawn heap-profile tool.heap", "who asked for memory?"),
            (
                "brawn heap-profile tool.heap --html heap.html",
                "flame graphs",
            ),
            (
                "brawn heap-profile tool.heap --pprof heap.pb.gz",
                "for pprof",
            ),
        ],
    ),
    (
        "compare",
        &[
            ("brawn compare ./tool ARGS", "is it faster with brawn's?"),
            ("brawn compare --with fast,lean ./tool", "two profiles"),
            ("brawn compare --against ./old ./new", "two builds of it"),
            (
                "brawn compare --export-json a.json ./tool",
                "keep all figures",
            ),
        ],
    ),
    (
        "bench",
        &[
            ("brawn bench --quick", "with musl-gcc, in about a minute"),
            ("brawn bench --cc 'zig cc -target x86_64-linux-musl'", ""),
            ("brawn bench --only threads,startup", "some workloads"),
            ("brawn bench libc", "every function of libc"),
        ],
    ),
    (
        "bench-libc",
        &[
            (
                "brawn bench libc --quick",
                "with musl-gcc, in about a minute",
            ),
            (
                "brawn bench libc --only strings,strtod --html libc.html",
                "",
            ),
            (
                "brawn bench libc --cc 'zig cc -target x86_64-linux-musl'",
                "",
            ),
        ],
    ),
    (
        "preload",
        &[
            ("brawn preload -- ./program ARGS", "run one program"),
            (
                "brawn preload -o brawn-preload.so",
                "for LD_PRELOAD, or an image",
            ),
        ],
    ),
    (
        "image",
        &[
            ("brawn image server -o server.tar", ""),
            (
                "brawn image server -n -- --port 80",
                "show what would be in it",
            ),
            (
                "brawn image server -o server.tar --rewrite --user 65532 --ca-certificates",
                "",
            ),
        ],
    ),
    (
        "inspect",
        &[
            ("brawn inspect program", "one file"),
            (
                "brawn inspect some.whl dist/",
                "what is in packages, directories",
            ),
            ("brawn inspect --fail-on slow,mixed dist/", "for CI"),
        ],
    ),
    (
        "verify",
        &[
            ("brawn verify program", "whose are its functions?"),
            (
                "brawn verify --cc 'musl-gcc -static'",
                "is the toolchain right?",
            ),
        ],
    ),
    (
        "signatures",
        &[
            ("brawn signatures list", "the builds that brawn knows"),
            ("brawn signatures find program", "what they find in it"),
            ("brawn signatures learn path/to/libc.a", "another build's"),
            (
                "brawn signatures find --signatures my.txt a",
                "what that finds",
            ),
        ],
    ),
    (
        "completions",
        &[
            ("source <(brawn completions bash)", "for this shell"),
            (
                "brawn completions fish > ~/.config/fish/completions/brawn.fish",
                "",
            ),
        ],
    ),
    (
        "man",
        &[
            ("brawn man patch | man -l -", "read one"),
            ("brawn man --list", "which there are"),
        ],
    ),
];

/// The examples of `subcommand`'s help, each with what it does; `""` is brawn's own.
pub fn examples(subcommand: &str) -> Vec<(&'static str, &'static str)> {
    let of_it = EXAMPLES.iter().filter(|(of, _)| *of == subcommand);
    of_it.flat_map(|(_, examples)| *examples).copied().collect()
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

    #[test]
    fn every_subcommand_has_examples_that_can_be_typed() {
        let command = Cli::command();
        let subcommands = command.get_subcommands().map(|c| c.get_name().to_owned());
        let mut expected: Vec<String> = subcommands.chain([String::new()]).collect();
        let mut listed: Vec<String> = EXAMPLES.iter().map(|(of, _)| (*of).to_owned()).collect();
        // Those of subcommands may have examples, under the names of their pages.
        for above in command.get_subcommands() {
            let name = |below: &clap::Command| format!("{}-{}", above.get_name(), below.get_name());
            let below = above.get_subcommands().map(name);
            expected.extend(below.filter(|name| listed.contains(name)));
        }
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
        for (of, examples) in EXAMPLES {
            for (line, _) in *examples {
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
        for (of, _) in EXAMPLES {
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

//! The measurements that have a command of their own: what can be chosen of each, how it is measured, and what is shown.

use crate::cli::Places;
use crate::print;
use brawn_bench::Result;
use brawn_bench::own::{self, Choice, Raw, Site};
use brawn_bench::progress::Progress;
use brawn_bench::raw::{read_json, write_json};
use brawn_bench::show::Table;
use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches as _};
use std::path::PathBuf;

/// The options of all of them. The first four are every kind's; the others are [`OPTIONAL`].
#[derive(Args)]
pub struct Options {
    /// Rounds
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print this raw data again, and measure nothing
    #[arg(long)]
    from: Option<PathBuf>,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    choice: Choice,
    /// How many of the patterns that take brawn longest against glibc are shown
    #[arg(long, default_value_t = 20)]
    worst: usize,
    /// Print the patterns with the arguments of the program that runs them, and measure nothing
    #[arg(long)]
    list: bool,
    /// Draw the figure into this file, as SVG; with --from, that of earlier raw data
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the raw data of a part here; those of the whole go to bench/results
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The options that only some kinds take.
const OPTIONAL: [&str; 11] = [
    "only", "heaps", "quick", "objects", "libc", "rlimit", "worst", "list", "plot", "out", "old",
];

/// A kind of measurement.
pub struct Kind {
    name: &'static str,
    about: &'static str,
    /// What `--only` chooses, and its values, if they can be listed.
    only: (&'static str, fn() -> Vec<&'static str>),
    heaps: &'static [&'static str],
    /// What `--quick` does.
    quick: &'static str,
    /// Which of [`OPTIONAL`] it takes.
    takes: &'static [&'static str],
    /// Whether raw data of a part are kept: otherwise they would be a part of a page's table.
    keeps_parts: bool,
    measure: fn(&Site, &Choice, usize, &Progress) -> Result<Raw>,
    show: fn(&Raw, &Options) -> Vec<Table>,
    /// What stands below the tables.
    said: fn(&Raw) -> String,
    figure: fn(&Raw, &Options) -> Result<String>,
}

/// A kind without choices.
const PLAIN: Kind = Kind {
    name: "",
    about: "",
    only: ("", Vec::new),
    heaps: &[],
    quick: "Write no raw data",
    takes: &[],
    keeps_parts: true,
    measure: |_, _, _, _| Err("nothing to measure".into()),
    show: |_, _| Vec::new(),
    said: |_| String::new(),
    figure: |_, _| Err("there is no figure".into()),
};

/// All of them.
pub const KINDS: [Kind; 12] = [
    Kind {
        name: "libc",
        about: "Measure every function of libc that matters to programs, with stock musl, brawn and glibc",
        only: ("Only these families", || own::libc::FAMILIES.to_vec()),
        takes: &["only", "quick", "objects", "libc"],
        measure: own::libc::measure,
        show: |raw, _| vec![own::libc::show(raw)],
        said: own::libc::summary,
        ..PLAIN
    },
    Kind {
        name: "edges",
        about: "Measure the functions of libc at the edges of what they are given: extreme arguments, long text, needles that nearly fit",
        only: ("Only these families", || own::edges::FAMILIES.to_vec()),
        takes: &["only", "quick"],
        measure: own::edges::measure,
        show: |raw, _| vec![own::libc::show(raw)],
        said: own::edges::summary,
        ..PLAIN
    },
    Kind {
        name: "acid",
        about: "Measure whole programs with real jobs, with stock musl, brawn and glibc (tools/acid.sh gets their sources)",
        only: ("Only these programs", || {
            own::acid::PROGRAMS
                .iter()
                .map(|program| program.name)
                .collect()
        }),
        quick: "Short jobs, and no raw data: to try the machinery",
        takes: &["only", "quick"],
        measure: own::acid::measure,
        show: |raw, _| vec![own::acid::show(raw)],
        ..PLAIN
    },
    Kind {
        name: "rss",
        about: "Watch the memory of programs over time, from outside, with every heap",
        only: ("Only these loads", || own::rss::KINDS.to_vec()),
        heaps: &own::rss::HEAPS,
        quick: "Small loads, no long rest, and no raw data: to try the machinery",
        takes: &["only", "heaps", "quick", "plot"],
        measure: own::rss::measure,
        show: |raw, _| vec![own::rss::show(raw)],
        figure: |raw, o| own::rss::figure::figure(raw, &o.choice.only, &o.choice.heaps),
        ..PLAIN
    },
    Kind {
        name: "limit",
        about: "Find the smallest memory limit (of a cgroup) under which programs finish, with every heap. Exit code 3: no cgroup \
                can be made here",
        only: ("Only these loads", || own::limit::LOADS.to_vec()),
        heaps: &own::rss::HEAPS,
        quick: "Small loads, one try each, and no raw data: to try the machinery",
        takes: &["only", "heaps", "quick", "rlimit"],
        measure: own::limit::measure,
        show: |raw, _| vec![own::limit::show(raw)],
        said: |raw| own::limit::limited_by(raw) + "\n",
        ..PLAIN
    },
    Kind {
        name: "sweep",
        about: "Measure hundreds of ways of using large and growing blocks, with every heap",
        only: (
            "Only patterns that have all words of this text, as in `--only \"calloc 2t\"` or `--only 500K,100K,2M`; if given more \
             than once, those of each",
            Vec::new,
        ),
        heaps: &own::sweep::HEAPS,
        quick: "One pattern of twelve, and no raw data: to try the machinery",
        takes: &["only", "heaps", "quick", "worst", "list", "plot", "out"],
        keeps_parts: false,
        measure: own::sweep::measure,
        show: |raw, o| own::sweep::table::all(raw, o.worst),
        figure: |raw, _| own::sweep::figure::figure(raw),
        ..PLAIN
    },
    Kind {
        name: "server",
        about: "Drive real web servers that compress their answers, over loopback: processor time of a request, and memory",
        only: (
            "Only what begins so, of SERVER/LOAD: axum, nginx/1M-64",
            Vec::new,
        ),
        heaps: &own::server::HEAPS,
        quick: "A few requests of each load, and no raw data: to try the machinery",
        takes: &["only", "heaps", "quick"],
        keeps_parts: false,
        measure: own::server::measure,
        show: |raw, _| {
            vec![
                own::server::table::times(raw),
                own::server::table::memory(raw),
            ]
        },
        ..PLAIN
    },
    Kind {
        name: "rewrite",
        about: "Measure `brawn rewrite` and `brawn run`: time, memory, disk",
        measure: |site, _, rounds, progress| own::rewrite::measure(site, rounds, progress),
        show: |raw, _| vec![own::rewrite::show(raw)],
        ..PLAIN
    },
    Kind {
        name: "preload",
        about: "Measure dynamic programs of musl as they are, with `brawn preload`, and against glibc",
        measure: |site, _, rounds, progress| own::preload::measure(site, rounds, progress),
        show: |raw, _| vec![own::preload::show(raw)],
        ..PLAIN
    },
    Kind {
        name: "bundle",
        about: "Measure `brawn patch` of a Swift SDK's bundle of 200 MB against tar",
        measure: |site, _, rounds, progress| own::bundle::measure(site, rounds, progress),
        show: |raw, _| vec![own::bundle::show(raw)],
        ..PLAIN
    },
    Kind {
        name: "compare",
        about: "Test `brawn compare`: compare a program with itself and with a slower one, and find out what measuring costs; each \
                round is a trial",
        only: ("Only these kinds of trials", || {
            own::compare::KINDS.to_vec()
        }),
        takes: &["only", "quick"],
        measure: own::compare::measure,
        show: |raw, _| vec![own::compare::show(raw)],
        ..PLAIN
    },
    Kind {
        name: "engine",
        about: "Compare the payload's engine with an earlier one, and both with mimalloc by hand",
        takes: &["old"],
        measure: own::engine::measure,
        show: |raw, _| vec![own::engine::show(raw)],
        ..PLAIN
    },
];

impl Kind {
    /// Its command line.
    pub fn command(&self) -> Command {
        let mut command = Options::augment_args(Command::new(self.name)).about(self.about);
        for id in OPTIONAL {
            command = command.mut_arg(id, |arg| arg.hide(!self.takes.contains(&id)));
        }
        let of = |arg: Arg, values: Vec<&'static str>| match values.is_empty() {
            true => arg,
            false => {
                let values = PossibleValuesParser::new(values);
                arg.value_delimiter(',').value_parser(values)
            }
        };
        let (only, values) = self.only;
        command
            .mut_arg("only", |arg| of(arg, values()).help(only))
            .mut_arg("heaps", |arg| of(arg, self.heaps.to_vec()))
            .mut_arg("quick", |arg| arg.help(self.quick))
    }

    /// The kind whose command was typed.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// Measures, or reads what was measured, and prints it.
    pub fn run(&self, matches: &ArgMatches) -> Result<()> {
        let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let mut others = OPTIONAL.iter().filter(|id| !self.takes.contains(id));
        if let Some(other) = others.find(|id| is_typed(id)) {
            return Err(format!("`{}` has no option {other}", self.name));
        }
        let options = Options::from_arg_matches(matches).map_err(|error| error.to_string())?;
        if options.list {
            for pattern in own::sweep::asked(&options.choice)? {
                anstream::println!("{pattern}: {}", pattern.arguments().join(" "));
            }
            return Ok(());
        }
        let raw = self.raw(&options)?;
        if let Some(path) = &options.out {
            write_json(path, &raw)?;
        }
        for table in (self.show)(&raw, &options) {
            print(&table, options.markdown);
        }
        anstream::print!("{}", (self.said)(&raw));
        if let Some(path) = &options.plot {
            let failed = |error| format!("write {}: {error}", path.display());
            std::fs::write(path, (self.figure)(&raw, &options)?).map_err(failed)?;
            anstream::println!("figure: {}", path.display());
        }
        Ok(())
    }

    /// The raw data: read from an earlier run, or measured now.
    fn raw(&self, options: &Options) -> Result<Raw> {
        if let Some(path) = &options.from {
            return read_json(path);
        }
        let (choice, progress) = (&options.choice, Progress::new());
        let work = options.places.work(&format!("bench-{}", self.name))?;
        let site = Site::new(&work, &options.places.brawn()?)?;
        let mut raw = (self.measure)(&site, choice, options.rounds.into(), &progress)?;
        progress.finish();
        let is_whole = choice.only.is_empty() && choice.heaps.is_empty();
        // What another limit shows is no row of the published table.
        if !choice.quick && !choice.rlimit && (is_whole || self.keeps_parts) {
            let path = raw.write(self.name)?;
            anstream::println!("raw data: {}", path.display());
        }
        Ok(raw)
    }
}

#[cfg(test)]
mod tests;

//! The command line of `brawn-bench`.

use brawn_bench::{Result, repository, work};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

#[derive(Parser)]
#[command(
    name = "brawn-bench",
    about = "Measures brawn against stock musl, glibc, and mimalloc put into libc.a by hand"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args)]
pub struct Places {
    /// Directory for everything that is built, which is emptied first: a new or empty one [default: target/bench]
    #[arg(long)]
    pub work: Option<PathBuf>,
    /// The brawn to patch with [default: the one beside this program]
    #[arg(long)]
    pub brawn: Option<PathBuf>,
}

impl Places {
    /// The directory that the user named, or one below `target/`, which is the benchmark's own.
    pub fn work(&self, folder: &str) -> Result<PathBuf> {
        let Some(work) = self.work.clone() else {
            let default = repository().join("target").join(folder);
            return work::mark(&default).map(|()| default);
        };
        work::claim(&work).map(|()| work)
    }

    pub fn brawn(&self) -> Result<PathBuf> {
        let beside = || std::env::current_exe().map(|own| own.with_file_name("brawn"));
        let path = self.brawn.clone().map_or_else(beside, Ok);
        let path = path.and_then(std::fs::canonicalize);
        path.map_err(|error| format!("brawn: {error}; build it with `cargo build --release -p brawn`, or name it with --brawn"))
    }
}

#[derive(Args)]
pub struct Selection {
    /// Only the measurements whose names begin with one of these
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these variants: stock, mimalloc2, mimalloc3, glibc, brawn
    #[arg(long, value_delimiter = ',')]
    pub variants: Vec<String>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Build what the measurements need, and run nothing
    Build {
        #[command(flatten)]
        part: Selection,
        #[command(flatten)]
        places: Places,
    },
    /// Build and run the catalogue; write the raw data
    Run {
        #[command(flatten)]
        part: Selection,
        /// Build nothing: run what `build` has left
        #[arg(long)]
        built: bool,
        /// Add the rounds to those that the directory has, instead of replacing them
        #[arg(long)]
        append: bool,
        /// Rounds of each measurement, whatever the catalogue says
        #[arg(long)]
        rounds: Option<usize>,
        /// Short programs and few rounds, to try the machinery
        #[arg(long)]
        quick: bool,
        /// Directory of the raw data [default: bench/results/DATE-CPU; with --only the newest of this CPU]
        #[arg(long)]
        out: Option<PathBuf>,
        #[command(flatten)]
        places: Places,
    },
    /// Print the bars and the figures of a results directory
    Report {
        /// The directory [default: the newest in bench/results]
        folder: Option<PathBuf>,
        /// As Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Rewrite the tables of README.md, docs/benchmarks.md and docs/libc.md from the newest raw data in bench/results
    Readme,
    /// Run the two benchmark programs against stock musl, patched musl and glibc; print one table
    Demo {
        #[command(flatten)]
        places: Places,
    },
    /// Show what a program's memory consists of at its peak, as the heap itself sees it
    Where {
        /// These programs [default: all]
        programs: Vec<String>,
        /// The heap's profile: fast, lean, secure
        #[arg(long, default_value = "fast")]
        profile: String,
        /// Look while the program rests after its load, not at its peak; only loads of `overtime`
        #[arg(long)]
        rests: bool,
        /// Print Markdown
        #[arg(long)]
        markdown: bool,
        #[command(flatten)]
        places: Places,
    },
    /// Measure tokenizers in Rust, Python and Node with each heap (bench/extensions/README.md)
    #[command(subcommand)]
    Extensions(Extensions),
    /// List the measurements
    List,
}

#[derive(Subcommand)]
pub enum Extensions {
    /// Build the bindings with each heap
    Build {
        /// Only what begins so, of BINDING/HEAP
        only: Vec<String>,
    },
    /// Measure what is built, and add the rounds to bench/results/extensions.json
    Measure {
        /// Only what begins so, of BINDING/THREADS/HEAP
        only: Vec<String>,
        /// Rounds
        #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
    },
    /// Print medians and intervals of the rounds on the machine of the last round
    Table {
        /// The first round
        #[arg(long, default_value_t = 1)]
        first: u32,
        /// The last round [default: the last one in the data]
        #[arg(long)]
        last: Option<u32>,
        /// Print Markdown
        #[arg(long)]
        markdown: bool,
    },
}

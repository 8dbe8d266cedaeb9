//! The command line of `brawn-bench`.

use brawn_bench::{Result, own, repository, work};
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
    /// Measure every function of libc that matters to programs, with stock musl, brawn and glibc
    Libc {
        /// Only these families: strings, wide, time, environment, numbers, math, sort, stdio, threads, other, start
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Object files, or directories of them, to link in front of brawn's libc.a
        #[arg(long)]
        objects: Vec<PathBuf>,
        /// The libc.a to patch [default: that of musl-gcc]
        #[arg(long)]
        libc: Option<PathBuf>,
        /// Write no raw data
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Measure the functions of libc at the edges of what they are given: extreme arguments, long text, needles that nearly fit
    Edges {
        /// Only these families: strings, needles, wide, numbers, math, sort, time, stdio, other
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Write no raw data
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Measure whole programs with real jobs, with stock musl, brawn and glibc (tools/acid.sh gets their sources)
    Acid {
        /// Only these programs
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Short jobs, and no raw data: to try the machinery
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Watch the memory of programs over time, from outside, with every heap
    Rss {
        /// Only these loads: waves, hour, compiler, cache, pool, requests, table, idle
        #[arg(long, value_delimiter = ',', value_parser = own::rss::KINDS)]
        only: Vec<String>,
        /// Only these heaps: stock, glibc, glibc-2, brawn, lean, secure, mimalloc2, mimalloc3, jemalloc, rpmalloc,
        /// snmalloc
        #[arg(long, value_delimiter = ',', value_parser = own::rss::HEAPS)]
        heaps: Vec<String>,
        /// Small loads, no long rest, and no raw data: to try the machinery
        #[arg(long)]
        quick: bool,
        /// Draw the curves into this file, as SVG: with --heaps those heaps, otherwise glibc, stock, brawn and mimalloc2
        #[arg(long, value_name = "FILE")]
        plot: Option<PathBuf>,
        #[command(flatten)]
        own: Own,
    },
    /// Find the smallest memory limit (of a cgroup) under which programs finish, with every heap. Exit code 3: no cgroup can
    /// be made here
    Limit(Limit),
    /// Measure hundreds of ways of using large and growing blocks, with every heap
    Sweep(Sweep),
    /// Drive real web servers that compress their answers, over loopback: processor time of a request, and memory
    Server(Server),
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
    /// Measure `brawn rewrite` and `brawn run`: time, memory, disk
    Rewrite {
        #[command(flatten)]
        own: Own,
    },
    /// Measure dynamic programs of musl as they are, with `brawn preload`, and against glibc
    Preload {
        #[command(flatten)]
        own: Own,
    },
    /// Measure `brawn patch` of a Swift SDK's bundle of 200 MB against tar
    Bundle {
        #[command(flatten)]
        own: Own,
    },
    /// Test `brawn compare`: compare a program with itself and with a slower one, and find out what measuring costs;
    /// each round is a trial
    Compare {
        /// Only these kinds of trials: same, slower, measured, sampled
        #[arg(long, value_delimiter = ',', value_parser = own::compare::KINDS)]
        only: Vec<String>,
        /// Write no raw data
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Compare the payload's engine with an earlier one, and both with mimalloc by hand
    Engine {
        /// `crates/brawn-rt/objects` as it was with the earlier engine
        old: PathBuf,
        #[command(flatten)]
        own: Own,
    },
    /// Measure tokenizers in Rust, Python and Node with each heap (bench/extensions/README.md)
    #[command(subcommand)]
    Extensions(Extensions),
    /// List the measurements
    List,
}

#[derive(Args)]
pub struct Own {
    /// Rounds
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Print this raw data again, and measure nothing
    #[arg(long)]
    pub from: Option<PathBuf>,
    /// Print Markdown
    #[arg(long)]
    pub markdown: bool,
    #[command(flatten)]
    pub places: Places,
}

#[derive(Args)]
pub struct Limit {
    /// Only these loads: waves, hour, compiler, cache, pool, requests, table, idle, stress, buffers
    #[arg(long, value_delimiter = ',', value_parser = own::limit::LOADS)]
    pub only: Vec<String>,
    /// Only these heaps: stock, glibc, glibc-2, brawn, lean, secure, mimalloc2, mimalloc3
    #[arg(long, value_delimiter = ',', value_parser = own::rss::HEAPS)]
    pub heaps: Vec<String>,
    /// Limit by RLIMIT_DATA, where no cgroup can be made: it counts mappings, whether touched or not
    #[arg(long)]
    pub rlimit: bool,
    /// Small loads, one try each, and no raw data: to try the machinery
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    pub own: Own,
}

#[derive(Args)]
pub struct Server {
    /// Only what begins so, of SERVER/LOAD: axum, nginx/1M-64
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these heaps: glibc, stock, brawn, rewritten, lean
    #[arg(long, value_delimiter = ',', value_parser = own::server::HEAPS)]
    pub heaps: Vec<String>,
    /// A few requests of each load, and no raw data: to try the machinery
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    pub own: Own,
}

#[derive(Args)]
pub struct Sweep {
    /// Only patterns that have all words of this text, as in `--only "calloc 2t"` or `--only 500K,100K,2M`; if given more than
    /// once, those of each
    #[arg(long)]
    pub only: Vec<String>,
    /// Only these heaps: glibc, stock, brawn, lean, secure, mimalloc2, mimalloc3, jemalloc
    #[arg(long, value_delimiter = ',', value_parser = own::sweep::HEAPS)]
    pub heaps: Vec<String>,
    /// One pattern of twelve, and no raw data: to try the machinery
    #[arg(long)]
    pub quick: bool,
    /// How many of the patterns that take brawn longest against glibc are shown
    #[arg(long, default_value_t = 20)]
    pub worst: usize,
    /// Print the patterns with the arguments of the program that runs them, and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Draw the figure into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the raw data of a part here; those of the whole sweep go to bench/results/sweep
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub own: Own,
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

//! What is run, and what a run gives.

use crate::process::counters::Availability;
use crate::process::figures::Figures;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its arguments, beginning with its own name.
    pub arguments: &'a [OsString],
    /// Variables besides this process's own.
    pub variables: &'a [(OsString, OsString)],
    /// Its input; empty for `None`.
    pub input: Option<&'a Path>,
    /// What becomes of its output.
    pub output: Output,
    /// How long it may take.
    pub limit: Option<Duration>,
    /// Whether to watch its memory, which takes time.
    pub watch: bool,
    /// Which counters there are.
    pub counters: &'a Availability,
    /// A file that becomes readable when everything should stop.
    pub interrupt: Option<BorrowedFd<'a>>,
}

impl<'a> Job<'a> {
    /// A run without input, output, limit, watch and counters.
    pub fn new(path: &'a Path, arguments: &'a [OsString]) -> Self {
        static NONE: Availability = Availability {
            available: false,
            with_kernel: false,
            reason: None,
        };
        Self {
            path,
            arguments,
            variables: &[],
            input: None,
            output: Output::Nowhere,
            limit: None,
            watch: false,
            counters: &NONE,
            interrupt: None,
        }
    }
}

/// What becomes of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// It is thrown away.
    Nowhere,
    /// It is kept in memory, up to this many bytes of each stream.
    Kept(usize),
    /// It is brawn's.
    Shown,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It took longer than it may.
    Limit,
}

/// One stream's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Those at the beginning.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub length: u64,
}

/// Memory at one instant of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Microseconds after the start.
    pub at_us: u64,
    /// Resident bytes of all processes.
    pub rss: u64,
    /// The same, with shared pages counted once.
    pub pss: u64,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// What was measured.
    pub figures: Figures,
    /// Its standard output and standard error, if they were kept.
    pub output: [Kept; 2],
    /// Its memory over time, if that was watched.
    pub moments: Vec<Moment>,
}

/// Why there is no run.
#[derive(Debug)]
pub enum Failure {
    /// [`Job::interrupt`] became readable; nothing is left running.
    Interrupted,
    /// The program could not be started.
    Start(io::Error),
    /// Measuring itself failed.
    System(&'static str, io::Error),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Start(error) => write!(f, "cannot start: {error}"),
            Self::System(what, error) => write!(f, "{what}: {error}"),
        }
    }
}

//! What is to be measured, and for whom.

use super::outputs::{MOST, ended};
use crate::data::Candidate;
use crate::process::job::{End, Failure, Job, Output};
use crate::process::tree;
use brawn_core::{Error, Result};
use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

/// What runs lines.
const SHELL: &str = "/bin/sh";
/// The name of the program as it is.
pub const AS_IT_IS: &str = "as it is";

/// A form in a sentence, by its name.
pub fn called(name: &str) -> &str {
    match name {
        AS_IT_IS => "the program as it is",
        name => name,
    }
}

/// How a program's forms are run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The program, as it was named.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Measured runs of each form; as many as there is time for if not given.
    pub runs: Option<u32>,
    /// Runs of each form that do not count, besides the first.
    pub warmup: u32,
    /// The line of the shell before each run.
    pub prepare: Option<String>,
    /// The line of the shell that runs the program.
    pub shell: Option<String>,
    /// Seconds that a run may take.
    pub time_limit: Option<f64>,
    /// The program's input.
    pub input: Option<PathBuf>,
    /// Whether a program that fails is measured, too.
    pub ignore_failure: bool,
    /// Whether an exit code other than 0 may be a program's answer.
    pub has_answers: bool,
    /// The outputs that must be the same.
    pub compare_output: Vec<String>,
    /// The number from which the order of runs is computed.
    pub seed: Option<u64>,
}

/// One form, ready to run.
#[derive(Clone, Debug)]
pub struct Form {
    /// What is told of it.
    pub told: Candidate,
    /// The file that runs.
    pub path: PathBuf,
    /// Variables that it gets in addition to this process's own.
    pub variables: Vec<(OsString, OsString)>,
}

/// Who asks for a measurement: shows its progress, and may end it early.
pub trait Host {
    /// What becomes readable when everything should stop.
    fn interrupt(&self) -> BorrowedFd<'_>;
    /// What to do then; if this returns, with the reason.
    fn stopped(&self) -> Error;
    /// Why the program at `path` could not be run.
    fn cannot_run(&self, path: &Path, error: io::Error) -> Error;
    /// So many more runs will follow.
    fn expect(&self, runs: u64);
    /// One of them is done.
    fn advance(&self);

    /// The error for a run of `path` that is none.
    fn failed(&self, path: &Path, failure: Failure) -> Error {
        match failure {
            Failure::Interrupted => self.stopped(),
            Failure::Start(error) => self.cannot_run(path, error).path(path),
            Failure::System(what, error) => Error::io(what, error),
        }
    }
}

impl Request {
    /// The program that runs for the form at `path`, with its arguments: the program under its own name, or the shell.
    pub fn command(&self, path: &Path) -> (PathBuf, Vec<OsString>) {
        let own = self.arguments.iter().cloned();
        match &self.shell {
            Some(line) => {
                let words = ["sh", "-c", line, "sh"].map(OsString::from);
                let file = path.as_os_str().to_owned();
                let words = words.into_iter().chain([file]).chain(own);
                (PathBuf::from(SHELL), words.collect())
            }
            None => {
                let words = [self.program.clone()].into_iter().chain(own);
                (path.to_owned(), words.collect())
            }
        }
    }

    /// Runs the line of `--prepare`, if there is one.
    ///
    /// # Errors
    /// It could not be run, or failed.
    pub fn prepare(&self, host: &dyn Host) -> Result<()> {
        let Some(line) = &self.prepare else {
            return Ok(());
        };
        let arguments = ["sh", "-c", line].map(OsString::from);
        let job = Job {
            output: Output::Kept(MOST),
            interrupt: Some(host.interrupt()),
            ..Job::new(SHELL.as_ref(), &arguments)
        };
        let run = tree::run(&job).map_err(|failure| host.failed(SHELL.as_ref(), failure))?;
        match run.end {
            End::Exit(0) => Ok(()),
            _ => Err(Error::refused(format!("`--prepare` {}", ended(&run)))),
        }
    }
}

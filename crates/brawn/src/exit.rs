//! The exit codes.  They are a documented interface, and this file has all of them.

use crate::ui;
use brawn_core::{Error, Kind};
use signal_hook::consts::SIGABRT;
use signal_hook::flag::register_conditional_shutdown;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The command's exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done, or nothing to do.
    #[default]
    Success = 0,
    /// A finding: a verdict of `--fail-on`, or something that `verify` found, such as a new failure or a heap that is
    /// not brawn's.
    Finding = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The input has a form that brawn does not edit.
    Refused = 3,
    /// The input is broken.
    Malformed = 4,
    /// The operating system refused to read or write.
    Io = 5,
    /// `restore` would destroy something, or has nothing to restore from.
    RestoreRefused = 6,
    /// `run` (or `preload` of a program, as for the next two) itself failed, before the program began.
    RunFailed = 125,
    /// `run` found the program, which cannot be rewritten or run.
    RunRefused = 126,
    /// `run` found no such program.
    RunNotFound = 127,
}

/// The exit codes of every command except `run`.
const COMMON: &str = "  0  done, or nothing to do
  1  a finding, of `verify`, `compare` or `inspect --fail-on`
  2  the command line is wrong
  3  refused: not musl's, or in a form that brawn does not know; no memory
  4  the input is broken
  5  reading or writing failed
  6  restore refused: the file is not what brawn wrote, or there is no original";

/// The further codes of subcommands that start another program.
const OF_PROGRAMS: &str = "
  125  only `run` and `preload PROGRAM`: brawn itself failed
  126  only `run` and `preload PROGRAM`: the program cannot be rewritten or run
  127  only `run` and `preload PROGRAM`: there is no such program";

/// `run` otherwise exits as the program does: the numbers of `env`, `nice` and `timeout`.
const OF_RUN: &str = "  125  brawn itself failed, or its command line is wrong
  126  the program cannot be rewritten or run
  127  there is no such program
  else the program's own";

/// `preload` has these for the object; once there is a program, the codes are those of `run`.
const OF_PRELOAD: &str = "  0  the object is written
  2  the command line is wrong
  3  refused: there is no such object, or FILE is not one of brawn's
  5  reading or writing failed
  125  brawn itself failed, before the program began
  126  the program cannot be run with it
  127  there is no such program
  else the program's own";

/// The table in the help of `subcommand`; `""` is brawn's own, with all of them.
pub fn table(subcommand: &str) -> String {
    match subcommand {
        "" => format!("{COMMON}{OF_PROGRAMS}"),
        "preload" => OF_PRELOAD.into(),
        "cargo" => format!("{COMMON}\n  Once cargo has begun, they are cargo's own."),
        "run" => OF_RUN.into(),
        _ => COMMON.into(),
    }
}

/// Prints clap's message about a wrong command line, or the help; returns the exit code.  `run` leaves the numbers
/// below 125 to the program.
pub fn of_usage(error: clap::Error) -> ExitCode {
    let is_error = error.use_stderr();
    ui::usage(error);
    match is_error {
        true if is_run() => Exit::RunFailed.into(),
        true => Exit::Usage.into(),
        false if ui::is_cut() => Exit::Io.into(),
        false => Exit::Success.into(),
    }
}

/// Whether the numbers below 125 are those of the program that is run.
fn is_run() -> bool {
    let command = std::env::args_os().nth(1);
    command.is_some_and(|command| command == "run")
}

/// Makes brawn refuse where Rust would abort: memory ran out.  Rust has printed the reason by then.  Some libraries, such as that
/// for gzip, panic in this case, which becomes an error, too: the allocator knows whether it has just refused.
pub fn instead_of_abort() {
    let code = match is_run() {
        true => Exit::RunFailed,
        false => Exit::Refused,
    };
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::allocator::has_refused() {
            return usual(panic);
        }
        ui::error(
            &"memory ran out; expected some more, above what the file takes; raise the limit (`ulimit -v`)",
        );
        std::process::exit(code as i32);
    }));
    // What was ignored stays so, also for a program that brawn becomes.  A panic then ends brawn in another way.
    if crate::inherited::is_ignored(SIGABRT) {
        return;
    }
    let always = Arc::new(AtomicBool::new(true));
    // If no handler can be set, it aborts as it would have.
    let _ = register_conditional_shutdown(SIGABRT, code as i32, always);
}

impl Exit {
    /// Prints an error, and gives its code.
    pub fn of(error: &Error) -> Self {
        ui::error(error);
        error.kind().into()
    }

    /// The code of a command that found something, or did not.
    pub fn of_findings(has_any: bool) -> Self {
        match has_any {
            true => Self::Finding,
            false => Self::Success,
        }
    }
}

impl From<Kind> for Exit {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Usage => Self::Usage,
            Kind::Refused | Kind::NotApplicable => Self::Refused,
            Kind::Malformed => Self::Malformed,
            Kind::Io => Self::Io,
            Kind::RestoreRefused => Self::RestoreRefused,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests;

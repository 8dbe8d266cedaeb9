//! `brawn run`: runs a program with brawn's heap and functions of libc, without changing its file.

pub mod cached;
pub mod passed;
mod recorded;
pub mod search;

use crate::builds::SignaturesArg;
use crate::exec;
use crate::exit::Exit;
use crate::only::Parts;
use crate::profile::ProfileArg;
use crate::ui;
use brawn_core::shown::shown;
use brawn_core::{Error, Kind};
use brawn_payload::Profile;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const USAGE: &str = "brawn run [OPTIONS] [--] <PROGRAM> [ARGS]...";

/// Run a finished static musl program with brawn's heap, memory and other functions.
///
/// The program's file does not change: brawn makes a rewritten copy (`brawn rewrite`), keeps it in the user's cache,
/// and runs the copy.  The next run finds the copy there.  Arguments, environment, input and output, signals and the
/// exit code are the program's own, and so is its first argument.
///
/// Two things differ from the program itself: /proc/self/exe is the copy, which matters to programs that look for files
/// beside themselves, or that replace themselves; and programs that it starts are not rewritten, not even the program
/// itself if it starts itself by its name.
///
/// brawn refuses programs with setuid or setgid bits or file capabilities, dynamic executables (for those of musl, use
/// `brawn preload`), and everything that `brawn rewrite` refuses.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("run"), override_usage = USAGE, disable_version_flag = true)]
pub struct Args {
    /// The heap's variant.
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArg,

    #[command(flatten)]
    parts: Parts,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// If the program cannot be rewritten, run it as it is.
    #[arg(long)]
    or_plain: bool,

    /// Record who asks for memory (profile `trace`), and write a profile for `pprof` to FILE and a page with flame graphs
    /// beside it when the program has ended (`p.pb.gz` and `p.html`): `brawn heap-profile` says how it is made.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["profile", "or_plain"])]
    heap_profile: Option<PathBuf>,

    /// With --heap-profile: record one block for about this many bytes that the program asks for.
    #[arg(long, value_name = "BYTES", default_value_t = 512 << 10, requires = "heap_profile", value_parser = clap::value_parser!(u64).range(1..))]
    heap_interval: u64,

    /// Say on standard error where the rewritten program comes from.
    #[arg(short, long)]
    verbose: bool,

    /// A program, as a path or a name to look for in PATH, and its arguments: all that follows its name.
    // One argument for both: behind a first argument of its own, clap would still take words for brawn's options.
    #[arg(required = true, trailing_var_arg = true, num_args = 1.., value_names = ["PROGRAM", "ARGS"])]
    program: Vec<OsString>,
}

/// What kept the program from running.
#[derive(Debug)]
pub enum Stop {
    /// There is no such program.
    NotFound(Error),
    /// It exists, but cannot be rewritten or run.
    Refused(Error),
    /// brawn itself failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error.kind() {
            _ if error.os() == Some(ErrorKind::OutOfMemory) => Self::Failed(error),
            Kind::Io | Kind::Usage | Kind::RestoreRefused => Self::Failed(error),
            Kind::Malformed | Kind::Refused | Kind::NotApplicable => Self::Refused(error),
        }
    }
}

/// Replaces this process by the program.  Returns only if that failed, with the reason.
pub fn run(args: &Args) -> Exit {
    let Err(stop) = match &args.heap_profile {
        Some(file) => recorded::run(args, file),
        None => launch(args),
    };
    stop.report()
}

impl Stop {
    /// Prints it.
    pub fn report(self) -> Exit {
        let (exit, error) = match self {
            Self::NotFound(error) => (Exit::RunNotFound, error),
            Self::Refused(error) => (Exit::RunRefused, error),
            Self::Failed(error) => (Exit::RunFailed, error),
        };
        ui::error(&error);
        exit
    }
}

impl Args {
    /// The program as it was named.
    fn name(&self) -> &OsStr {
        // clap has made sure that there is one.
        self.program.first().map_or(OsStr::new(""), |name| name)
    }

    /// Says `text` about `program`, with `--verbose`.
    fn note(&self, program: &Path, text: &str) {
        if self.verbose {
            ui::info(&format!("{}: {text}", shown(program)));
        }
    }
}

fn launch(args: &Args) -> Result<Infallible, Stop> {
    let program = search::search(args.name())?;
    // A cached program may be removed between the check and the start.
    for _ in 0..2 {
        let ready = match prepare(&program, args) {
            Ok(ready) => ready,
            Err(Stop::Refused(error) | Stop::Failed(error)) if args.or_plain => {
                let why = error.without_path();
                args.note(&program, &format!("the program runs as it is: {why}"));
                return Err(execute(&program, args, &program).1);
            }
            Err(stop) => return Err(stop),
        };
        let (kind, stop) = execute(&ready.path(&program), args, &program);
        if kind != ErrorKind::NotFound {
            return Err(stop);
        }
    }
    Err(execute(&program, args, &program).1)
}

/// Finds or makes the file that is run instead of the program.
fn prepare(program: &Path, args: &Args) -> Result<cached::Ready, Stop> {
    let ask = cached::Ask {
        profile: match args.heap_profile {
            Some(_) => Profile::Trace,
            None => args.profile.into(),
        },
        components: args.parts.components()?,
        builds: &args.signatures.read()?,
    };
    cached::prepare(program, &ask, &|text| args.note(program, text))
}

/// Starts the file at `path` in place of the program that the user named; returns only if that failed, with the reason.
fn execute(path: &Path, args: &Args, program: &Path) -> (ErrorKind, Stop) {
    let error = exec::execute(path, &args.program, None);
    let kind = error.kind();
    (kind, Stop::Refused(exec::failed(path, error).path(program)))
}

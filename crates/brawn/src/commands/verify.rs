//! `brawn verify`: tests a toolchain with the conformance programs, or says which functions of finished executables are
//! replaced.

mod executables;
mod toolchain;

use crate::builds::SignaturesArg;
use crate::exit::Exit;
use crate::profile::ProfileArg;
use brawn_core::Error;
use std::path::PathBuf;

const USAGE: &str = "brawn verify [OPTIONS] --cc <COMMAND> [--cxx <COMMAND>]
       brawn verify [OPTIONS] <PATHS>...";

/// Check a toolchain with conformance programs, or an executable by its functions.
///
/// With --cc, your own command builds every program, once with brawn's heap and once with musl's. A program that fails
/// only with brawn's heap is a new failure.  If the toolchain is not patched, the payload is put on its link line.
/// Files are written only to a temporary directory, or to --keep.
///
/// With paths, it says which functions of the heap are brawn's, musl's or the program's own. In a program without
/// symbols, it finds them by their code; --signatures adds more of it.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("verify"), override_usage = USAGE)]
pub struct Args {
    /// Static executables.
    #[arg(required_unless_present_any = ["cc", "list"], conflicts_with_all = ["cc", "list"])]
    paths: Vec<PathBuf>,

    /// The command that compiles and links your static C programs, as in 'musl-gcc -static'.
    #[arg(long, value_name = "COMMAND", value_parser = words)]
    cc: Option<Words>,

    /// The same for C++; without it, C++ programs are not run.
    #[arg(long, value_name = "COMMAND", value_parser = words, requires = "cc", conflicts_with = "paths")]
    cxx: Option<Words>,

    /// The command that runs programs of another architecture, as in qemu-aarch64.
    #[arg(long, value_name = "COMMAND", value_parser = words, requires = "cc", conflicts_with = "paths")]
    runner: Option<Words>,

    /// The payload's variant, for a toolchain that is not patched.
    #[arg(long, value_enum, default_value_t = ProfileArg::Fast, requires = "cc", conflicts_with = "paths")]
    profile: ProfileArg,

    /// Only this PROGRAM or PROGRAM/CASE, or those whose names contain this text; may be repeated.
    #[arg(long, value_name = "TEXT", requires = "cc", conflicts_with = "paths")]
    filter: Vec<String>,

    /// How many compilers or programs run at once [default: one for each processor].
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..), requires = "cc", conflicts_with = "paths")]
    jobs: Option<u16>,

    /// Repeat threads and forks as often as brawn's own tests do; takes some minutes.
    #[arg(long, requires = "cc", conflicts_with = "paths")]
    full: bool,

    /// Keep everything that is built in this directory, which must be new or empty.
    #[arg(long, value_name = "DIR", requires = "cc", conflicts_with = "paths")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// Print every case.
    #[arg(long, short)]
    verbose: bool,

    /// List the cases and what they state, and run none.
    #[arg(long, conflicts_with_all = ["cc", "filter", "jobs", "full", "keep", "runner"])]
    list: bool,

    /// Print JSON: one object with --cc, an array with one object for each executable.
    #[arg(long)]
    json: bool,
}

/// A command, split as a shell does.
#[derive(Clone, Debug)]
struct Words(Vec<String>);

fn words(text: &str) -> Result<Words, String> {
    match shell_words::split(text) {
        Ok(words) if words.is_empty() => Err("expected a command, found nothing".to_owned()),
        Ok(words) => Ok(Words(words)),
        Err(e) => Err(format!("{e}: expected quotes as in a shell")),
    }
}

pub fn run(args: &Args) -> brawn_core::Result<Exit> {
    if args.signatures.is_given() && args.paths.is_empty() {
        return Err(Error::usage("`--signatures` without an executable")
            .expected("the paths of executables, and neither `--cc` nor `--list`"));
    }
    if args.list {
        return toolchain::list(args.json);
    }
    match &args.cc {
        Some(cc) => toolchain::run(args, &cc.0),
        None => executables::run(args),
    }
}

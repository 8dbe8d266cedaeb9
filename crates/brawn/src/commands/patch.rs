//! `brawn patch`: exchanges heap and memory functions in `libc.a`.

mod bundle;
mod say;

use crate::exit::Exit;
use crate::file;
use crate::only::Parts;
use crate::profile::ProfileArg;
use crate::report;
use crate::ui;
use crate::walk::{Libcs, walk};
use crate::which::{self, Which};
use brawn_core::archive::plan::{Action, Plan};
use brawn_core::archive::{Options, edit};
use brawn_core::bundle::Target;
use brawn_core::component::Component;
use brawn_core::format::Format;
use brawn_core::publish::{self, Published};
use brawn_core::{Error, Kind, Result, toolchains};
use brawn_payload::payloads;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Replace musl's heap, memory and other functions in a libc.a.
///
/// PATH is one libc.a, a directory (then in every libc.a in it), or a bundle of a Swift SDK; or flags name toolchains.
/// Programs that are linked from then on have them; programs that were built before have to be linked again.
///
/// The file is replaced atomically and keeps its owner, mode and extended attributes.  The original is kept beside it
/// as libc.a.brawn-original, with the record libc.a.brawn.json; `brawn restore` puts it back.  A symlink is followed:
/// the file that it points at is patched.  Other hard links to the file keep the old contents; the output says how many
/// there are.  A file that is already patched does not change; an older payload is upgraded.  Where options choose other
/// parts for it (`--only`, `--without`, `--math`, `--sort`, `--buffers`), it is made again from its original.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("patch"), override_usage = USAGE)]
pub struct Args {
    /// A libc.a, or a directory to search for them; a bundle of a Swift SDK (NAME.artifactbundle.tar.gz,
    /// or unpacked).
    #[arg(required_unless_present = "toolchains", conflicts_with = "toolchains")]
    path: Option<PathBuf>,

    /// Write the patched archive here, and leave PATH alone.
    #[arg(short, long, value_name = "OUT", conflicts_with = "toolchains")]
    output: Option<PathBuf>,

    /// Print what would be done, and write nothing.
    #[arg(short = 'n', long, conflicts_with = "output")]
    dry_run: bool,

    /// Print a JSON array with one object for each archive.
    #[arg(long)]
    json: bool,

    /// Print what is removed, added and kept, and where the payload comes from.
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,

    #[command(flatten)]
    parts: Parts,

    /// Also replace a mimalloc that somebody put in place of musl's heap, and supply the functions that were removed
    /// with it.
    ///
    /// Swift's static Linux SDK 0.1.0 has such a libc.a, and the recipe with `ar` for Rust makes one.  brawn supplies
    /// strdup, strndup, wcsdup and C++'s operators new and delete if the archive would lack them.
    #[arg(long)]
    upgrade: bool,

    /// The heap's variant [default: the one that it already has, otherwise fast].
    #[arg(long, value_enum)]
    profile: Option<ProfileArg>,

    // This comes last, since everything after it would be under its heading.
    #[command(flatten)]
    which: Which,
}

const USAGE: &str = "brawn patch [OPTIONS] <PATH>
       brawn patch [OPTIONS] <--rust|--system|--musl-cross|--zig|--swift|--all>...";

/// What became of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Patched,
    Upgraded,
    Unchanged,
    Planned,
    LeftAlone,
    Failed,
}

/// One archive's line, and its object in `--json`.
type Report = report::Report<Status, Details>;

/// Further facts about an archive.
#[derive(Debug, Default, Serialize)]
struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    published: Option<Published>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<bundle::Bundle>,
    /// Of a libc.a in an unpacked bundle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Target>,
}

fn failed(path: &Path, error: &Error) -> Report {
    Report::failed(path, Status::Failed, error)
}

fn left_alone(path: &Path, why: String) -> Report {
    let mut report = Report::new(path, Status::LeftAlone);
    report.reason = Some(why);
    report
}

pub fn run(args: &Args) -> Exit {
    let mut kinds = Vec::new();
    let usage = match args.parts.components() {
        Ok(parts) if args.upgrade && !parts.contains(&Component::Heap) => {
            let without =
                Error::usage("`--upgrade` together with an option that leaves the heap as it is");
            Some(without.expected("one of them: `--upgrade` is about the heap"))
        }
        Ok(_) => None,
        Err(error) => Some(error),
    };
    let reports = match (usage, &args.path) {
        (Some(error), path) => {
            let path = path.as_deref().unwrap_or(Path::new(""));
            vec![failed(path, &error)]
        }
        (None, Some(path)) => named(args, path),
        (None, None) => toolchains(args, &mut kinds),
    };
    let exit = reports.iter().map(|r| r.exit).max().unwrap_or_default();
    if args.json {
        ui::json(&reports);
    } else {
        reports.iter().for_each(|r| say::print(r, args.verbose));
        say::closing(args, &reports);
    }
    which::note_relinking(&kinds);
    exit
}

fn named(args: &Args, path: &Path) -> Vec<Report> {
    let is_folder = std::fs::metadata(path).is_ok_and(|m| m.is_dir());
    match (is_folder, &args.output) {
        (true, Some(_)) => {
            let error = Error::usage("`-o` with a directory")
                .expected("one archive")
                .path(path);
            vec![failed(path, &error)]
        }
        (true, None) => {
            let bundle = bundle::unpacked(path);
            let reports = bundle.and_then(|root| bundle::folder(args, path, &root));
            reports.unwrap_or_else(|| folder(args, path))
        }
        (false, _) => {
            let done = match bundle::may_be_file(path) {
                true => bundle::file(args, path),
                false => archive(args, path),
            };
            vec![done.unwrap_or_else(|e| failed(path, &e))]
        }
    }
}

/// The toolchains that flags name; the kinds of changed ones are added to `changed`.
fn toolchains(args: &Args, changed: &mut Vec<toolchains::ToolchainKind>) -> Vec<Report> {
    let chosen = args.which.choose();
    let mut reports = Vec::with_capacity(chosen.toolchains.len());
    for toolchain in &chosen.toolchains {
        let report = one_of_many(args, &toolchain.archive.path);
        if matches!(report.status, Status::Patched | Status::Upgraded) {
            changed.push(toolchain.archive.kind);
        }
        reports.push(report);
    }
    let none = Path::new("");
    let errors = chosen.errors.iter();
    reports.extend(errors.map(|e| failed(e.file().unwrap_or(none), e)));
    if reports.iter().all(|r| r.status == Status::LeftAlone) {
        let error = Error::not_applicable("nothing in these toolchains that brawn can patch");
        reports.push(failed(none, &error));
    }
    reports
}

fn folder(args: &Args, path: &Path) -> Vec<Report> {
    let Libcs {
        archives,
        links,
        errors,
    } = walk(path);
    let mut reports: Vec<Report> = archives.iter().map(|a| one_of_many(args, a)).collect();
    let why = "a symlink: patched only where it points";
    reports.extend(links.iter().map(|link| left_alone(link, why.into())));
    reports.extend(errors.iter().map(|e| failed(e.file().unwrap_or(path), e)));
    if reports.iter().all(|r| r.status == Status::LeftAlone) {
        let error =
            Error::not_applicable("no libc.a of musl's in this directory that brawn can patch")
                .path(path);
        reports.push(failed(path, &error));
    }
    reports
}

/// An archive that the user did not name: brawn leaves it alone if it is not for brawn.
fn one_of_many(args: &Args, path: &Path) -> Report {
    match archive(args, path) {
        Ok(report) => report,
        Err(error) if error.kind() == Kind::NotApplicable => {
            left_alone(path, error.without_path().to_string())
        }
        Err(error) if args.which.is_any() => failed(path, &which::denied(error, path)),
        Err(error) => failed(path, &error),
    }
}

/// What the flags ask for.
fn options(args: &Args) -> Options<'_> {
    Options {
        components: args.parts.components().unwrap_or_default(),
        keeps: args.parts.is_plain(),
        profile: args.profile.map(Into::into),
        upgrade: args.upgrade,
    }
}

/// What is read whole; the start of anything else says what it is.
const FORMATS: [Format; 3] = [Format::Archive, Format::ThinArchive, Format::Elf];

fn archive(args: &Args, path: &Path) -> Result<Report> {
    let to = file::to(args.output.as_deref(), args.dry_run);
    let outcome = publish::file(path, &FORMATS, to, &file::notice, &|source| {
        edit(source, payloads(), &options(args))
    })?;
    let mut report = Report::new(path, status(outcome.plan.action, args.dry_run));
    report.output.clone_from(&args.output);
    report.details.plan = Some(outcome.plan);
    report.details.published = outcome.published;
    Ok(report)
}

fn status(action: Action, dry_run: bool) -> Status {
    match (action, dry_run) {
        (Action::Nothing, _) => Status::Unchanged,
        (_, true) => Status::Planned,
        (Action::Patch, false) => Status::Patched,
        (Action::Upgrade, false) => Status::Upgraded,
    }
}

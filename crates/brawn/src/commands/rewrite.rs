//! `brawn rewrite`: exchanges heap, memory and other functions in a finished executable.

use crate::builds::SignaturesArg;
use crate::exit::Exit;
use crate::file;
use crate::only::{self, Parts};
use crate::profile::ProfileArg;
use crate::report;
use crate::typed;
use crate::ui::{self, Tone};
use brawn_core::Result;
use brawn_core::component::Component;
use brawn_core::elf::program::Placement;
use brawn_core::format::Format;
use brawn_core::program;
use brawn_core::program::Options;
use brawn_core::program::plan::Plan;
use brawn_core::publish::{self, Published, To};
use brawn_core::shown::shown;
use brawn_core::signatures::names::Evidence;
use brawn_payload::payloads;
use serde::Serialize;
use std::path::PathBuf;

/// Replace musl's heap, memory and other functions in a finished static executable.
///
/// No source is needed.  brawn finds the functions by the program's symbols, or by their code if the program is
/// stripped.  It puts the payload behind the program's last segment, and makes the old functions jump to it.  It
/// refuses everything that is not known to be safe, and says why.  The file is replaced atomically and keeps its owner,
/// mode and extended attributes.  The original is kept beside it as EXE.brawn-original, with the record EXE.brawn.json;
/// `brawn restore EXE` puts it back.  A program that is already rewritten does not change; to change the payload, the
/// profile or the parts, brawn starts from the original.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("rewrite"))]
pub struct Args {
    /// A static executable of musl.
    #[arg(value_name = "EXE")]
    program: PathBuf,

    /// Write the rewritten program here, and leave EXE alone.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Print what would be done, and write nothing.
    #[arg(short = 'n', long, conflicts_with = "output")]
    dry_run: bool,

    /// Print a JSON object.
    #[arg(long)]
    json: bool,

    /// Print every function with its address, and where the payload comes from and goes to.
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,

    #[command(flatten)]
    parts: Parts,

    /// The heap's variant [default: the one that it already has, otherwise fast].
    #[arg(long, value_enum)]
    profile: Option<ProfileArg>,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// Rewrite it even if brawn would refuse.  Prints what may go wrong.
    #[arg(long)]
    force: bool,
}

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Rewritten,
    Upgraded,
    Unchanged,
    Planned,
    Failed,
}

/// The object that `--json` prints.
type Report = report::Report<Status, Details>;

/// Further facts about a program.
#[derive(Debug, Default, Serialize)]
struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    published: Option<Published>,
}

pub fn run(args: &Args) -> Exit {
    let report = rewrite(args).unwrap_or_else(|error| {
        Report::failed(&args.program, Status::Failed, &error.path(&args.program))
    });
    report.tell(args.json, |report| print(report, args))
}

fn rewrite(args: &Args) -> Result<Report> {
    let builds = args.signatures.read()?;
    let options = Options {
        components: args.parts.components()?,
        keeps: args.parts.is_plain(),
        force: args.force,
        builds: &builds.all,
    };
    let profile = args.profile.map(Into::into);
    let to = file::to(args.output.as_deref(), args.dry_run);
    let outcome = publish::file(
        &args.program,
        &[Format::Elf],
        to,
        &file::notice,
        &|source| program::edit(source, payloads(), profile, &options),
    )?;
    let status = match to {
        _ if !outcome.is_changed => Status::Unchanged,
        To::Nowhere => Status::Planned,
        To::Itself if outcome.is_again => Status::Upgraded,
        To::Itself | To::Another(_) => Status::Rewritten,
    };
    let mut report = Report::new(&args.program, status);
    report.output.clone_from(&args.output);
    report.details = Details {
        plan: outcome.plan,
        published: outcome.published,
    };
    Ok(report)
}

fn print(report: &Report, args: &Args) {
    let verbose = args.verbose;
    let path = shown(&report.path);
    if let Some(reason) = &report.reason {
        ui::error(reason);
        match report.reasons.len() {
            0 => {}
            _ if verbose => report.reasons.iter().for_each(|r| ui::info(r)),
            1 => ui::info("`-v` says what was found"),
            all => ui::info(&format!("`-v` lists all {all} reasons")),
        }
        return;
    }
    let (word, whose) = match report.status {
        Status::Rewritten => ("rewritten", "brawn's now"),
        Status::Upgraded => ("upgraded", "brawn's now"),
        Status::Planned => ("would do", "would be brawn's"),
        Status::Unchanged | Status::Failed => ("unchanged", ""),
    };
    let plan = report.details.plan.as_ref();
    let is_kept = plan.is_some_and(|plan| plan.kept);
    let plan = plan.filter(|_| report.status != Status::Unchanged);
    let text = match plan {
        Some(plan) => format!("{whose}: {}", functions(plan)),
        None => "nothing to do, it already has brawn's".to_owned(),
    };
    ui::line(Tone::Good, word, &format!("{path}: {text}"));
    for risk in plan.iter().flat_map(|plan| &plan.risks) {
        ui::line(Tone::Bad, "risked", &risk.text);
    }
    if is_kept {
        ui::more(only::KEPT);
    }
    if report.status == Status::Unchanged && !args.parts.is_plain() {
        ui::more("note  if it has other parts of brawn's, they stay");
    }
    for note in plan.iter().flat_map(|plan| &plan.notes) {
        ui::more(&format!("note  {note}"));
    }
    if let (Some(plan), true) = (plan, verbose) {
        ui::more(&source(plan));
        details(plan);
    }
    ui::written(&report.output, &report.details.published, verbose);
    closing(report, verbose);
}

/// How to undo it, and what to do next.
fn closing(report: &Report, verbose: bool) {
    let path = typed::path(&report.path);
    let result = report.output.as_ref().map_or(path.clone(), typed::path);
    match report.status {
        Status::Planned if verbose => ui::more("next  the same without `--dry-run`"),
        Status::Planned => {
            ui::more("next  the same without `--dry-run`; `-v` lists the functions");
        }
        Status::Rewritten | Status::Upgraded => {
            if report.details.published.is_some() {
                ui::more(&format!("undo  brawn restore {path}"));
            }
            ui::more(&format!(
                "next  run it as before; `brawn verify {result}` says whose functions it has"
            ));
        }
        Status::Unchanged | Status::Failed => {}
    }
}

/// How many functions of which part.
fn functions(plan: &Plan) -> String {
    let count = |is: &dyn Fn(&Component) -> bool, kind: &str, of: &str| {
        let functions = plan.functions.iter().filter(|f| is(&f.component));
        let count = functions.count();
        let s = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {kind} function{s}{of}"))
    };
    let heap = count(&|c| *c == Component::Heap, "heap", "");
    let heap = heap.map(|heap| match &plan.payload {
        Some(payload) => format!("{heap} (profile {})", payload.profile),
        None => heap,
    });
    let memory = count(&|c| *c == Component::Memory, "memory", "");
    let libc = count(&|c| c.is_libc(), "other", " of libc");
    let parts: Vec<String> = [heap, memory, libc].into_iter().flatten().collect();
    ui::listed(&parts)
}

/// What the program is, and where the payload comes from.
fn source(plan: &Plan) -> String {
    let kind = match plan.placement {
        Placement::Fixed => "static",
        Placement::Anywhere => "static-pie",
    };
    let payload = plan.payload.as_ref();
    let payload = payload.map(|p| format!("; {}, brawn {}, {}", p.engine, p.brawn, p.compiler));
    format!(
        "{}, {kind}{}",
        plan.architecture,
        payload.unwrap_or_default()
    )
}

/// The plan as a table.
fn details(plan: &Plan) {
    let width = plan.functions.iter().map(|f| f.name.len()).max();
    let width = width.unwrap_or_default();
    for function in &plan.functions {
        let evidence = match &function.evidence {
            Evidence::Symbol => "symbol".to_owned(),
            Evidence::Signature(build) => format!("code of {build}"),
            Evidence::Reference(build) => format!("referred to as in {build}"),
        };
        ui::more(&format!(
            "replaces  {:#10x}  {:<width$}  {evidence}",
            function.address, function.name
        ));
    }
    for left in &plan.left {
        ui::more(&format!(
            "stays     {:#10x}  {:<width$}  {}",
            left.address, left.name, left.why
        ));
    }
    if let Some(start) = &plan.start {
        ui::more(&format!("starts    {:#10x}  {start}", plan.entry));
    }
    for hook in &plan.hooks {
        ui::more(&format!("calls     {:#10x}  {}", hook.at, hook.target));
    }
    let layout = &plan.layout;
    let code = &layout.executable;
    ui::more(&format!(
        "adds      {:#10x}  {:>9} bytes of code",
        code.address, code.size
    ));
    if let Some(data) = &layout.writable {
        ui::more(&format!(
            "adds      {:#10x}  {:>9} bytes of data",
            data.segment.address, data.memory
        ));
    }
    if let Some(tls) = &layout.tls {
        let more = tls.block.payload_size;
        ui::more(&format!(
            "adds      {:>10}  {more:>9} bytes of each thread",
            ""
        ));
    }
}

//! The output of `patch`: what was done, how to undo it, what to do next; with `--verbose` everything that was removed
//! and added.

use super::bundle::Bundle;
use super::{Args, Report, Status};
use crate::only;
use crate::typed;
use crate::ui::{self, Tone};
use crate::which;
use brawn_core::archive::mimalloc;
use brawn_core::archive::plan::{Action, Memory, Plan, Removed, State, Why};
use brawn_core::bundle::{Alone, Archive, Target};
use brawn_core::component::Component;
use brawn_core::shown::shown;

/// One archive, or a bundle of them.
pub fn print(report: &Report, verbose: bool) {
    if let Some(found) = &report.details.bundle {
        return bundle(report, found, verbose);
    }
    let path = shown(&report.path);
    let reason = report.reason.as_deref().unwrap_or_default();
    let (word, does) = match report.status {
        Status::Failed => {
            ui::error(&reason);
            return;
        }
        Status::LeftAlone => {
            ui::line(Tone::Note, "left alone", &format!("{path}: {reason}"));
            return;
        }
        Status::Unchanged => ("unchanged", "nothing to do, it has"),
        Status::Planned => ("would patch", "it would have"),
        Status::Patched => ("patched", "it has"),
        Status::Upgraded => ("upgraded", "it has"),
    };
    let Some(plan) = &report.details.plan else {
        return;
    };
    ui::line(Tone::Good, word, &format!("{path}: {does} {}", holds(plan)));
    archive(plan, verbose);
    targets(&report.details.targets);
    ui::written(&report.output, &report.details.published, verbose);
}

/// The bundle, each libc in it, and what the user should do with it.
fn bundle(report: &Report, bundle: &Bundle, verbose: bool) {
    let path = shown(&report.path);
    let word = match report.status {
        Status::Patched => "patched",
        Status::Upgraded => "upgraded",
        Status::Planned => "would patch",
        _ => "unchanged",
    };
    ui::line(Tone::Good, word, &path.to_string());
    let common = common_folder(&bundle.archives);
    for found in &bundle.archives {
        let name = &found.member[common..];
        match &found.plan {
            None => {
                let reason = found.reason.as_deref().unwrap_or_default();
                ui::more(&format!("{name}: left alone: {reason}"));
            }
            Some(plan) => {
                let unchanged = match plan.action {
                    Action::Nothing if report.status != Status::Unchanged => "unchanged: ",
                    _ => "",
                };
                ui::more(&format!("{name}: {unchanged}{}", holds(plan)));
                archive(plan, verbose);
            }
        }
        targets(&found.targets);
        if found.other_names > 0 {
            let is_one = found.other_names == 1;
            ui::more(&format!(
                "{} hard link{} in the bundle {} with it",
                found.other_names,
                if is_one { "" } else { "s" },
                if is_one { "changes" } else { "change" },
            ));
        }
    }
    for Alone { target, reason } in &bundle.alone {
        let text = format!("{path}: target {}: {reason}", target.triple);
        ui::line(Tone::Note, "left alone", &text);
    }
    ui::written(&report.output, &report.details.published, verbose);
    if let Some(install) = &bundle.install {
        ui::line(Tone::Good, "checksum", &bundle.file.sha256);
        ui::more(install);
    }
}

/// How many bytes at the start of their paths all archives share, up to a slash; none for a single archive.
fn common_folder(archives: &[Archive]) -> usize {
    let [first, rest @ ..] = archives else {
        return 0;
    };
    if rest.is_empty() {
        return 0;
    }
    let ends = first.member.match_indices('/').map(|(at, _)| at + 1);
    let is_common = |end: &usize| {
        rest.iter()
            .all(|a| a.member.starts_with(&first.member[..*end]))
    };
    ends.take_while(is_common).last().unwrap_or(0)
}

/// Which targets link an archive.
fn targets(targets: &[Target]) {
    let triples: Vec<&str> = targets.iter().map(|t| t.triple.as_str()).collect();
    if let [first, ..] = targets {
        let Target {
            artifact, version, ..
        } = first;
        let triples = triples.join(", ");
        ui::more(&format!("for {triples} of {artifact} {version}"));
    }
}

/// How to undo the changes of the files, and what to do next; once for all files.
pub fn closing(args: &Args, reports: &[Report]) {
    let has = |wanted: Status| reports.iter().any(|r| r.status == wanted);
    if has(Status::Planned) {
        let more = match args.verbose {
            true => "",
            false => "; `-v` lists what is removed and added",
        };
        ui::more(&format!("next  the same without `--dry-run`{more}"));
        return;
    }
    if args.output.is_some() || !(has(Status::Patched) || has(Status::Upgraded)) {
        return;
    }
    let of = match &args.path {
        Some(path) => typed::path(path),
        None => shell_words::join(args.which.words()),
    };
    ui::more(&format!("undo  brawn restore {of}"));
    let is_bundle = reports.iter().any(|r| r.details.bundle.is_some());
    // Toolchains and bundles have their own messages.
    if args.path.is_some() && !is_bundle {
        ui::more(&format!("next  {}", which::RELINK));
    }
}

/// The parts of brawn's that an archive has or would have.
fn holds(plan: &Plan) -> String {
    let mut parts = Vec::new();
    if let Some(heap) = &plan.payload {
        parts.push(format!("heap (profile {})", heap.profile));
    }
    if plan.memory.as_ref().is_some_and(|m| m.why.is_none()) {
        parts.push("memory functions".to_owned());
    }
    if plan.libc.as_ref().is_some_and(|l| l.why.is_none()) {
        parts.push("others of libc".to_owned());
    }
    match parts.is_empty() {
        true => "nothing of brawn's".to_owned(),
        false => format!("brawn's {}", ui::listed(&parts)),
    }
}

fn part(component: Component) -> &'static str {
    match component {
        Component::Heap => "heap",
        Component::Memory => "memory functions",
        Component::Libc(_) => "other functions of libc",
        Component::Supplied => "supplied functions",
    }
}

/// Further lines about an archive.
fn archive(plan: &Plan, verbose: bool) {
    if plan.kept {
        ui::more(only::KEPT);
    }
    if !plan.had.is_empty() {
        let parts: Vec<String> = plan.had.iter().map(|c| part(*c).to_owned()).collect();
        ui::more(&format!(
            "note  brawn's {} are in it from before, and stay",
            ui::listed(&parts)
        ));
    }
    if verbose {
        if !(plan.remove.is_empty() && plan.add.is_empty()) {
            ui::more(&counts(plan));
        }
        sources(plan);
        details(plan);
    }
    staying(plan, verbose);
}

fn counts(plan: &Plan) -> String {
    let go = match plan.remove.len() {
        1 => "1 member removed".to_owned(),
        count => format!("{count} members removed"),
    };
    let come = plan.add.len();
    format!(
        "{}, {go}, {come} added, {} unchanged",
        plan.architecture, plan.keep
    )
}

/// Where the payload is from.
fn sources(plan: &Plan) {
    if let Some(heap) = &plan.payload {
        ui::more(&format!(
            "heap: {}, brawn {}, {}",
            heap.engine, heap.brawn, heap.compiler
        ));
    }
    for (set, what) in sets(plan) {
        if let (Some(brawn), Some(compiler)) = (&set.brawn, &set.compiler) {
            ui::more(&format!("{what}: brawn {brawn}, {compiler}"));
        }
    }
}

/// The sets of functions in the plan, with their names.
fn sets(plan: &Plan) -> impl Iterator<Item = (&Memory, &'static str)> {
    let memory = plan.memory.iter().map(|set| (set, "memory functions"));
    memory.chain(plan.libc.iter().map(|set| (set, "others of libc")))
}

/// Which functions stay, and why.
fn staying(plan: &Plan, verbose: bool) {
    for (set, what) in sets(plan) {
        if let (State::Stay, Some(why)) = (set.state, &set.why) {
            ui::more(&format!("{what} stay: {why}"));
            continue;
        }
        for member in set.stay.iter().filter(|_| verbose) {
            let names = member.defines.join(" ");
            ui::more(&format!(
                "stays    {}: {names}: {}",
                member.name, member.why
            ));
        }
    }
}

/// The names that are removed with a member; for mimalloc only those that others call, since it has hundreds of its
/// own.
fn gone(removed: &Removed) -> String {
    let is_own = |name: &&String| removed.why == Why::Mimalloc && mimalloc::is_own(name.as_bytes());
    let (own, names): (Vec<&String>, Vec<&String>) = removed.defines.iter().partition(is_own);
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    if !own.is_empty() {
        names.push(format!("and {} names of its own", own.len()));
    }
    names.join(" ")
}

/// The plan as a table.
fn details(plan: &Plan) {
    // Names may be whole paths, which would push the other columns off the screen.
    let names = plan.remove.iter().map(|r| r.name.chars().count());
    let width = names.filter(|n| *n <= 32).max().unwrap_or(0).max(16);
    for removed in &plan.remove {
        let why = match removed.why {
            Why::MuslHeap => "musl's heap",
            Why::Mimalloc => "mimalloc",
            Why::MuslMemory => "musl's memory",
            Why::MuslLibc => "musl's libc",
            Why::OtherPayload => "other payload",
        };
        ui::more(&format!(
            "removes  {:<width$}  {:>#9x}  {why:<13}  {}",
            removed.name,
            removed.offset,
            gone(removed)
        ));
    }
    for added in &plan.add {
        let line = format!(
            "adds     {:<width$}  {:>9} bytes  {}",
            added.name,
            added.size,
            added.defines.join(" ")
        );
        ui::more(line.trim_end());
    }
}

//! `brawn verify PATH…`.

use super::Args;
use crate::exit::Exit;
use crate::ui::{self, Tone};
use brawn_core::error::printable;
use brawn_core::format::Format;
use brawn_core::input;
use brawn_core::report::verify::{Function, Group, Provider, Verdict, Verification, verify_with};
use brawn_core::signatures::Build;
use brawn_core::{Error, Result, shown};
use serde::Serialize;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// One file's object in `--json`.
#[derive(Serialize)]
#[serde(untagged)]
enum Object {
    Looked(Box<File>),
    /// One that was refused or could not be read.
    Failed {
        #[serde(serialize_with = "shown::path")]
        path: PathBuf,
        status: &'static str,
        reason: String,
    },
}

#[derive(Serialize)]
struct File {
    #[serde(serialize_with = "shown::path")]
    path: PathBuf,
    #[serde(flatten)]
    report: Verification,
}

pub fn run(args: &Args) -> Result<Exit> {
    let mut exit = Exit::Success;
    let mut files = Vec::new();
    let builds = args.signatures.read()?.all;
    for path in &args.paths {
        match look(path, &builds) {
            Ok(report) => {
                if !report.verdict.is_good() {
                    exit = exit.max(Exit::Finding);
                }
                let path = path.clone();
                files.push(Object::Looked(Box::new(File { path, report })));
            }
            Err(error) => {
                ui::error(&error);
                exit = exit.max(error.kind().into());
                files.push(Object::Failed {
                    path: path.clone(),
                    status: "failed",
                    reason: error.without_path().to_string(),
                });
            }
        }
    }
    if args.json {
        ui::json(&files);
    } else {
        for file in &files {
            if let Object::Looked(file) = file {
                print(file, args.verbose);
            }
        }
    }
    Ok(exit)
}

fn look(path: &Path, builds: &[Build]) -> Result<Verification> {
    // The start of anything else says what it is.
    let formats = [Format::Elf, Format::Archive, Format::ThinArchive];
    let bytes = input::read_if(path, &formats).map_err(|e| {
        let error = match e.kind() {
            std::io::ErrorKind::NotFound => Error::io("cannot find it", e),
            _ => input::failed("cannot read it", e),
        };
        error.path(path)
    })?;
    verify_with(&bytes, brawn_payload::payloads(), builds).map_err(|e| e.path(path))
}

fn print(file: &File, is_verbose: bool) {
    let report = &file.report;
    let tone = match report.verdict {
        Verdict::Replaced | Verdict::NoHeap | Verdict::OtherHeap => Tone::Good,
        Verdict::Own | Verdict::Unknown => Tone::Note,
        Verdict::NotReplaced | Verdict::Mixed => Tone::Bad,
    };
    let path = printable(file.path.as_os_str().as_bytes());
    let what = format!("{path}: {} ({})", report.why, report.sure.name());
    ui::line(tone, report.verdict.name(), &what);
    if let Some(note) = &report.note {
        ui::more(&format!(
            "note: brawn {}, {}, profile {}, {}",
            note.brawn, note.engine, note.profile, note.architecture
        ));
    }
    for (note, what) in [
        (&report.memory_note, "memory functions"),
        (&report.libc_note, "others of libc"),
    ] {
        if let Some(note) = note {
            let (brawn, architecture) = (&note.brawn, &note.architecture);
            ui::more(&format!("note: brawn {brawn}, {what}, {architecture}"));
        }
    }
    for found in &report.beside {
        let evidence = printable(found.evidence.join("; ").as_bytes());
        ui::more(&format!(
            "beside: {}, by {evidence} ({})",
            found.title(),
            found.sure.name()
        ));
    }
    if is_verbose {
        report.functions.iter().for_each(function);
        return;
    }
    for (group, title) in [
        (Group::Heap, "heap"),
        (Group::Memory, "memory"),
        (Group::Libc, "libc"),
        (Group::Supplied, "supplied"),
    ] {
        for provider in Provider::ALL {
            let names = report.functions.iter();
            let names = names.filter(|f| f.group == group && f.provider == provider);
            let names: Vec<&str> = names.map(|f| f.name).collect();
            if !names.is_empty() {
                let lead = format!("{title:<6}  {:<9}  ", provider.name());
                wrap(&lead, &names);
            }
        }
    }
}

fn function(function: &Function) {
    let address = function
        .address
        .map_or_else(String::new, |a| format!("{a:#x}"));
    ui::more(&format!(
        "{:<18}  {:>10}  {:<9}  {:<7}  {}",
        function.name,
        address,
        function.provider.name(),
        function.sure.name(),
        function.evidence
    ));
}

/// Names after `lead`, on as many lines as the terminal needs.
fn wrap(lead: &str, names: &[&str]) {
    // The indentation of `ui::more`, and one column between.
    let room = ui::width().map_or(usize::MAX, |w| w.saturating_sub(12 + lead.len()).max(20));
    let mut line = String::new();
    let mut lead = lead.to_owned();
    for name in names {
        if !line.is_empty() && line.len() + 1 + name.len() > room {
            ui::more(&format!("{lead}{line}"));
            lead = " ".repeat(lead.len());
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(name);
    }
    ui::more(&format!("{lead}{line}"));
}

//! `brawn run --heap-profile`: brawn stays beside the program, and makes a profile of what it recorded.

use super::passed::{self, Signals};
use super::{Args, Stop, cached, prepare, search};
use crate::commands::heap_profile;
use crate::data;
use crate::exec;
use crate::ui;
use brawn_core::publish::check_report;
use brawn_core::shown::shown;
use brawn_core::{Error, Kind};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Runs the program to its end, writes its profile, and exits as it did.  Returns only what kept it from running.
pub fn run(args: &Args, file: &Path) -> Result<Infallible, Stop> {
    let status = record(args, file)?;
    let code = status.code();
    std::process::exit(code.unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

fn record(args: &Args, file: &Path) -> Result<ExitStatus, Stop> {
    let program = search::search(args.name())?;
    let ready = prepare(&program, args)?;
    if matches!(ready, cached::Ready::AsItIs) {
        let error = Error::not_applicable(
            "musl's own heap is not in it, so brawn's cannot record in its place",
        );
        let next = "a program that is linked with brawn records by itself, if that was with `--profile trace`: \
                    `brawn heap-profile --help`";
        return Err(Stop::Refused(error.path(&program).next(next)));
    }
    let (for_pprof, page) = files(file);
    let written = [Some(for_pprof.clone()), Some(page.clone())];
    data::check_apart(&written, [program.as_path()]).map_err(Stop::Failed)?;
    for file in [&for_pprof, &page] {
        // Afterwards it would be too late: the program has done its work.
        check_report(file).map_err(Stop::Failed)?;
    }
    let failed = |doing: &str, error| Stop::Failed(Error::io(doing, error));
    let folder = tempfile::Builder::new()
        .prefix("brawn-heap-")
        .tempdir()
        .map_err(|error| failed("cannot make a temporary directory for the recording", error))?;
    let recording = folder.path().join("recording");
    let mut command = Command::new(ready.path(&program));
    command.arg0(args.name()).args(&args.program[1..]);
    command.env("BRAWN_OPTIONS", options(args, &recording));
    passed::as_inherited(&mut command);
    // From here on signals are the program's: it decides what they mean, and brawn ends after it.
    let signals = Signals::watch().map_err(|error| failed("cannot watch for signals", error))?;
    exec::own_memory::OwnMemory::look().forget();
    let mut child = command
        .spawn()
        .map_err(|error| Stop::Refused(exec::failed(&program, error).path(&program)))?;
    let status = signals.wait(&mut child);
    let status = status.map_err(|error| failed("cannot wait for the program", error))?;
    let kept = |recording: &Path| {
        let recording = shown(recording);
        format!(
            "the recording is kept: `brawn heap-profile {recording}` shows it; remove it afterwards"
        )
    };
    // From here on the exit code is the program's, whatever becomes of the profile; but brawn may be told not to wait for its reader.
    let words = format!("brawn: ended by a signal; {}\n", kept(&recording));
    passed::end_at_signals(words).map_err(|error| failed("cannot watch for signals", error))?;
    if let Err(error) = profile(&program, &recording, &for_pprof, &page) {
        ui::error(&error);
        // A recording without a block is of no use.
        if error.kind() != Kind::NotApplicable {
            ui::info(&kept(&folder.keep().join("recording")));
        }
    }
    Ok(status)
}

/// Makes the profile of what the program has recorded.
fn profile(
    program: &Path,
    recording: &Path,
    for_pprof: &Path,
    page: &Path,
) -> brawn_core::Result<()> {
    if !recording.exists() {
        let found =
            "the program recorded nothing: it asked for no memory, or could not make a file";
        return Err(Error::not_applicable(found).path(program));
    }
    // The recording's own path is gone when somebody reads it.
    let profile = heap_profile::read(recording, None).map_err(|e| match e.kind() {
        Kind::NotApplicable => Error::not_applicable(e.without_path().to_string()).path(program),
        _ => e,
    })?;
    let title = shown(program).to_string();
    heap_profile::write(&profile, &title, for_pprof, page)?;
    ui::info(&heap_profile::headline(&profile));
    ui::info(&format!(
        "written: {} for pprof, {} for the browser",
        shown(for_pprof),
        shown(page)
    ));
    Ok(())
}

/// The user's own options, then ours: a file's name goes to the end, and the user's would take ours with it.
fn options(args: &Args, recording: &Path) -> OsString {
    let mut options = without_file(&std::env::var_os("BRAWN_OPTIONS").unwrap_or_default());
    if !options.is_empty() {
        options.push(",");
    }
    options.push(format!(
        "heap_interval={},heap_profile=",
        args.heap_interval
    ));
    options.push(recording);
    options
}

/// `options` up to the file's name.
fn without_file(options: &OsStr) -> OsString {
    const FILE: &[u8] = b"heap_profile=";
    let bytes = options.as_bytes();
    let mut items = bytes.split(|byte| *byte == b',');
    let mut end = 0;
    while let Some(item) = items.next().filter(|item| !item.starts_with(FILE)) {
        end += item.len() + 1;
    }
    // Without the comma behind the last item.
    OsStr::from_bytes(&bytes[..end.saturating_sub(1)]).to_owned()
}

/// The profile's file and the page beside it, by the name that was given for either.
fn files(given: &Path) -> (PathBuf, PathBuf) {
    let ends = |end: &str| given.to_string_lossy().ends_with(end);
    if ends(".html") {
        return (given.with_extension("pb.gz"), given.to_owned());
    }
    let stem = match ends(".pb.gz") {
        true => given.with_extension(""),
        false => given.to_owned(),
    };
    (given.to_owned(), stem.with_extension("html"))
}

#[cfg(test)]
mod tests;

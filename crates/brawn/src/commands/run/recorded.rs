//! `brawn run --heap-profile`: brawn stays beside the program, and makes a profile of what it recorded.

use super::{Args, Stop, cached, prepare, search};
use crate::commands::heap_profile;
use crate::exec;
use crate::ui;
use brawn_core::Error;
use brawn_core::shown::shown;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the program to its end, writes its profile, and exits as it did.  Returns only what kept it from running.
pub fn run(args: &Args, file: &Path) -> Stop {
    match record(args, file) {
        Ok(status) => {
            let code = status.code();
            std::process::exit(code.unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
        }
        Err(stop) => stop,
    }
}

fn record(args: &Args, file: &Path) -> Result<ExitStatus, Stop> {
    let program = search::search(args.name())?;
    let note = |text: &str| {
        if args.verbose {
            ui::info(&format!("{}: {text}", shown(&program)));
        }
    };
    let ready = prepare(&program, args, &note)?;
    if matches!(ready, cached::Ready::AsItIs) {
        let error = Error::not_applicable(
            "musl's own heap is not in it, so brawn's cannot record in its place",
        );
        let next = "a program that is linked with brawn records by itself, if that was with `--profile trace`: \
                    `brawn heap-profile --help`";
        return Err(Stop::Refused(error.path(&program).next(next)));
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
    // From here on signals are the program's: it decides what they mean, and brawn ends after it.
    let signals = Signals::watch().map_err(|error| failed("cannot watch for signals", error))?;
    exec::own_memory::OwnMemory::look().forget();
    let mut child = command
        .spawn()
        .map_err(|error| Stop::Refused(exec::failed(&program, error).path(&program)))?;
    signals.pass_on(&child);
    let status = wait(&mut child).map_err(|error| failed("cannot wait for the program", error))?;
    let (for_pprof, page) = files(file);
    let profile = match recording.exists() {
        true => heap_profile::read(&recording, None),
        false => Err(Error::not_applicable(
            "the program recorded nothing: it asked for no memory, or could not make a file",
        )),
    };
    // The recording's own path is gone when somebody reads it.
    let profile = profile.map_err(|e| Stop::Failed(e.path(&program)))?;
    let title = shown(&program).to_string();
    heap_profile::write(&profile, &title, &for_pprof, &page).map_err(Stop::Failed)?;
    ui::info(&heap_profile::headline(&profile));
    ui::info(&format!(
        "written: {} for pprof, {} for the browser",
        shown(&for_pprof),
        shown(&page)
    ));
    Ok(status)
}

/// The user's own options, then ours: the file's name goes to the end.
fn options(args: &Args, recording: &Path) -> OsString {
    let mut options = std::env::var_os("BRAWN_OPTIONS").unwrap_or_default();
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

fn wait(child: &mut Child) -> std::io::Result<ExitStatus> {
    loop {
        match child.wait() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            ended => return ended,
        }
    }
}

/// Signals that people send to brawn and mean for the program.
struct Signals {
    /// Where a byte comes for each that only brawn gets.
    pipes: Vec<(Signal, UnixStream)>,
}

impl Signals {
    fn watch() -> std::io::Result<Self> {
        // A terminal sends these to the program, too.
        for signal in [SIGINT, SIGQUIT] {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        let mut pipes = Vec::new();
        for (number, signal) in [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP)] {
            let (pipe, end) = UnixStream::pair()?;
            signal_hook::low_level::pipe::register(number, end)?;
            pipes.push((signal, pipe));
        }
        Ok(Self { pipes })
    }

    /// Sends the program what comes.
    fn pass_on(self, child: &Child) {
        let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return;
        };
        for (signal, mut pipe) in self.pipes {
            std::thread::spawn(move || {
                while matches!(pipe.read(&mut [0]), Ok(1)) {
                    // It may have ended by itself.
                    let _ = kill_process(process, signal);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_stands_beside_the_profile() {
        let of = |given: &str| {
            let (pprof, page) = files(Path::new(given));
            (
                pprof.to_string_lossy().into_owned(),
                page.to_string_lossy().into_owned(),
            )
        };
        let both = ("a/heap.pb.gz".into(), "a/heap.html".into());
        assert_eq!(of("a/heap.pb.gz"), both);
        assert_eq!(of("a/heap.html"), both);
        assert_eq!(of("heap"), ("heap".into(), "heap.html".into()));
        assert_eq!(
            of("v1.2/heap"),
            ("v1.2/heap".into(), "v1.2/heap.html".into())
        );
    }
}

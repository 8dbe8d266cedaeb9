//! Signals that end brawn early, with everything that it runs.

use crate::bar::Bar;
use crate::inherited;
use brawn_core::{Error, Result};
use brawn_lab::run::request::Host;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Signals that end brawn and the programs that it runs.
pub struct Signals {
    pipe: UnixStream,
    which: Arc<AtomicUsize>,
    /// Whether nobody looks any more: then a signal ends brawn, which may wait for a reader of its results.
    over: Arc<AtomicBool>,
    /// A directory that goes with brawn.
    folder: OnceLock<PathBuf>,
}

impl Signals {
    /// Watches for them from now on.
    pub fn watch() -> Result<Self> {
        let failed = |error| Error::io("cannot watch for signals", error);
        let (pipe, end) = UnixStream::pair().map_err(failed)?;
        let which = Arc::default();
        let over = Arc::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // As `nohup` wants it.
            if inherited::is_ignored(signal) {
                continue;
            }
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&over))
                .map_err(failed)?;
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&which), number)
                .map_err(failed)?;
            let end = end.try_clone().map_err(failed)?;
            signal_hook::low_level::pipe::register(signal, end).map_err(failed)?;
        }
        let folder = OnceLock::new();
        Ok(Self {
            pipe,
            which,
            over,
            folder,
        })
    }

    /// What becomes readable when one came.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Makes sure that `folder` is removed if a signal ends brawn.
    pub fn removes(&self, folder: &Path) {
        let _ = self.folder.set(folder.to_owned());
    }

    /// Whether one came.
    pub fn is_any(&self) -> bool {
        self.which.load(Ordering::Relaxed) != 0
    }

    /// Ends brawn in the same way as the received signal would.
    pub fn obey(&self) -> Error {
        if let Some(folder) = self.folder.get() {
            // There is nobody left to tell.
            let _ = std::fs::remove_dir_all(folder);
        }
        let signal = self.which.load(Ordering::Relaxed);
        let signal = i32::try_from(signal).unwrap_or(SIGINT);
        let ended = signal_hook::low_level::emulate_default_handler(signal);
        Error::io(
            "cannot end by the signal",
            ended
                .err()
                .unwrap_or_else(|| std::io::ErrorKind::Interrupted.into()),
        )
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // One that came after the last look.
        if self.is_any() {
            let _ = self.obey();
        }
    }
}

/// Shows the progress of runs, and ends brawn where a signal says so.
pub struct Watched<'a> {
    signals: &'a Signals,
    /// Of all runs; hidden where there are none to count.
    pub bar: Bar,
}

impl<'a> Watched<'a> {
    /// With a bar on standard error.
    pub fn new(signals: &'a Signals) -> Self {
        let bar = Bar::new(0, "{bar:30} {pos}/{len} runs, {eta} left");
        Self { signals, bar }
    }

    /// Without one.
    pub fn hidden(signals: &'a Signals) -> Self {
        let bar = Bar::hidden();
        Self { signals, bar }
    }
}

impl Host for Watched<'_> {
    fn interrupt(&self) -> BorrowedFd<'_> {
        self.signals.file()
    }

    fn stopped(&self) -> Error {
        // The process ends here, so the bar is removed from the screen first.
        self.bar.clear();
        self.signals.obey()
    }

    fn cannot_run(&self, path: &Path, error: io::Error) -> Error {
        crate::exec::failed(path, error)
    }

    fn expect(&self, runs: u64) {
        self.bar.inc_length(runs);
    }

    fn advance(&self) {
        self.bar.inc(1);
    }
}

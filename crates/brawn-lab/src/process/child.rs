//! A command that runs beside this process until it ends, its time is over, or everything is to stop. Who started it
//! looks at it meanwhile: takes samples, asks a server. It is killed if this process is killed.

use super::kernel;
use rustix::process::{Signal, set_parent_process_death_signal};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child as Process, Command};
use std::time::{Duration, Instant};

/// A process of this one's own.
#[derive(Debug)]
pub struct Child {
    /// The process.
    pub process: Process,
    /// When it began.
    pub start: Instant,
    limit: Option<Duration>,
    interrupt: Option<RawFd>,
    is_interrupted: bool,
    /// What becomes readable when the process ends.
    end: Option<OwnedFd>,
}

impl Child {
    /// Starts it. After `limit` it is killed, and when the file `interrupt` becomes readable.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(
        command: &mut Command,
        limit: Option<Duration>,
        interrupt: Option<RawFd>,
    ) -> io::Result<Self> {
        let dies = || Ok(set_parent_process_death_signal(Some(Signal::KILL))?);
        // SAFETY: between fork and exec it only calls the kernel.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(dies)
        };
        let start = Instant::now();
        let process = command.spawn()?;
        Ok(Self {
            end: kernel::handle(process.id().cast_signed()).ok(),
            process,
            start,
            limit,
            interrupt,
            is_interrupted: false,
        })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How it ended, and what it used, if it has.
    ///
    /// # Errors
    /// Somebody else has waited for it.
    pub fn ended(&self) -> io::Result<Option<(libc::c_int, libc::rusage)>> {
        // The process is this one's child, and nothing else waits for it.
        let ended = kernel::reap(self.id().cast_signed(), libc::WNOHANG | libc::__WALL)?;
        Ok(ended.map(|(_, status, usage)| (status, usage)))
    }

    /// Sleeps, until the process ends at most, or until all is to stop.
    pub fn sleep(&self, pause: Duration) {
        let end = self.end.as_ref().map(|end| end.as_raw_fd());
        // The kernel would tell of the interrupt again and again.
        let interrupt = self.interrupt.filter(|_| !self.is_interrupted);
        is_readable([end, interrupt], pause);
    }

    /// An error if it was interrupted.
    ///
    /// # Errors
    /// `ErrorKind::Interrupted`.
    pub fn refuse_interrupted(&self) -> io::Result<()> {
        match self.is_interrupted {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Kills the process if it has run for too long, or if all is to stop.
    ///
    /// # Errors
    /// It cannot be killed.
    pub fn check_limit(&mut self) -> io::Result<()> {
        let interrupt = self.interrupt.filter(|_| !self.is_interrupted);
        if interrupt.is_some() && is_readable([interrupt, None], Duration::ZERO) {
            self.is_interrupted = true;
            self.process.kill()?;
        }
        if self.limit.is_some_and(|limit| self.start.elapsed() > limit) {
            self.limit = None;
            self.process.kill()?;
        }
        Ok(())
    }

    /// Ends it, and waits for that.
    pub fn stop(&mut self) {
        // It may have ended by now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether one of the files becomes readable within this time.
fn is_readable(files: [Option<RawFd>; 2], within: Duration) -> bool {
    kernel::poll(files, Some(within)).is_ok_and(|ready| ready.contains(&true))
}

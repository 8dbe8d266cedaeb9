//! What the kernel says about processes: when they end, what they used, what is in `/proc`.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::time::Duration;

/// A handle that becomes readable when `process` ends.
///
/// # Errors
/// There is no such process; the kernel is older than Linux 5.3.
pub fn handle(process: libc::pid_t) -> io::Result<OwnedFd> {
    let process = Pid::from_raw(process).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(pidfd_open(process, PidfdFlags::empty())?)
}

/// Which of `files` can be read, or have ended; waits for this at most until the given time.
///
/// # Errors
/// What the kernel says, but for a signal: then none can be read.
pub fn poll<const N: usize>(
    files: [Option<RawFd>; N],
    left: Option<Duration>,
) -> io::Result<[bool; N]> {
    let mut asked = files.map(|file| libc::pollfd {
        // The kernel passes over negative ones.
        fd: file.unwrap_or(-1),
        events: libc::POLLIN,
        revents: 0,
    });
    // Rounded up, since it would spin in the last millisecond otherwise.
    let milliseconds = left.map_or(-1, |left| {
        i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
    });
    let count = asked.len() as libc::nfds_t;
    // SAFETY: the array lives, and is as long as it is said to be.
    #[allow(unsafe_code)]
    let ready = unsafe { libc::poll(asked.as_mut_ptr(), count, milliseconds) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        // If a signal interrupted the call, one of the files shows what happened.
        return match error.kind() {
            io::ErrorKind::Interrupted => Ok([false; N]),
            _ => Err(error),
        };
    }
    Ok(asked.map(|file| file.revents != 0))
}

/// Whether `file` has ended: nobody has its other end.
pub fn is_over(file: &impl AsFd) -> bool {
    let mut end = [PollFd::new(file, PollFlags::empty())];
    let ready = rustix::event::poll(&mut end, Some(&Timespec::default()));
    ready.is_ok() && end[0].revents().contains(PollFlags::HUP)
}

/// Waits for `process`, or for any child if it is -1: which one ended, how, and what it used. `None` if, with `WNOHANG`, none
/// has ended.
///
/// # Errors
/// There is no such child.
pub fn reap(
    process: libc::pid_t,
    options: libc::c_int,
) -> io::Result<Option<(libc::pid_t, libc::c_int, libc::rusage)>> {
    let mut status = 0;
    // SAFETY: a structure of numbers, all of which may be zero.
    #[allow(unsafe_code)]
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both places live, and the kernel writes nothing else.
        #[allow(unsafe_code)]
        match unsafe { libc::wait4(process, &raw mut status, options, &raw mut usage) } {
            0 => return Ok(None),
            ended if ended > 0 => return Ok(Some((ended, status, usage))),
            _ => {}
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// A file of a process in `/proc` with lines as `Rss:   12 kB`.
#[derive(Debug)]
pub struct Fields(String);

impl Fields {
    /// The file of that name.
    ///
    /// # Errors
    /// It cannot be read: the process is gone.
    pub fn of(process: u32, file: &str) -> io::Result<Self> {
        fs::read_to_string(format!("/proc/{process}/{file}")).map(Self)
    }

    /// The number of KiB in the line that begins so.
    pub fn kib(&self, name: &str) -> Option<u64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name));
        line?.split_whitespace().next()?.parse().ok()
    }
}

//! What the kernel says about processes: when they end, what they used, what is in `/proc`.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::time::Duration;

/// A handle that becomes readable when `process` ends.
///
/// # Errors
/// There is no such process; the kernel is older than Linux 5.3.
pub fn handle(process: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: a call with numbers; what it gives is new, and nobody else's.
    #[allow(unsafe_code)]
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, process, 0) {
            file if file >= 0 => Ok(OwnedFd::from_raw_fd(file as RawFd)),
            _ => Err(io::Error::last_os_error()),
        }
    }
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
pub fn is_over(file: &impl AsRawFd) -> bool {
    let mut end = libc::pollfd {
        fd: file.as_raw_fd(),
        events: 0,
        revents: 0,
    };
    // SAFETY: the structure lives, and is one.
    #[allow(unsafe_code)]
    let ready = unsafe { libc::poll(&raw mut end, 1, 0) };
    ready > 0 && end.revents & libc::POLLHUP != 0
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

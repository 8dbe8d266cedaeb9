//! The lock on a directory, which keeps a second brawn out.

use crate::error::{Error, Kind, Result};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::fs::File;
use std::time::{Duration, Instant};

/// How long to wait for another brawn: the largest bundle takes a fraction of this.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Takes the lock on a directory. The lock ends when the handle is closed, even if the process is killed.
///
/// Everybody who can open a directory can hold its lock, so brawn does not wait forever.
pub(super) fn lock(folder: &File, patience: Duration, waiting: impl FnOnce()) -> Result<()> {
    let begun = Instant::now();
    let mut waiting = Some(waiting);
    loop {
        match rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => {}
            // Network filesystems that cannot lock a directory: the rename is still atomic.
            Ok(()) | Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::INVAL) => {
                return Ok(());
            }
            Err(errno) => return Err(Error::io("cannot lock the directory", errno)),
        }
        if let Some(waiting) = waiting.take() {
            waiting();
        }
        if begun.elapsed() >= patience {
            let seconds = patience.as_secs();
            return Err(Error::new(
                Kind::Io,
                format!("somebody else has held the directory's lock for {seconds} seconds"),
            )
            .expected("another brawn, which needs less time")
            .next("`lsof +d` with the directory's name says who; nothing was written"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests;

//! Runs a command with a limit of time; also many at a time. What it leaves behind is not waited for.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much of a program's output is kept, in bytes.
const KEPT: u64 = 64 * 1024;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, or by a signal from elsewhere.
    Status(ExitStatus),
    /// It was killed after this time.
    TimedOut(Duration),
    /// It was killed because the whole run was stopped.
    Stopped,
}

impl End {
    /// Whether it ended by itself with status 0.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status(status) if status.success())
    }

    /// The end in words.
    pub fn describe(self) -> String {
        let status = match self {
            Self::TimedOut(timeout) => {
                return format!("still running after {} s, killed", timeout.as_secs());
            }
            Self::Stopped => return "interrupted".to_owned(),
            Self::Status(status) => status,
        };
        match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with status {code}"),
            (None, Some(signal)) => format!("killed by signal {signal}"),
            (None, None) => status.to_string(),
        }
    }
}

/// The results of a process.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// The beginning of its standard output.
    pub out: String,
    /// The beginning of its standard error.
    pub err: String,
}

/// Starts `command`. A file that was just written may still be open for writing in a child of another thread, until
/// that child has started its own program. So this tries again.
fn start(command: &mut Command) -> io::Result<Child> {
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
    command.spawn()
}

/// Runs `command` until it ends, `timeout` is over, or `stop` is set.
///
/// Output goes to files in memory. With a pipe, children that outlive the process would keep the caller waiting for the
/// pipe's end; on a full disk, what a program says about that would be lost.
///
/// # Errors
/// It cannot be started or waited for.
pub fn watch(command: &mut Command, timeout: Duration, stop: &AtomicBool) -> io::Result<Ran> {
    let mut stdout = output()?;
    let mut stderr = output()?;
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(0);
    let started = Instant::now();
    let mut child = start(command)?;
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let mut killed = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let elapsed = started.elapsed();
        let is_stopped = stop.load(Ordering::Relaxed);
        if killed.is_none() && (is_stopped || elapsed > timeout) {
            killed = Some(if is_stopped {
                End::Stopped
            } else {
                End::TimedOut(timeout)
            });
            if let Some(group) = group {
                // ESRCH means that it ended just now.
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        // Short programs end within a millisecond; long ones need not be checked as often.
        std::thread::sleep(
            (elapsed / 8).clamp(Duration::from_micros(200), Duration::from_millis(50)),
        );
    };
    Ok(Ran {
        end: killed.unwrap_or(End::Status(status)),
        out: text(&mut stdout)?,
        err: text(&mut stderr)?,
    })
}

/// A file for output.
fn output() -> io::Result<File> {
    let name = "brawn-output";
    match rustix::fs::memfd_create(name, rustix::fs::MemfdFlags::CLOEXEC) {
        Ok(file) => Ok(file.into()),
        // A kernel or a filter that has no such files.
        Err(_) => tempfile::tempfile(),
    }
}

fn text(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

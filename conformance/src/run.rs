//! Runs one executable with a time limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of what a program prints is kept.
const KEPT: u64 = 16 * 1024;

/// Runs `program` and returns what it wrote to its standard output, or what went wrong together
/// with everything that it wrote.
///
/// Output goes to files, so that a program's grandchildren that outlive it cannot keep the runner
/// waiting for the end of a pipe.
pub fn run(
    program: &Path,
    case: Option<&str>,
    env: &[(String, String)],
    timeout: Duration,
) -> Result<String, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", program.display());
    let mut stdout = tempfile::tempfile().map_err(failed)?;
    let mut stderr = tempfile::tempfile().map_err(failed)?;
    let mut command = Command::new(program);
    command
        .args(case)
        .envs(env.iter().map(|(k, v)| (k, v)))
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(failed)?)
        .stderr(stderr.try_clone().map_err(failed)?)
        .process_group(0);
    let started = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        let elapsed = started.elapsed();
        if elapsed > timeout && !timed_out {
            timed_out = true;
            if let Some(group) = group {
                // ESRCH means that it ended in this moment.
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        // Short programs end within a millisecond, long ones need no attention.
        std::thread::sleep(
            (elapsed / 8).clamp(Duration::from_micros(200), Duration::from_millis(50)),
        );
    };
    let out = text(&mut stdout).map_err(failed)?;
    if status.success() && !timed_out {
        return Ok(out);
    }
    let err = text(&mut stderr).map_err(failed)?;
    let what = if timed_out {
        format!("still running after {} s, killed", timeout.as_secs())
    } else {
        describe(status)
    };
    let case = case.unwrap_or("");
    Err(format!(
        "{what}\nto repeat: {} {case}\n{out}{err}",
        program.display()
    ))
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

fn text(file: &mut File) -> std::io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

//! Runs one executable with a time limit.

use brawn_lab::process::watch::watch;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs `program`, with `emulator` if that is not empty. Returns its standard output; or what went wrong, with all
/// its output.
pub fn run(
    emulator: &[String],
    program: &Path,
    case: Option<&str>,
    env: &[(String, String)],
    timeout: Duration,
) -> Result<String, String> {
    let mut command = through(emulator, program);
    command
        .args(case)
        .envs(env.iter().map(|(name, value)| (name, value)));
    let ran = watch(&mut command, timeout, &AtomicBool::new(false))
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if ran.end.is_success() {
        return Ok(ran.out);
    }
    Err(format!(
        "{}\nto repeat: {}{} {}\n{}{}",
        ran.end.describe(),
        emulator.iter().map(|w| format!("{w} ")).collect::<String>(),
        program.display(),
        case.unwrap_or(""),
        ran.out,
        ran.err
    ))
}

/// The command that runs `program` with the runner.
pub fn through(runner: &[String], program: &Path) -> Command {
    match runner.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// The lines `measure NAME VALUE`.
pub fn measures(text: &str) -> Vec<(String, u64)> {
    let measure = |line: &str| {
        let (name, value) = line.strip_prefix("measure ")?.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    text.lines().filter_map(measure).collect()
}

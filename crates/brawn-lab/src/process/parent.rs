//! Runs one program through a small parent (`bench/workloads/launch.c`) and reads its figures.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

type Result<T> = std::result::Result<T, String>;

/// Figures of one run by their names: the launcher's, and those of the program's result line.
pub type Sample = BTreeMap<String, f64>;

/// Starts programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Launcher {
    /// The launcher's executable.
    pub executable: PathBuf,
}

impl Launcher {
    /// Runs `program`, with these variables besides those of every program. Returns its figures, or what went wrong.
    ///
    /// # Errors
    /// It did not start, or did not end with exit code 0.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: &[S],
        peak: bool,
        variables: &[(&str, &Path)],
    ) -> Result<Sample> {
        let mut command = Command::new(&self.executable);
        if peak {
            command.arg("--peak");
        }
        command.arg(program).args(arguments).stdin(Stdio::null());
        // A program's environment is part of its stack and its start, so it is the same for all.
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C")
            .envs(variables.iter().copied());
        let output = command
            .output()
            .map_err(|error| format!("{}: {error}", self.executable.display()))?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let mut sample = parse(&stdout);
        if let (Some(user), Some(system)) = (sample.get("user_us"), sample.get("system_us")) {
            sample.insert("cpu_ns".to_owned(), (user + system) * 1000.0);
        }
        match sample.get("status") {
            Some(0.0) => Ok(sample),
            Some(status) => Err(format!("{}{}", meaning(*status as u32), tail(&stderr))),
            None => Err(format!(
                "the launcher gave no figures ({}){}",
                output.status,
                tail(&stderr)
            )),
        }
    }
}

/// The figures in what a program and the parent print.
pub fn parse(stdout: &str) -> Sample {
    stdout
        .lines()
        .filter_map(|line| {
            line.strip_prefix("result ")
                .or_else(|| line.strip_prefix("launch "))
        })
        .flat_map(str::split_whitespace)
        .filter_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            Some((key.to_owned(), value.parse().ok()?))
        })
        .collect()
}

/// What a wait status says (wait(2)).
fn meaning(status: u32) -> String {
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 127) => "did not start".to_owned(),
        (0, code) => format!("exit code {code}"),
        (14, _) => "hung, killed after 600 s".to_owned(),
        (signal, _) => format!("killed by signal {signal}"),
    }
}

fn tail(stderr: &str) -> String {
    match stderr.trim().lines().last() {
        Some(line) => format!(": {line}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;

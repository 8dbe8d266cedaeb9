//! brawn as cargo's `RUSTC_WRAPPER`: it writes down what cargo asks rustc, and what rustc answers.

use brawn_core::shown::shown;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::{Command, ExitCode, Output, Stdio};

/// Names the file to write to.  It is set only for a cargo that brawn asks.
pub const VARIABLE: &str = "BRAWN_CARGO_RECORD";

/// rustup's variable: rustup sets it for the programs that it starts, and follows it when started again.
pub const TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";

/// A call of rustc.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// The compiler.
    pub rustc: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it prints, for executables.
    pub output: String,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// The toolchain that rustup's cargo has chosen.
    pub toolchain: Option<String>,
}

/// Runs as rustc if cargo was told so; gives the exit code then.
pub fn record_if_asked() -> Option<ExitCode> {
    let file = std::env::var_os(VARIABLE)?;
    let mut arguments = std::env::args_os().skip(1);
    // The variable was set by another program, for its own use.
    let rustc = arguments.next()?;
    let arguments: Vec<OsString> = arguments.collect();
    let output = Command::new(&rustc)
        .args(&arguments)
        .env_remove(VARIABLE)
        .stdin(Stdio::inherit())
        .output();
    Some(match output {
        Ok(output) => pass_on(&file, &rustc, &arguments, &output),
        Err(error) => {
            crate::ui::error(&format_args!("{}: {error}", shown(&rustc)));
            ExitCode::FAILURE
        }
    })
}

/// rustc's answer for executables alone.  cargo asks for every kind of crate at once. If procedural macros are among
/// them, rustc does not say that executables are linked statically.
fn for_executables(rustc: &OsString, arguments: &[OsString]) -> Option<String> {
    let mut kept = Vec::new();
    let mut all = arguments.iter();
    while let Some(argument) = all.next() {
        if argument == "--crate-type" {
            let kind = all.next()?;
            if kind == "bin" {
                kept.extend([argument, kind]);
            }
        } else {
            kept.push(argument);
        }
    }
    let output = Command::new(rustc)
        .args(kept)
        .env_remove(VARIABLE)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

fn pass_on(file: &OsString, rustc: &OsString, arguments: &[OsString], output: &Output) -> ExitCode {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut succeeded = output.status.success();
    if succeeded && arguments.iter().any(|a| a == "--crate-type") {
        let executables = for_executables(rustc, arguments);
        succeeded = executables.is_some();
        text = executables.unwrap_or_default();
    }
    let call = Call {
        rustc: rustc.to_string_lossy().into_owned(),
        arguments: arguments
            .iter()
            .map(|a| a.to_string_lossy().into_owned())
            .collect(),
        output: text,
        succeeded,
        toolchain: std::env::var(TOOLCHAIN).ok(),
    };
    let written = serde_json::to_string(&call)
        .map_err(std::io::Error::from)
        .and_then(|line| {
            let mut file = OpenOptions::new().append(true).open(file)?;
            file.write_all(format!("{line}\n").as_bytes())
        })
        .and_then(|()| std::io::stderr().write_all(&output.stderr))
        .and_then(|()| std::io::stdout().write_all(&output.stdout));
    let code = output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok());
    match (written, code) {
        (Ok(()), Some(code)) => code.into(),
        _ => ExitCode::FAILURE,
    }
}

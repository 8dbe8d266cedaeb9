//! `cargo brawn`: `brawn cargo`, as cargo calls programs for commands that it does not know.
#![forbid(unsafe_code)]

use brawn_core::shown::shown;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The same exit code as `brawn` if the operating system refuses.
const IO: u8 = 5;

fn main() -> ExitCode {
    // Installed together; else wherever it is.
    let beside = std::env::current_exe().map(|own| own.with_file_name("brawn"));
    let brawn = beside
        .ok()
        .filter(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from("brawn"));
    let mut arguments = std::env::args_os().skip(1).peekable();
    // cargo passes its own arguments on.
    arguments.next_if(|first| first == "brawn");
    let error = Command::new(&brawn).arg("cargo").args(arguments).exec();
    eprintln!(
        "error: {}: cannot run it: {error}; install brawn beside cargo-brawn",
        shown(&brawn)
    );
    IO.into()
}

//! The `brawn` command: parses, calls `brawn-core`, prints.
#![forbid(unsafe_code)]

mod arch;
mod cargo;
mod cli;
mod commands;
mod exit;
mod help;
mod only;
mod profile;
mod report;
mod rewriting;
mod table;
mod ui;
mod walk;
mod which;

use clap::Parser as _;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = cargo::record_if_asked() {
        return code;
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error),
    };
    if cli.licenses {
        ui::text(brawn_payload::licenses());
        return if ui::is_cut() {
            Exit::Io
        } else {
            Exit::Success
        }
        .into();
    }
    let Some(command) = cli.command else {
        ui::help();
        return Exit::Usage.into();
    };
    let exit = commands::run(command);
    // A script would read less than there is.
    match exit {
        Exit::Success | Exit::Finding if ui::is_cut() => Exit::Io.into(),
        exit => exit.into(),
    }
}

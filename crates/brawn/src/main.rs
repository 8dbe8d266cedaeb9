//! The `brawn` command: parses, calls `brawn-core`, prints.
#![deny(unsafe_code)]

mod arch;
mod bar;
mod builds;
mod cargo;
mod cli;
mod commands;
mod exec;
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
    exit::instead_of_abort();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(error),
    };
    let exit = match cli.command {
        _ if cli.licenses => {
            ui::text(brawn_payload::licenses());
            Exit::Success
        }
        Some(command) => commands::run(command),
        None => {
            ui::help();
            Exit::Usage
        }
    };
    // A script would read less than there is.
    match exit {
        Exit::Success | Exit::Finding if ui::is_cut() => Exit::Io.into(),
        exit => exit.into(),
    }
}

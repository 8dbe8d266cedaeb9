//! The `brawn` command: parses, calls `brawn-core`, prints.
#![deny(unsafe_code)]

mod advice;
mod allocator;
mod arch;
mod bar;
mod builds;
mod cargo;
mod cli;
mod commands;
mod data;
mod exec;
mod exit;
mod file;
mod help;
mod inherited;
mod only;
mod profile;
mod report;
mod threads;
mod typed;
mod ui;
mod version;
mod walk;
mod which;

use clap::{CommandFactory as _, Parser as _};
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = cargo::record_if_asked() {
        return code;
    }
    exit::instead_of_abort();
    brawn_lab::process::start::pipe_is_ignored(inherited::is_ignored(libc::SIGPIPE));
    brawn_core::advice::set_words(advice::words);
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(error),
    };
    limits_are_errors();
    let exit = match cli.command {
        _ if cli.version => {
            ui::text(&version::text(cli.verbose));
            Exit::Success
        }
        _ if cli.licenses => {
            ui::text(brawn_payload::licenses());
            Exit::Success
        }
        Some(command) => commands::run(command, cli::Cli::command),
        None => {
            ui::help(cli::Cli::command());
            Exit::Usage
        }
    };
    // Otherwise a script would read incomplete output.
    match exit {
        Exit::Success | Exit::Finding if ui::is_cut() => Exit::Io.into(),
        exit => exit.into(),
    }
}

/// Makes a write beyond `ulimit -f` fail. Otherwise a signal would end brawn in the middle of its work. After a failed
/// write, brawn reports the error and removes half-written files.
///
/// This uses a handler, since a program that brawn becomes would inherit an ignored signal.  If the signal was already
/// ignored when brawn started, it stays ignored.
fn limits_are_errors() {
    use signal_hook::consts::SIGXFSZ;
    if inherited::is_ignored(SIGXFSZ) {
        return;
    }
    // Without a handler, the signal ends brawn, as by default.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
}

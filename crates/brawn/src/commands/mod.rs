//! One file a subcommand.

pub mod patch;
pub mod restore;

use crate::cli::Command;
use crate::exit::Exit;

/// Runs `command`; everything is printed when it returns.
pub fn run(command: Command) -> Exit {
    match command {
        Command::Patch(args) => patch::run(&args),
        Command::Restore(args) => restore::run(&args),
    }
}

//! One file a subcommand.

pub mod bench;
pub mod cargo;
pub mod compare;
pub mod completions;
pub mod heap_profile;
pub mod image;
pub mod inspect;
pub mod link_args;
pub mod man;
pub mod patch;
pub mod preload;
pub mod restore;
pub mod rewrite;
pub mod run;
pub mod signatures;
pub mod toolchains;
pub mod verify;

use crate::cli::Command;
use crate::exit::Exit;

/// Runs `command`; everything is printed when it returns.
pub fn run(command: Command) -> Exit {
    match command {
        Command::Bench(args) => bench::run(&args),
        Command::Cargo(args) => cargo::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::HeapProfile(args) => heap_profile::run(&args),
        Command::Image(args) => image::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::LinkArgs(args) => link_args::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Patch(args) => patch::run(&args),
        Command::Preload(args) => preload::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Rewrite(args) => rewrite::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Signatures(args) => signatures::run(&args),
        Command::Toolchains(args) => toolchains::run(&args),
        Command::Verify(args) => verify::run(&args),
    }
}

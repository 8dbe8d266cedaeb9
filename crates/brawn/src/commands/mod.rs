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

use crate::exit::Exit;
use clap::Subcommand;

/// The subcommands: first those that change something, from the toolchain to the finished program, then those that only
/// look.
#[derive(Debug, Subcommand)]
pub enum Command {
    Patch(patch::Args),
    Restore(restore::Args),
    Toolchains(toolchains::Args),
    LinkArgs(link_args::Args),
    Cargo(cargo::Args),
    Rewrite(rewrite::Args),
    Run(run::Args),
    Preload(preload::Args),
    Compare(compare::Args),
    Bench(bench::Args),
    Image(image::Args),
    Inspect(inspect::Args),
    Verify(verify::Args),
    HeapProfile(heap_profile::Args),
    Signatures(signatures::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs `command`; everything is printed when it returns. `brawn` gives all that can be typed.
pub fn run(command: Command, brawn: fn() -> clap::Command) -> Exit {
    let done = match command {
        Command::Bench(args) => bench::run(&args),
        Command::Cargo(args) => cargo::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Completions(args) => Ok(completions::run(&args, brawn)),
        Command::HeapProfile(args) => heap_profile::run(&args),
        Command::Image(args) => Ok(image::run(&args)),
        Command::Inspect(args) => inspect::run(&args),
        Command::LinkArgs(args) => link_args::run(&args),
        Command::Man(args) => man::run(&args, brawn),
        Command::Patch(args) => Ok(patch::run(&args)),
        Command::Preload(args) => preload::run(&args),
        Command::Restore(args) => Ok(restore::run(&args)),
        Command::Rewrite(args) => Ok(rewrite::run(&args)),
        Command::Run(args) => Ok(run::run(&args)),
        Command::Signatures(args) => signatures::run(&args),
        Command::Toolchains(args) => toolchains::run(&args),
        Command::Verify(args) => verify::run(&args),
    };
    done.unwrap_or_else(|error| Exit::of(&error))
}

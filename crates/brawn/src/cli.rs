//! What can be typed.

use crate::commands::{
    bench, cargo, compare, completions, heap_profile, image, inspect, link_args, man, patch,
    preload, restore, rewrite, run, signatures, toolchains, verify,
};
use crate::help;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

/// Of every help text.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Gives static musl programs a fast heap and fast memory functions instead of musl's.
#[derive(Debug, Parser)]
#[command(name = "brawn", version, styles = STYLES, after_help = help::after(""))]
#[command(disable_version_flag = true)]
pub struct Cli {
    /// Print the version, and exit.
    #[arg(short = 'V', long)]
    pub version: bool,

    /// With --version: also print the payloads, their engine, compiler and sources.
    #[arg(short, long, requires = "version")]
    pub verbose: bool,

    /// Print the licences of everything that ends up in patched programs, and exit.
    #[arg(long)]
    pub licenses: bool,

    #[command(subcommand)]
    pub command: Option<Command>,
}

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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}

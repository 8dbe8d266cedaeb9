//! What can be typed.

use crate::commands::{
    cargo, image, inspect, link_args, patch, preload, restore, rewrite, run, signatures,
    toolchains, verify,
};
use crate::exit;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Makes statically linked musl programs as fast as glibc's: replaces musl's heap.
#[derive(Debug, Parser)]
#[command(name = "brawn", version, styles = STYLES, after_help = exit::HELP, after_long_help = exit::HELP)]
pub struct Cli {
    /// Print the licences of everything that ends up in patched programs, and exit.
    #[arg(long)]
    pub licenses: bool,

    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Cargo(cargo::Args),
    Image(image::Args),
    Inspect(inspect::Args),
    LinkArgs(link_args::Args),
    Patch(patch::Args),
    Preload(preload::Args),
    Restore(restore::Args),
    Rewrite(rewrite::Args),
    Run(run::Args),
    Signatures(signatures::Args),
    Toolchains(toolchains::Args),
    Verify(verify::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}

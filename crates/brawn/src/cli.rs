//! What can be typed.

use crate::commands::Command;
use crate::help;
use clap::Parser;

/// Gives musl programs a fast heap and fast functions of libc instead of musl's.
#[derive(Debug, Parser)]
#[command(name = "brawn", version, styles = help::STYLES, after_help = help::after(""))]
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

#[cfg(test)]
mod tests;

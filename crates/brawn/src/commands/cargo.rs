//! `brawn cargo`: cargo, with a patched copy of the target's libc.a first on the search path.

use crate::cargo::{self, Request};
use crate::exit::Exit;
use crate::only::Parts;
use crate::profile::ProfileArg;
use crate::ui;
use std::ffi::OsString;
use std::path::PathBuf;

/// Run cargo, and what it builds for musl has brawn's heap and memory functions.
///
/// Static executables have them.  Takes any cargo command, with a `+toolchain` before it if need be: `brawn cargo
/// build --release --target x86_64-unknown-linux-musl`.  Toolchain, Cargo.toml and .cargo/config.toml stay as
/// they are, and so do rustflags, wherever they come from; other targets are not touched.  Input, output, signals
/// and exit code are cargo's own.  brawn's options stand in front of cargo's.  `cargo brawn` is the same.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("cargo"), disable_version_flag = true)]
pub struct Args {
    /// The heap's variant [default: the one that the target's libc.a has; fast].
    #[arg(long, value_enum)]
    profile: Option<ProfileArg>,

    #[command(flatten)]
    parts: Parts,

    /// Where patched copies go [default: a folder in the user's cache].
    #[arg(long)]
    dir: Option<PathBuf>,

    /// The cargo command.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO COMMAND"
    )]
    cargo: Vec<OsString>,
}

pub fn run(args: &Args) -> Exit {
    let error = match args.parts.components() {
        Ok(components) => cargo::run(&Request {
            profile: args.profile.map(Into::into),
            components,
            dir: args.dir.as_deref(),
            arguments: &args.cargo,
        }),
        Err(error) => error,
    };
    ui::error(&error);
    error.kind().into()
}

//! `brawn cargo`: cargo, with a patched copy of the target's libc.a first on the search path.

use crate::cargo::{self, Request};
use crate::exit::Exit;
use crate::only::Parts;
use crate::profile::ProfileArg;
use brawn_core::Result;
use std::ffi::OsString;
use std::path::PathBuf;

/// Run cargo so that programs for musl get brawn's heap, memory and other functions.
///
/// Static executables get them.  It accepts any cargo command, also with a `+toolchain` before it: `brawn cargo build
/// --release --target x86_64-unknown-linux-musl`.  The toolchain, Cargo.toml, .cargo/config.toml and your rustflags do
/// not change; other targets are built as without brawn.  Input, output, signals and exit code are cargo's own.
/// brawn's options stand in front of cargo's: all that follows cargo's first argument is cargo's.  `cargo brawn` is the same.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("cargo"), disable_version_flag = true)]
pub struct Args {
    /// The heap's variant [default: the one that the target's libc.a already has, otherwise fast].
    #[arg(long, value_enum)]
    profile: Option<ProfileArg>,

    #[command(flatten)]
    parts: Parts,

    /// The directory for patched copies [default: one in the user's cache].
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

pub fn run(args: &Args) -> Result<Exit> {
    let never = cargo::run(&Request {
        profile: args.profile.map(Into::into),
        components: args.parts.components()?,
        is_plain: args.parts.is_plain(),
        dir: args.dir.as_deref(),
        arguments: &args.cargo,
    })?;
    match never {}
}

//! `brawn link-args`: the payload for a link line; the toolchain's libc.a does not change.

use crate::arch::{Arch, architecture};
use crate::exit::Exit;
use crate::only::Parts;
use crate::profile::ProfileArg;
use crate::ui;
use brawn_core::link_args;
use brawn_core::link_args::Link;
use brawn_core::publish::place;
use brawn_core::publish::private::PrivateFolder;
use brawn_core::{Error, Result};
use brawn_payload::{Architecture, Payload, Profile, payload, payloads};
use clap::ValueEnum;
use std::path::PathBuf;

/// Print flags that link brawn's heap, memory and other functions, leaving libc.a alone.
///
/// The files that they name are written into a directory.  The flags stand after the program's own files and before every
/// library, as in `musl-gcc -static main.c $(brawn link-args)`.  The program has one heap.  Arguments that need it are
/// quoted for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("link-args"))]
pub struct Args {
    /// What reads the flags.
    #[arg(long, value_enum, default_value_t = Format::Cc)]
    format: Format,

    /// The payload's variant.
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArg,

    #[command(flatten)]
    parts: Parts,

    /// The program's architecture [default: the one that brawn runs on].
    #[arg(long, value_enum)]
    arch: Option<Arch>,

    /// The directory for the files [default: one in the user's cache].
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// What reads the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A C or C++ compiler, or a linker: the paths of object and archives.
    Cc,
    /// rustc, or Cargo's rustflags for a musl target.
    Rustc,
    /// An element for linkerSettings in a Package.swift.
    Swift,
    /// A line for a CMakeLists.txt; the included file says how to use it without that line.
    Cmake,
    /// The text of brawn.pc, which is also in the directory.
    PkgConfig,
    /// Everything, for scripts.
    Json,
}

pub fn run(args: &Args) -> Result<Exit> {
    let (payload, link) = place_and_link(args)?;
    print(args.format, payload, &link);
    Ok(Exit::Success)
}

fn place_and_link(args: &Args) -> Result<(&'static Payload, Link)> {
    let payload = choose(args)?;
    let components = args.parts.components()?;
    if let Some(dir) = &args.dir {
        // The flags may be used in other directories.
        let directory = std::path::absolute(dir)
            .map_err(|e| Error::io("cannot make it absolute", e).path(dir))?;
        let link = link_args::link(payload, components, &directory)?;
        place::into_folder(
            &directory,
            &link_args::files(payload, &link)?,
            link_args::is_ours,
        )?;
        return Ok((payload, link));
    }
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let next = "name a directory of your own with `--dir`";
    let cache =
        place::cache(variable("XDG_CACHE_HOME"), variable("HOME")).map_err(|e| e.next(next))?;
    let name = link_args::folder_name(payload, components);
    // An error in its name is reported before anything is made.
    link_args::link(payload, components, &cache.join(&name))?;
    let private = PrivateFolder::open(&cache, &name).map_err(|e| e.next(next))?;
    let link = link_args::link(payload, components, private.path())?;
    private.place(&link_args::files(payload, &link)?)?;
    Ok((payload, link))
}

fn choose(args: &Args) -> Result<&'static Payload> {
    let profile = Profile::from(args.profile);
    let architecture = architecture(args.arch);
    let name = architecture.map_or(std::env::consts::ARCH, Architecture::name);
    architecture
        .and_then(|a| payload(a, profile))
        .ok_or_else(|| {
            let there: Vec<String> = payloads()
                .iter()
                .map(|p| format!("{} ({})", p.architecture.name(), p.profile.name()))
                .collect();
            Error::not_applicable(format!("no payload for {name} ({})", profile.name()))
                .expected(there.join(", "))
                .next("choose one with `--arch`")
        })
}

fn print(format: Format, payload: &Payload, link: &Link) {
    match format {
        Format::Cc => ui::text(&link_args::shell(&link.flags.cc)),
        Format::Rustc => ui::text(&link_args::shell(&link.flags.rustc)),
        Format::Swift => ui::text(&link_args::swift(link)),
        Format::Cmake => ui::text(&link_args::cmake_include(link)),
        Format::PkgConfig => ui::text(&link_args::pkg_config(link, payload)),
        Format::Json => ui::json(link),
    }
}

//! `brawn signatures`: how musl's functions are recognized in programs without symbols.

use crate::builds::SignaturesArg;
use crate::exit::Exit;
use crate::ui;
use brawn_core::arch::Isa;
use brawn_core::elf::program::Program;
use brawn_core::error::{Error, Result};
use brawn_core::input;
use brawn_core::report::package::{Limits, members};
use brawn_core::signatures;
use brawn_core::signatures::names::Evidence;
use brawn_core::signatures::{Build, database, learn, text};
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// Show, search for and learn the signatures of musl's functions.
///
/// In a program without symbols, brawn finds musl's functions by their code, which differs from one build of musl to
/// another.  docs/signatures.md has the details.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("signatures"))]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the builds of musl for which brawn has signatures, and where they come from.
    List {
        #[command(flatten)]
        signatures: SignaturesArg,
    },
    /// Print the functions that the signatures find in an executable, with or without symbols: address, size, evidence,
    /// name.
    Find {
        /// A static executable.
        file: PathBuf,
        #[command(flatten)]
        signatures: SignaturesArg,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the signatures of a build of musl, as text for `--signatures`.
    Learn {
        /// musl's libc.a, or static executables that have symbols and one libc; PACKAGE!PATH for one in a wheel or
        /// npm's tarball.
        #[arg(required = true)]
        files: Vec<String>,
        /// The build's name, as in musl-1.2.3-debian-amd64.
        #[arg(long, default_value = "unnamed")]
        name: String,
        /// The packages that the files are from, in their order.
        #[arg(long, value_name = "NAME")]
        package: Vec<String>,
        /// The packages' versions.
        #[arg(long)]
        version: Vec<String>,
        /// The files' names in their packages [default: as in FILES].
        #[arg(long)]
        path: Vec<String>,
        /// Of the last of FILES, learn only this function, from its address and its size in hex.  The file needs no
        /// symbols.  May be given several times.
        #[arg(long, value_name = "NAME=ADDRESS+SIZE")]
        function: Vec<learn::Given>,
    },
}

pub fn run(args: &Args) -> Result<Exit> {
    match &args.command {
        Command::List { signatures } => list(signatures)?,
        Command::Find {
            file,
            signatures,
            json,
        } => find(file, signatures, *json).map_err(|e| e.path(file))?,
        Command::Learn {
            files,
            name,
            package,
            version,
            path,
            function,
        } => learn(files, name, [package, version, path], function)?,
    }
    Ok(Exit::Success)
}

fn read(file: &Path) -> Result<Vec<u8>> {
    input::read(file).map_err(|e| input::failed("cannot read it", e))
}

fn list(signatures: &SignaturesArg) -> Result<()> {
    let more = signatures.read()?.all;
    for architecture in Isa::ALL {
        let more = more.iter().filter(|b| b.architecture == architecture);
        for build in database::builds(architecture)?.iter().chain(more) {
            ui::text(&format!(
                "{}: {}, {} functions",
                build.name,
                architecture.name(),
                build.functions.len()
            ));
            for source in &build.provenance {
                ui::text(&format!(
                    "    {} {} {}\n    sha256 {}",
                    source.package, source.version, source.file, source.sha256
                ));
            }
        }
    }
    Ok(())
}

fn find(file: &Path, more: &SignaturesArg, json: bool) -> Result<()> {
    let more = more.read()?.all;
    let bytes = read(file)?;
    let names = signatures::name_with(&Program::read(&bytes)?, &more)?;
    if json {
        ui::json(&names);
        return Ok(());
    }
    for named in names.functions.iter().chain(&names.objects) {
        let (how, build) = match &named.evidence {
            Evidence::Symbol => ("symbol", ""),
            Evidence::Signature(build) => ("code", build.as_str()),
            Evidence::Reference(build) => ("reference", build.as_str()),
        };
        ui::text(&format!(
            "{:#014x} {:>6} {how:<9} {build} {}",
            named.address, named.size, named.name
        ));
    }
    Ok(())
}

fn learn(
    files: &[String],
    name: &str,
    [package, version, path]: [&Vec<String>; 3],
    functions: &[learn::Given],
) -> Result<()> {
    for word in [package, version, path]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .chain([name])
    {
        if !text::is_word(word) {
            return Err(
                Error::usage(format!("`{word}`")).expected("a word without blanks or commas")
            );
        }
    }
    let mut all: Option<Build> = None;
    for (number, file) in files.iter().enumerate() {
        let (outer, inner) = match file.split_once('!') {
            Some((outer, inner)) if !Path::new(file).exists() => (outer, Some(inner)),
            _ => (file.as_str(), None),
        };
        let at = Path::new(outer);
        let bytes = read(at).and_then(|bytes| match inner {
            Some(inner) => unpack(&bytes, inner),
            None => Ok(bytes),
        });
        let is_last = number + 1 == files.len();
        let mut build = bytes
            .and_then(|bytes| match functions {
                [_, ..] if is_last => learn::learn_given(&bytes, functions, all.as_slice()),
                _ => learn::learn(&bytes),
            })
            .map_err(|e| e.path(Path::new(file)))?;
        let given = |list: &[String]| list.get(number).cloned();
        for source in &mut build.provenance {
            source.package = given(package).unwrap_or_default();
            source.version = given(version).unwrap_or_default();
            source.file = given(path).unwrap_or_else(|| inner.unwrap_or(outer).to_owned());
        }
        match &mut all {
            None => all = Some(build),
            Some(all) => all.merge(&build).map_err(|e| e.path(Path::new(file)))?,
        }
    }
    if let Some(mut build) = all {
        name.clone_into(&mut build.name);
        ui::text(&text::write(&build));
    }
    Ok(())
}

/// The file of that name in a package.
fn unpack(package: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut found = None;
    let mut take = |member: &[u8], bytes: &[u8]| {
        if member == name.as_bytes() {
            found = Some(bytes.to_vec());
        }
    };
    members(package, Limits::USUAL, &mut take)?;
    found.ok_or_else(|| {
        Error::not_applicable(format!("no `{name}` in the package"))
            .expected("an archive or ELF file of that name")
    })
}

//! `brawn signatures`: what musl's functions are told by in programs without symbols.

use crate::exit::Exit;
use crate::ui;
use brawn_core::error::{Error, Result};
use brawn_core::rewrite::names::Evidence;
use brawn_core::rewrite::program::Program;
use brawn_core::rewrite::signatures::{self, database, learn, text};
use brawn_payload::Architecture;
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// Show, search for and learn the signatures of musl's functions.
///
/// In a program without symbols brawn finds musl's functions by their code, which differs from one build of musl to
/// another.  docs/signatures.md has the details.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::exit::HELP)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the builds of musl that brawn has signatures of, and where they are from.
    List,
    /// Print what the signatures find in an executable, whether it has symbols or not: address, size, evidence, name.
    Find {
        /// A static executable.
        file: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the signatures of a build of musl, as text for brawn's database.
    Learn {
        /// musl's libc.a, or a static executable that has symbols.
        file: PathBuf,
        /// The build's name, as in musl-1.2.3-debian-amd64.
        #[arg(long, default_value = "unnamed")]
        name: String,
        /// The package that FILE is from.
        #[arg(long, default_value = "-")]
        package: String,
        /// The package's version.
        #[arg(long, default_value = "-")]
        version: String,
        /// FILE's name in the package [default: FILE].
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
    },
}

pub fn run(args: &Args) -> Exit {
    let done = match &args.command {
        Command::List => list(),
        Command::Find { file, json } => find(file, *json).map_err(|e| e.path(file)),
        Command::Learn {
            file,
            name,
            package,
            version,
            path,
        } => learn(file, [name, package, version], path.as_deref()).map_err(|e| e.path(file)),
    };
    match done {
        Ok(()) => Exit::Success,
        Err(error) => {
            ui::error(&error);
            error.kind().into()
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|e| Error::io("cannot read it", e))
}

fn list() -> Result<()> {
    for architecture in Architecture::ALL {
        for build in database::builds(architecture)? {
            println!(
                "{}: {}, {} functions",
                build.name,
                architecture.name(),
                build.functions.len()
            );
            for source in &build.provenance {
                println!("    {} {} {}", source.package, source.version, source.file);
                println!("    sha256 {}", source.sha256);
            }
        }
    }
    Ok(())
}

fn find(file: &Path, json: bool) -> Result<()> {
    let bytes = read(file)?;
    let names = signatures::name(&Program::read(&bytes)?)?;
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
        println!(
            "{:#014x} {:>6} {how:<9} {build} {}",
            named.address, named.size, named.name
        );
    }
    Ok(())
}

fn learn(file: &Path, [name, package, version]: [&String; 3], path: Option<&str>) -> Result<()> {
    for word in [name, package, version]
        .map(String::as_str)
        .into_iter()
        .chain(path)
    {
        if word != "-" && !text::is_word(word) {
            return Err(Error::new(brawn_core::Kind::Usage, format!("`{word}`"))
                .expected("a word without blanks or commas"));
        }
    }
    let mut build = learn::learn(&read(file)?)?;
    build.name.clone_from(name);
    for source in &mut build.provenance {
        source.package.clone_from(package);
        source.version.clone_from(version);
        source.file = path.map_or_else(|| file.display().to_string(), str::to_owned);
    }
    ui::text(&text::write(&build));
    Ok(())
}

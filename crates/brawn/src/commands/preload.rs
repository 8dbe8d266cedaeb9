//! `brawn preload`: heap and memory functions for programs that are linked dynamically with musl.

use super::run::{Stop, search};
use crate::arch::{Arch, architecture};
use crate::exec;
use crate::exit::Exit;
use crate::profile::ProfileArg;
use crate::ui::{self, Tone};
use brawn_core::fingerprint::hexadecimal;
use brawn_core::input;
use brawn_core::link_args::is_ours;
use brawn_core::preload;
use brawn_core::publish::place;
use brawn_core::publish::place::File as Placed;
use brawn_core::publish::private::PrivateFolder;
use brawn_core::publish::trust;
use brawn_core::shown::{self, shown};
use brawn_core::{Error, Result};
use brawn_payload::{Architecture, PRELOAD_NAME, Preload, Profile};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The variable that musl's dynamic linker reads.
pub const VARIABLE: &str = "LD_PRELOAD";

const USAGE: &str = "brawn preload [OPTIONS] --output <FILE>
       brawn preload [--profile <PROFILE>] [--] <PROGRAM> [ARGS]...";

/// Give brawn's heap and memory functions to dynamic musl programs, by LD_PRELOAD.
///
/// It writes a shared object, or runs a program with it.  This is for programs that are linked dynamically with musl,
/// as Alpine's are: their heap is in libc.so, which brawn's other commands cannot replace.  `brawn preload -o FILE`
/// writes the object, for an image or a system; `brawn preload PROGRAM ARGS` runs a program with it, from the user's
/// cache.  Programs that this program starts have it, too.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("preload"), override_usage = USAGE)]
pub struct Args {
    /// Write the object here.
    #[arg(short, long, value_name = "FILE", required_unless_present = "program")]
    output: Option<PathBuf>,

    /// The heap's variant.
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArg,

    /// The object's architecture [default: the one that brawn runs on; with a program, the program's].
    #[arg(long, value_enum, conflicts_with = "program")]
    arch: Option<Arch>,

    /// Print a JSON object.
    #[arg(long, conflicts_with = "program")]
    json: bool,

    /// A program, as a path or a name to look for in PATH, and its arguments: all that follows its name.
    #[arg(trailing_var_arg = true, num_args = 1.., value_names = ["PROGRAM", "ARGS"], conflicts_with = "output")]
    program: Vec<OsString>,
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Written {
    #[serde(serialize_with = "shown::path")]
    path: PathBuf,
    /// Size in bytes.
    size: usize,
    sha256: String,
    brawn: &'static str,
    architecture: &'static str,
    profile: &'static str,
    engine: &'static str,
    compiler: &'static str,
    source: &'static str,
}

pub fn run(args: &Args) -> Result<Exit> {
    let Some(output) = &args.output else {
        let Err(stop) = launch(args);
        return Ok(stop.report());
    };
    let written = write(output, args)?;
    match args.json {
        true => ui::json(&written),
        false => print(output, &written),
    }
    Ok(Exit::Success)
}

fn write(output: &Path, args: &Args) -> Result<Written> {
    let architecture = architecture(args.arch).ok_or_else(|| {
        let found = format!("no object for {}", std::env::consts::ARCH);
        Error::not_applicable(found).next("choose one with `--arch`")
    })?;
    let object = preload::object(architecture, args.profile.into())?;
    place::into_file(output, &object.bytes, is_ours)?;
    let path = std::path::absolute(output)
        .map_err(|e| Error::io("cannot make it absolute", e).path(output))?;
    Ok(Written {
        path,
        size: object.bytes.len(),
        sha256: hexadecimal(&Sha256::digest(object.bytes.get())),
        brawn: object.version,
        architecture: architecture.name(),
        profile: object.profile.name(),
        engine: object.engine,
        compiler: object.compiler,
        source: object.source,
    })
}

fn print(output: &Path, written: &Written) {
    let text = format!(
        "{}: {}, {}, profile {}, brawn {}",
        shown(output),
        written.architecture,
        written.engine,
        written.profile,
        written.brawn
    );
    ui::line(Tone::Good, "written", &text);
    let path = shown(&written.path);
    ui::more(&format!("a program    {VARIABLE}={path} PROGRAM"));
    let name = written.path.file_name().map_or(output, Path::new);
    let renamed = (name != Path::new(PRELOAD_NAME)).then_some(PRELOAD_NAME);
    ui::more(&format!(
        "in an image  COPY {} /usr/lib/{}",
        shown(name),
        renamed.unwrap_or_default()
    ));
    ui::more(&format!(
        "             ENV {VARIABLE}=/usr/lib/{PRELOAD_NAME}"
    ));
    let bytes = written.path.as_os_str().as_encoded_bytes();
    if bytes.iter().any(|byte| matches!(byte, b' ' | b':')) {
        ui::more(&format!(
            "note         {VARIABLE} ends a name at a space and at a colon: move the file before you use it"
        ));
    }
}

/// Replaces this process by the program.  Returns only if that failed, with the reason.
fn launch(args: &Args) -> std::result::Result<Infallible, Stop> {
    // clap has made sure that there is a program or `-o`.
    let Some(name) = args.program.first() else {
        let error = Error::usage("neither `-o FILE` nor a program");
        return Err(Stop::Failed(error));
    };
    let program = search::search(name)?;
    let variable = prepare(&program, args.profile.into())?;
    let error = exec::execute(&program, &args.program, Some((VARIABLE, &variable)));
    Err(Stop::Refused(exec::failed(&program, error).path(&program)))
}

/// The variable's value for the program at `path`, with the object in it.
pub fn prepare(path: &Path, profile: Profile) -> std::result::Result<OsString, Stop> {
    let program = look(path).map_err(|e| Stop::Refused(e.path(path)))?;
    let object = preload::object(program, profile)?;
    let mut value = placed(object).map_err(Stop::Failed)?.into_os_string();
    // Other preloaded objects come after it: the first malloc is the one that is used.
    if let Some(others) = std::env::var_os(VARIABLE).filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    Ok(value)
}

/// The architecture of the program at `path`, if its dynamic linker will read the variable.
fn look(path: &Path) -> Result<Architecture> {
    let file = input::open(path).map_err(|e| match input::is_irregular(&e) {
        true => input::failed("cannot read it", e),
        false => Error::io("cannot read it", e)
            .next("a program that may be run but not read cannot be looked at"),
    })?;
    let stat = file
        .metadata()
        .map_err(|e| Error::io("cannot look at it", e))?;
    let deaf = "the dynamic linker reads no LD_PRELOAD for it";
    trust::refuse_set_id(&stat).map_err(|e| e.next(deaf))?;
    trust::refuse_capabilities(&file).map_err(|e| e.next(deaf))?;
    let program = preload::program(file)?;
    if !program.interpreter.exists() {
        let found = format!(
            "no dynamic linker {} on this system",
            shown(&program.interpreter)
        );
        return Err(Error::not_applicable(found)
            .expected("musl's, which the program asks for")
            .next("run it in an image that has it"));
    }
    Ok(program.architecture)
}

/// The object in the user's cache.
fn placed(object: &Preload) -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = place::cache(variable("XDG_CACHE_HOME"), variable("HOME"))
        .map_err(|e| e.next("write the object with `-o`, and set LD_PRELOAD"))?;
    let hash = hexadecimal(&Sha256::digest(object.bytes.get())[..8]);
    let name = format!("preload-{}-{hash}", object.version);
    // musl splits the variable at these characters (ldso/dynlink.c, load_preload), and does not support quotes.
    let splits = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':' || *byte == 0x0b;
    let check = |folder: &Path| match folder.as_os_str().as_bytes().iter().any(splits) {
        true => Err(
            Error::usage("LD_PRELOAD cannot name a path with a space or a colon")
                .path(folder)
                .expected("a cache whose path has neither")
                .next("set XDG_CACHE_HOME to another directory"),
        ),
        false => Ok(()),
    };
    check(&cache)?;
    let file = Placed {
        name: PRELOAD_NAME.into(),
        bytes: object.bytes.to_vec(),
    };
    let private = PrivateFolder::open(&cache, &name)
        .and_then(|private| private.place(&[file]).map(|()| private))
        .map_err(|e| {
            e.next("set XDG_CACHE_HOME to a directory of your own, or write the object with `-o`")
        })?;
    // A link on the way may lead anywhere.
    check(private.path())?;
    Ok(private.path().join(PRELOAD_NAME))
}

//! The target's `libc.a`, and the patched copy of it.

use super::Request;
use super::ask::Answer;
use super::witness::Witness;
use brawn_core::archive::plan::Action;
use brawn_core::archive::{Options, edit_bytes, edit_source};
use brawn_core::fingerprint::hexadecimal;
use brawn_core::link_args;
use brawn_core::publish::place::File;
use brawn_core::publish::{self, Source, cache, private::PrivateFolder};
use brawn_core::shown::shown;
use brawn_core::{Error, Kind, Result, input};
use brawn_payload::{Payload, Profile, payloads};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The beginning of the names of directories with copies.
pub const FOLDER: &str = "libc-";

/// The result for a target.
#[derive(Debug)]
pub enum Outcome {
    /// The flag that brings the copy.
    Copied(String),
    /// Its `libc.a` has what was asked for.
    Already,
    /// It cannot be patched; the text says why.
    Alone(String),
}

/// The directory in which a toolchain keeps the files of its targets.
pub fn targets(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib")
}

/// The targets that a toolchain has libraries for.
pub fn installed(sysroot: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(targets(sysroot)).into_iter().flatten();
    folders
        .flatten()
        .filter(|folder| folder.path().join("lib").is_dir())
        .filter_map(|folder| folder.file_name().into_string().ok())
        .collect()
}

/// Writes the patched archive into its directory, whose name has the hashes of everything that it depends on.  Returns the
/// directory, also as text.
fn placed(
    root: &Path,
    payload: &Payload,
    request: &Request,
    new: Vec<u8>,
) -> Result<(PathBuf, String)> {
    let hash = hexadecimal(&Sha256::digest(&new)[..8]);
    let name = format!(
        "{FOLDER}{}-{hash}",
        link_args::folder_name(payload, request.components)
    );
    let private = PrivateFolder::open(root, &name)?;
    let folder = private.path();
    let Some(text) = folder.to_str().filter(|f| !f.contains(char::is_control)) else {
        return Err(Error::usage("a directory whose name is not printable text")
            .path(folder)
            .expected("UTF-8 without control characters")
            .next("choose another with `--dir`"));
    };
    let file = File {
        name: "libc.a".into(),
        bytes: new,
    };
    private.place(&[file])?;
    Ok((folder.to_owned(), text.to_owned()))
}

/// Makes the patched copy for a target.  `is_host`: build scripts and procedural macros are linked with it, too.
/// `witnesses` gets the files that the outcome depends on.
pub fn copy(
    request: &Request,
    name: &str,
    answer: &Answer,
    is_host: bool,
    root: &Path,
    witnesses: &mut Vec<Witness>,
) -> Result<Outcome> {
    let path = targets(&answer.sysroot)
        .join(name)
        .join("lib/self-contained/libc.a");
    witnesses.push(Witness::of(&path));
    let alone = |why: String| Ok(Outcome::Alone(why));
    match obstacle(&answer.flags) {
        Some(Obstacle::Flag(why)) => return alone(why),
        Some(Obstacle::Libc(libc)) => {
            witnesses.push(Witness::of(&libc));
            return Ok(brought(request, &libc));
        }
        None => {}
    }
    if !targets(&answer.sysroot).join(name).is_dir() {
        let why = "the toolchain does not have that target (`rustup target add`)";
        return alone(why.into());
    }
    if !path.is_file() {
        let why = format!(
            "no {}: the linker brings a libc.a of its own; patch that one with `brawn patch`, or add `brawn \
             link-args --format rustc`",
            shown(&path)
        );
        return alone(why);
    }
    let edit = match request.is_plain {
        true => input::read(&path)
            .map_err(|e| input::failed("cannot read it", e))
            .and_then(|bytes| edit_bytes(&bytes, payloads(), &options(request))),
        // What was patched before has no musl's functions to leave alone: its original has.
        false => {
            witnesses.extend(
                publish::kept_beside(&path)
                    .iter()
                    .map(|path| Witness::of(path)),
            );
            input::open(&path)
                .map_err(|e| input::failed("cannot open it", e))
                .and_then(|file| Source::read(&path, &file))
                .and_then(|source| edit_source(&source, payloads(), &options(request)))
        }
    };
    let edit = match edit {
        Ok(edit) => edit,
        Err(error) if error.kind() == Kind::Io => return Err(error.path(&path)),
        Err(error) => return alone(error.path(&path).to_string()),
    };
    let (Some(new), Action::Patch | Action::Upgrade) = (edit.bytes, edit.plan.action) else {
        return Ok(Outcome::Already);
    };
    let Some(payload) = payload(&edit.plan) else {
        return alone("its payload is not in this brawn".into());
    };
    let (folder, text) = placed(root, payload, request, new)?;
    if is_host {
        let Some(shared) = shared_libc(&edit.plan.architecture) else {
            let why = "it is the compiler's own target, and the system has no libc.so of musl's, which procedural \
                       macros are linked with; name it with `--target`";
            return alone(why.into());
        };
        cache::link(&shared, &folder.join("libc.so"))?;
        witnesses.push(Witness::of(&folder.join("libc.so")));
    }
    witnesses.push(Witness::of(&folder.join("libc.a")));
    Ok(Outcome::Copied(format!("-Lnative={text}")))
}

fn options<'a>(request: &Request<'a>) -> Options<'a> {
    Options {
        components: request.components,
        keeps: request.is_plain,
        profile: request.profile,
        upgrade: false,
    }
}

/// The message for a `libc.a` that the user's own flags put first.
fn brought(request: &Request, libc: &Path) -> Outcome {
    let folder = libc.parent().and_then(Path::file_name).unwrap_or_default();
    let is_copy = folder.as_encoded_bytes().starts_with(FOLDER.as_bytes());
    let edit = input::read(libc)
        .ok()
        .and_then(|bytes| edit_bytes(&bytes, payloads(), &options(request)).ok());
    match edit.map(|edit| edit.plan.action) {
        Some(Action::Nothing) => Outcome::Already,
        // A script that `brawn cargo` runs calls it once more.
        Some(Action::Upgrade) if is_copy => Outcome::Alone(format!(
            "a `brawn cargo` around this one has chosen its {}",
            shown(&libc)
        )),
        _ => Outcome::Alone(format!(
            "your rustflags bring {}: patch that one with `brawn patch`",
            shown(&libc)
        )),
    }
}

/// The payload of a plan.
fn payload(plan: &brawn_core::archive::plan::Plan) -> Option<&'static Payload> {
    let profile = match &plan.payload {
        Some(heap) => Profile::from_name(&heap.profile)?,
        None => Profile::default(),
    };
    payloads()
        .iter()
        .find(|p| p.architecture.name() == plan.architecture && p.profile == profile)
}

/// The reason why rustc would take another `libc.a` than the toolchain's.
#[derive(Debug, PartialEq, Eq)]
enum Obstacle {
    /// The flags bring this one.
    Libc(PathBuf),
    /// The flags leave the choice to the linker; the text says how.
    Flag(String),
}

fn obstacle(flags: &[String]) -> Option<Obstacle> {
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let option = ["-L", "-C", "--codegen"]
            .into_iter()
            .find(|o| flag.starts_with(o));
        let Some(option) = option else { continue };
        let value = match &flag[option.len()..] {
            "" => flags.next().map_or("", String::as_str),
            value => value.strip_prefix('=').unwrap_or(value),
        };
        if option == "-L" {
            let folder = value
                .split_once('=')
                .map_or(value, |(kind, folder)| match kind {
                    "native" | "all" => folder,
                    _ => "",
                });
            let libc = Path::new(folder).join("libc.a");
            if !folder.is_empty() && libc.is_file() {
                return Some(Obstacle::Libc(libc));
            }
        } else if let Some(set) = value.strip_prefix("link-self-contained=")
            && !["y", "yes", "on", "true"].contains(&set)
        {
            return Some(Obstacle::Flag(format!(
                "your rustflags have link-self-contained={set}, so that the linker brings a libc.a of its own; patch \
                 that one with `brawn patch`, or add `brawn link-args --format rustc`"
            )));
        }
    }
    None
}

/// The system's `libc.so`, which procedural macros on a musl host are linked with.  A linker that searches our directory
/// first must find both files there: if it finds only `libc.a`, it uses that for them, too.
fn shared_libc(architecture: &str) -> Option<PathBuf> {
    let said = Command::new("cc").arg("-print-file-name=libc.so").output();
    let said = said.ok().and_then(|o| String::from_utf8(o.stdout).ok());
    let said = said.map(|text| PathBuf::from(text.trim_end()));
    let usual = [
        "/usr/lib/libc.so".into(),
        format!("/usr/lib/{architecture}-linux-musl/libc.so"),
        format!("/lib/ld-musl-{architecture}.so.1"),
    ];
    let mut all = said.into_iter().chain(usual.map(PathBuf::from));
    // If a compiler is for both libcs, glibc's is also there.
    all.find(|path| {
        path.is_absolute()
            && input::read(path).is_ok_and(|bytes| {
                let mut words = bytes.windows(9);
                bytes.starts_with(b"\x7fELF") && words.any(|word| word == b"musl libc")
            })
    })
}

#[cfg(test)]
mod tests;

//! What `brawn cargo` does before it becomes cargo.
//!
//! Which flags a target gets is cargo's own knowledge: files in many folders that include others, variables,
//! arguments, conditions on what the compiler answers.  None of that is read here.  Instead cargo is asked
//! (`ask.rs`): it looks at a package without contents, with this program in front of rustc, and says in its
//! first calls of rustc what each target's flags are; rustc's answers say what they amount to.  From that
//! `change.rs` makes plain data: variables and arguments for the cargo that runs in the end.  `known.rs`
//! keeps them as long as nothing changes that they came from.  `docs/rust.md` says why it is so.

mod ask;
mod change;
mod find;
mod known;
mod libc;
mod line;
mod record;

pub use record::record_if_asked;

use ask::Question;
use brawn_core::plan::Component;
use brawn_core::publish::place;
use brawn_core::{Error, Kind, Result};
use brawn_payload::Profile;
use change::Change;
use known::{Known, Seen};
use line::Line;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was typed.
#[derive(Debug)]
pub struct Request<'a> {
    /// The variant, if one was asked for.
    pub profile: Option<Profile>,
    /// What is exchanged.
    pub components: &'static [Component],
    /// Where patched copies go, if not into the cache.
    pub dir: Option<&'a Path>,
    /// cargo's own arguments.
    pub arguments: &'a [OsString],
}

/// Becomes cargo.  Returns only what kept it from that.
pub fn run(request: &Request) -> Error {
    let line = Line::parse(request.arguments);
    let change = if line.links() {
        match prepare(request, &line) {
            Ok(change) => change,
            Err(error) => return error,
        }
    } else {
        Change::default()
    };
    for note in &change.notes {
        crate::ui::info(note);
    }
    let mut command = Command::new(line.cargo());
    command
        .args(&line.toolchain)
        .args(line.with(&change.config));
    change.apply(&mut command);
    let error = command.exec();
    Error::io("cannot run cargo", error)
        .path(Path::new(&line.cargo()))
        .next("install it, or name it in CARGO")
}

/// What cargo has to be told, from what is known or by asking.
fn prepare(request: &Request, line: &Line) -> Result<Change> {
    let folder = line.folder()?;
    let seen = Seen::now(request, line, &folder)?;
    let places = places(request.dir)?;
    if let Some(known) = places.iter().find_map(|root| Known::find(root, &seen)) {
        return Ok(known.change);
    }
    let root = usable(places)?;
    let question = Question {
        line,
        folder: &folder,
        root: &root,
    };
    let (change, witnesses) = find::find(request, &question)?;
    let Some(witnesses) = witnesses else {
        return Ok(change);
    };
    let known = Known { change, witnesses };
    known.keep(&root, &seen)?;
    Ok(known.change)
}

/// Where files may go, the first choice first.
fn places(dir: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(dir) = dir {
        let dir = std::path::absolute(dir)
            .map_err(|e| Error::io("cannot make it absolute", e).path(dir))?;
        return Ok(vec![dir]);
    }
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let user = rustix::process::geteuid().as_raw();
    // A home that cannot be written to, or none, as in a sandbox.
    let other = std::env::temp_dir().join(format!("brawn-{user}"));
    Ok(place::cache(variable("XDG_CACHE_HOME"), variable("HOME"))
        .into_iter()
        .chain([other])
        .collect())
}

/// The first place that can be written to.
fn usable(places: Vec<PathBuf>) -> Result<PathBuf> {
    let mut first = None;
    for root in places {
        match ask::place_package(&root) {
            Ok(()) => return Ok(root),
            Err(error) if error.kind() == Kind::Io => first = first.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    let error = first.unwrap_or_else(|| Error::new(Kind::Usage, "no folder to write to"));
    Err(error.next("name a folder with `--dir`"))
}

/// A program of that name, where the shell would find it.
fn in_path(name: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Some(name.into());
    }
    let path = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(name));
    all.find(|file| file.is_file())
}

//! What `brawn cargo` does before it becomes cargo.
//!
//! Only cargo knows which flags a target gets: they depend on files in many directories that include others, variables,
//! arguments, and conditions on the compiler's answers.  brawn does not read these.  It asks cargo instead (`ask.rs`):
//! cargo looks at an empty package, with this program as its wrapper of rustc, and its first calls of rustc contain
//! each target's flags; rustc's answers say what the flags mean.  From these, `change.rs` makes plain data: variables
//! and arguments for the cargo that runs in the end.  `known.rs` keeps them until something changes on which they
//! depend.  `docs/rust.md` gives the reasons.

mod alias;
mod ask;
mod change;
mod find;
mod known;
mod libc;
mod line;
mod record;
mod witness;

pub use record::record_if_asked;

use ask::Question;
use brawn_core::component::Component;
use brawn_core::publish::place;
use brawn_core::{Error, Kind, Result};
use brawn_payload::Profile;
use change::Change;
use known::{Known, Seen};
use line::Line;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was typed.
#[derive(Debug)]
pub struct Request<'a> {
    /// The variant, if one was asked for.
    pub profile: Option<Profile>,
    /// Which parts are replaced.
    pub components: &'a [Component],
    /// Whether nobody chose these parts.
    pub is_plain: bool,
    /// The directory for patched copies, if it is not the cache.
    pub dir: Option<&'a Path>,
    /// cargo's own arguments.
    pub arguments: &'a [OsString],
}

/// Replaces this process by cargo.  Returns only if that failed, with the reason.
pub fn run(request: &Request) -> Result<Infallible> {
    let typed = Line::parse(request.arguments);
    let (line, change) = if typed.links() || typed.may_be_alias() {
        prepare(request, &typed)?
    } else {
        (typed, Change::default())
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
    Err(Error::io("cannot run cargo", error)
        .path(Path::new(&line.cargo()))
        .next("install it, or name it in CARGO"))
}

/// The change for cargo, and its command line: from the cache, or by asking cargo.
fn prepare(request: &Request, typed: &Line) -> Result<(Line, Change)> {
    let mut folder = typed.folder()?;
    let mut seen = Seen::now(request, typed, &folder)?;
    let mut line = typed.clone();
    if !seen.has_aliases && !line.links() {
        return Ok((line, Change::default()));
    }
    let places = places(request.dir)?;
    if let Some(known) = places.iter().find_map(|root| Known::find(root, &seen)) {
        if let Some(words) = &known.alias {
            line = typed.with_alias(words);
        }
        return Ok((line, known.change));
    }
    let mut alias = None;
    if seen.has_aliases && typed.may_be_alias() {
        alias = alias::of(typed)?;
    }
    if let Some(words) = &alias {
        line = typed.with_alias(words);
        let meant = line.folder()?;
        // Another directory's configuration was not looked at.
        seen.is_whole &= meant == folder;
        folder = meant;
    }
    if !line.links() {
        return Ok((line, Change::default()));
    }
    let root = usable(places)?;
    let question = Question {
        line: &line,
        folder: &folder,
        root: &root,
        toolchain: ask::toolchain(&line, &folder, &root)?,
    };
    let (change, witnesses) = find::find(request, &question)?;
    let Some(witnesses) = witnesses else {
        return Ok((line, change));
    };
    let known = Known {
        alias,
        change,
        witnesses,
    };
    known.keep(&root, &seen)?;
    Ok((line, known.change))
}

/// The places for files, the first choice first.
fn places(dir: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(dir) = dir {
        let dir = std::path::absolute(dir)
            .map_err(|e| Error::io("cannot make it absolute", e).path(dir))?;
        return Ok(vec![dir]);
    }
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    // cargo takes no other arguments.
    let is_text = |root: &PathBuf| root.to_str().is_some_and(|r| !r.contains(char::is_control));
    // In a sandbox there may be no home, or one that cannot be written to.
    let other = place::temporary();
    Ok(place::cache(variable("XDG_CACHE_HOME"), variable("HOME"))
        .into_iter()
        .chain([other])
        .filter(is_text)
        .collect())
}

/// The first place that can be written to.
fn usable(places: Vec<PathBuf>) -> Result<PathBuf> {
    let mut first: Option<Error> = None;
    for root in places {
        match ask::place_package(&root) {
            Ok(()) => return Ok(root),
            // It cannot be written to, or others can replace files in it.
            Err(error) => match &first {
                Some(told) if told.kind() == Kind::Refused || error.kind() == Kind::Io => {}
                _ => first = Some(error),
            },
        }
    }
    let error = first.unwrap_or_else(|| Error::usage("no directory to write to"));
    Err(error.next("name a directory with `--dir`"))
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

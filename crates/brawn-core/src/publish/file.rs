//! The steps for one file, the same for every kind of file: read it, edit it, and write the result.

use super::{Published, Source, Target, trust, write_elsewhere};
use crate::component::Chosen;
use crate::content::Content;
use crate::error::Result;
use crate::format::Format;
use crate::input;
use std::fs::File;
use std::path::Path;

/// Where the new bytes are written.
#[derive(Clone, Copy, Debug)]
pub enum To<'p> {
    /// Into the file itself; the original is kept beside it.
    Itself,
    /// To another file; this one is left alone.
    Another(&'p Path),
    /// Nowhere: the caller only wants the plan.
    Nowhere,
}

/// Something that the user should know about while brawn works.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'p> {
    /// brawn waits, since another brawn works in this directory.
    Waiting(&'p Path),
    /// A write to this file was interrupted; brawn put its original back.
    RolledBack(&'p Path),
    /// A newer version of this file came while an earlier brawn worked, which was then killed; it lies at the second path.
    Newer(&'p Path, &'p Path),
}

/// The result of an edit.
#[derive(Debug)]
pub struct Edited<'s, P> {
    /// What was done or would be done.
    pub plan: P,
    /// The new file; `None` if there is nothing to do.
    pub content: Option<Content<'s>>,
    /// Whether the file already had a payload of brawn's. Such a file must not replace an original that brawn keeps.
    pub had_payload: bool,
    /// The parts that were chosen, for the record; `None` if the new file says so itself.
    pub chosen: Option<Chosen>,
}

/// What happened to a file.
#[derive(Debug)]
pub struct Outcome<P> {
    /// What was done or would be done.
    pub plan: P,
    /// Whether the new bytes differ from the old ones.
    pub is_changed: bool,
    /// Whether they were made from an original that brawn had kept before.
    pub is_again: bool,
    /// What happened to the file itself, if it was written to.
    pub published: Option<Published>,
}

/// Opens the target `path` to change it. `tell` is called with things that the user should know about.
///
/// # Errors
/// Those of [`Target::open`].
pub fn open(path: &Path, tell: &dyn Fn(Notice<'_>)) -> Result<Target> {
    let target = Target::open(path, |folder| tell(Notice::Waiting(folder)))?;
    if target.recovered {
        tell(Notice::RolledBack(target.path()));
    }
    if let Some(newer) = &target.newer {
        tell(Notice::Newer(target.path(), newer));
    }
    Ok(target)
}

/// Edits the file at `path` with `edit`, and writes the result. What has none of these `formats`, `edit` refuses by its start:
/// then nothing else is read.
///
/// # Errors
/// The file cannot be read or written; those of `edit`; and, unless another file is written, those of
/// [`trust::refuse`].
pub fn file<P>(
    path: &Path,
    formats: &[Format],
    to: To<'_>,
    tell: &dyn Fn(Notice<'_>),
    edit: &dyn for<'s> Fn(&'s Source) -> Result<Edited<'s, P>>,
) -> Result<Outcome<P>> {
    unplaced(path, formats, to, tell, edit).map_err(|e| e.path(path))
}

fn unplaced<P>(
    path: &Path,
    formats: &[Format],
    to: To<'_>,
    tell: &dyn Fn(Notice<'_>),
    edit: &dyn for<'s> Fn(&'s Source) -> Result<Edited<'s, P>>,
) -> Result<Outcome<P>> {
    // What has none of the formats, `edit` refuses by its start.
    let refuse = |file: &File| match Source::other(path, file, formats)? {
        Some(start) => edit(&start).map(drop),
        None => Ok(()),
    };
    let target = match to {
        To::Itself => Some(open(path, tell)?),
        To::Another(_) | To::Nowhere => None,
    };
    let source = match &target {
        Some(target) => {
            trust::refuse(target.file())?;
            refuse(target.file())?;
            target.read()?
        }
        None => {
            let file = input::open(path).map_err(|e| input::failed("cannot open it", e))?;
            if matches!(to, To::Nowhere) {
                trust::refuse(&file)?;
            }
            refuse(&file)?;
            Source::read(path, &file)?
        }
    };
    let edited = edit(&source)?;
    let content = edited.content.filter(|new| !new.is(source.bytes()));
    let mut outcome = Outcome {
        plan: edited.plan,
        is_changed: content.is_some(),
        is_again: source.is_original_known(),
        published: None,
    };
    let chosen = edited.chosen.as_ref();
    match (&target, &content) {
        (Some(target), Some(content)) => {
            let published = target.publish(&source, content, edited.had_payload, chosen)?;
            outcome.published = Some(published);
        }
        (Some(target), None) => target.note_chosen(&source, chosen)?,
        (None, _) => {}
    }
    if let To::Another(out) = to {
        let same = || Content::from(source.bytes());
        write_elsewhere(path, out, &content.unwrap_or_else(same))?;
    }
    Ok(outcome)
}

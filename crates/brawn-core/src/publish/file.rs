//! The way of one file, the same whatever is edited in it: read, edited, and written where it belongs.

use super::{Published, Source, Target, trust, write_elsewhere};
use crate::content::Content;
use crate::error::Result;
use crate::input;
use std::path::Path;

/// Where new bytes go.
#[derive(Clone, Copy, Debug)]
pub enum To<'p> {
    /// Into the file itself; the original is kept beside it.
    Itself,
    /// Into another file; this one is left alone.
    Another(&'p Path),
    /// Nowhere: only what would be done is of interest.
    Nowhere,
}

/// What a user might wonder about meanwhile.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'p> {
    /// Another brawn works in this folder, and is waited for.
    Waiting(&'p Path),
    /// A write to this file was interrupted: its original is back.
    RolledBack(&'p Path),
}

/// What an edit has come to.
#[derive(Debug)]
pub struct Edited<'s, P> {
    /// What was, or would be, done.
    pub plan: P,
    /// The new file; `None` where there is nothing to do.
    pub content: Option<Content<'s>>,
    /// Whether brawn put a payload into the file before, so that the file must not take the place of an original
    /// that is kept.
    pub had_payload: bool,
}

/// What became of a file.
#[derive(Debug)]
pub struct Outcome<P> {
    /// What was, or would be, done.
    pub plan: P,
    /// Whether the new bytes are other ones.
    pub is_changed: bool,
    /// Whether they are made from an original that was kept before.
    pub is_again: bool,
    /// What became of the file itself, where that was written to.
    pub published: Option<Published>,
}

/// Opens the target `path` for changing it; `tell` is told what its user might wonder about.
///
/// # Errors
/// Those of [`Target::open`].
pub fn open(path: &Path, tell: &dyn Fn(Notice<'_>)) -> Result<Target> {
    let target = Target::open(path, |folder| tell(Notice::Waiting(folder)))?;
    if target.recovered() {
        tell(Notice::RolledBack(target.path()));
    }
    Ok(target)
}

/// Takes the file at `path` through `edit`, and writes what comes out.
///
/// # Errors
/// The file cannot be read or written, those of `edit`, and those of [`trust::refuse`] unless another file is written.
pub fn file<P>(
    path: &Path,
    to: To<'_>,
    tell: &dyn Fn(Notice<'_>),
    edit: &dyn for<'s> Fn(&'s Source) -> Result<Edited<'s, P>>,
) -> Result<Outcome<P>> {
    unplaced(path, to, tell, edit).map_err(|e| e.path(path))
}

fn unplaced<P>(
    path: &Path,
    to: To<'_>,
    tell: &dyn Fn(Notice<'_>),
    edit: &dyn for<'s> Fn(&'s Source) -> Result<Edited<'s, P>>,
) -> Result<Outcome<P>> {
    let target = match to {
        To::Itself => Some(open(path, tell)?),
        To::Another(_) | To::Nowhere => None,
    };
    if !matches!(to, To::Another(_)) {
        let file = input::open(target.as_ref().map_or(path, Target::path));
        trust::refuse(&file.map_err(|e| input::failed("cannot open it", e))?)?;
    }
    let source = match &target {
        Some(target) => target.read()?,
        None => Source::read(path)?,
    };
    let edited = edit(&source)?;
    let content = edited.content.filter(|new| !new.is(source.bytes()));
    let mut outcome = Outcome {
        plan: edited.plan,
        is_changed: content.is_some(),
        is_again: source.is_original_known(),
        published: None,
    };
    if let (Some(target), Some(content)) = (&target, &content) {
        outcome.published = Some(target.publish(&source, content, edited.had_payload)?);
    }
    if let To::Another(out) = to {
        let same = || Content::from(source.bytes());
        write_elsewhere(path, out, &content.unwrap_or_else(same))?;
    }
    Ok(outcome)
}

//! The one error type: where it happened, what was found, what was expected, what to do next.
//!
//! Every part is a lowercase fragment, so that parts compose into one line:
//! `PATH: FOUND; expected EXPECTED; NEXT (member NAME, at 0xOFFSET)`: the reason first, the place inside the file last.

use crate::shown::{line, shown};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong. Callers and the exit code tell errors apart by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The input is broken: truncated, or with fields that contradict each other.
    Malformed,
    /// The input is whole, but brawn does not know how to edit its shape.
    Refused,
    /// The input is whole, but brawn does nothing with it: it is not musl's libc, or there is no payload for its
    /// architecture. A directory may hold such files; they are left alone.
    NotApplicable,
    /// The operating system reported an error.
    Io,
    /// `restore` would destroy something, or has nothing to restore from.
    RestoreRefused,
    /// The request contradicts itself.
    Usage,
}

/// Why something could not be done. Every function here may return it, so it is only one pointer wide.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: Kind,
    path: Option<PathBuf>,
    part: Option<Piece>,
    holder: Option<String>,
    offset: Option<u64>,
    found: String,
    expected: Option<String>,
    next: Option<String>,
    source: Option<io::Error>,
    reasons: Vec<String>,
}

/// The piece of a file that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A member of an archive, by name.
    Member(String),
    /// A segment of an executable, by its number in the program header table.
    Segment(usize),
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this `kind`; `found` says what was found.
    pub fn new(kind: Kind, found: impl Into<String>) -> Self {
        Self(Box::new(Facts {
            kind,
            path: None,
            part: None,
            holder: None,
            offset: None,
            found: found.into(),
            expected: None,
            next: None,
            source: None,
            reasons: Vec::new(),
        }))
    }

    /// Broken input.
    pub fn malformed(found: impl Into<String>) -> Self {
        Self::new(Kind::Malformed, found)
    }

    /// A file that brawn does nothing with.
    pub fn not_applicable(found: impl Into<String>) -> Self {
        Self::new(Kind::NotApplicable, found)
    }

    /// A shape that brawn cannot edit.
    pub fn refused(found: impl Into<String>) -> Self {
        Self::new(Kind::Refused, found)
    }

    /// A request that contradicts itself.
    pub fn usage(found: impl Into<String>) -> Self {
        Self::new(Kind::Usage, found)
    }

    /// An original that is not put back.
    pub fn restore_refused(found: impl Into<String>) -> Self {
        Self::new(Kind::RestoreRefused, found)
    }

    /// The system call behind `doing` failed. If that is because memory ran out, it is a refusal: nothing is wrong with the
    /// disk.
    pub fn io(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        let source = source.into();
        let kind = match source.kind() {
            io::ErrorKind::OutOfMemory => Kind::Refused,
            _ => Kind::Io,
        };
        let mut error = Self::new(kind, doing);
        error.0.source = Some(source);
        error
    }

    /// Sets the file that the error is about. An error that already has a file keeps it.
    #[must_use]
    pub fn path(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// Sets the archive member that the error is about. An error that already has a member keeps it.
    #[must_use]
    pub fn member(mut self, name: &[u8]) -> Self {
        self.0
            .part
            .get_or_insert_with(|| Piece::Member(printable(name)));
        self
    }

    /// For a file inside another file: the error's file becomes the member `name` of a bundle.
    #[must_use]
    pub fn held_by(mut self, name: &[u8]) -> Self {
        match self.0.part {
            None if self.0.offset.is_none() => self.member(name),
            _ => {
                self.0.holder.get_or_insert_with(|| printable(name));
                self
            }
        }
    }

    /// Sets the segment of an executable that the error is about.
    #[must_use]
    pub fn segment(mut self, number: usize) -> Self {
        self.0.part.get_or_insert(Piece::Segment(number));
        self
    }

    /// Sets the place in the file, in bytes from its start.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets all reasons, if there are several: the error itself tells of the first.
    #[must_use]
    pub fn reasons(mut self, reasons: Vec<String>) -> Self {
        self.0.reasons = reasons;
        self
    }

    /// All reasons; empty if there is only the error itself.
    pub fn all_reasons(&self) -> &[String] {
        &self.0.reasons
    }

    /// Sets what brawn expected instead.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Sets what the user can do about it.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.0.next = Some(next.into());
        self
    }

    /// The kind of error, by which callers tell errors apart.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The file that it is about.
    pub fn file(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The member or segment that it is about.
    pub fn part(&self) -> Option<&Piece> {
        self.0.part.as_ref()
    }

    /// Where in the file.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The error of the operating system, if there is one.
    pub fn os(&self) -> Option<io::ErrorKind> {
        self.0.source.as_ref().map(io::Error::kind)
    }

    /// The message without its path, for output that has already named the file.
    pub fn without_path(&self) -> impl fmt::Display + '_ {
        WithoutPath(self)
    }
}

struct WithoutPath<'a>(&'a Error);

impl fmt::Display for WithoutPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &self.0.0;
        line(&error.found).fmt(f)?;
        if let Some(source) = &error.source {
            let text = source.to_string();
            // People learn nothing from the error's number that the text does not say.
            let text = match text.find(" (os error ") {
                Some(end) => &text[..end],
                None => &text,
            };
            write!(f, ": {}", line(text))?;
        }
        if let Some(expected) = &error.expected {
            write!(f, "; expected {}", line(expected))?;
        }
        if let Some(next) = &error.next {
            write!(f, "; {}", line(next))?;
        }
        error.place(f)
    }
}

impl Facts {
    /// The place in the file, for people who want to look at it.
    fn place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = Vec::new();
        match &self.part {
            Some(Piece::Member(name)) => places.push(format!("member {name}")),
            // An error about the file as a whole needs no segment and no offset.
            Some(Piece::Segment(number)) if self.kind != Kind::NotApplicable => {
                places.push(format!("segment {number}"));
            }
            Some(Piece::Segment(_)) | None => {}
        }
        let offset = self.offset.filter(|_| self.kind != Kind::NotApplicable);
        // Offset 0 is the beginning of the file: no need to say so.
        if let Some(offset) = offset.filter(|offset| *offset > 0) {
            places.push(format!("at {offset:#x}"));
        }
        places.extend(self.holder.iter().map(|name| format!("of {name}")));
        match places.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", places.join(", ")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", shown(path))?;
        }
        WithoutPath(self).fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| e as _)
    }
}

pub use crate::shown::printable;

#[cfg(test)]
mod tests;

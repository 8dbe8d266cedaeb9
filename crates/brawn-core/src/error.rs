//! The one error type: where it happened, what was found, what was expected, what to do next.
//!
//! Every part is a lowercase fragment, so that parts compose into one line:
//! `PATH: member NAME: at 0xOFFSET: FOUND; expected EXPECTED; NEXT`.

use crate::shown::{line, shown};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What came of it, as the caller (and the exit code) tells errors apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The input is broken: truncated, or with fields that contradict each other.
    Malformed,
    /// The input is whole, but of a shape that brawn does not know how to edit.
    Refused,
    /// The input is whole, and nothing that brawn is for: not musl's libc, or for an architecture
    /// that there is no payload for.  A folder may hold such files; they are left alone.
    NotApplicable,
    /// The operating system said no.
    Io,
    /// `restore` would destroy something, or has nothing to restore from.
    RestoreRefused,
    /// What was asked for contradicts itself.
    Usage,
}

/// Why something could not be done.  One pointer wide, since every function here may return it.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: Kind,
    path: Option<PathBuf>,
    part: Option<Part>,
    offset: Option<u64>,
    found: String,
    expected: Option<String>,
    next: Option<String>,
    source: Option<io::Error>,
}

/// The piece of a file that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A member of an archive, by name.
    Member(String),
    /// A segment of an executable, by its number in the program header table.
    Segment(usize),
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `kind` that found `found`.
    pub fn new(kind: Kind, found: impl Into<String>) -> Self {
        Self(Box::new(Facts {
            kind,
            path: None,
            part: None,
            offset: None,
            found: found.into(),
            expected: None,
            next: None,
            source: None,
        }))
    }

    /// Broken input.
    pub fn malformed(found: impl Into<String>) -> Self {
        Self::new(Kind::Malformed, found)
    }

    /// Nothing that brawn is for.
    pub fn not_applicable(found: impl Into<String>) -> Self {
        Self::new(Kind::NotApplicable, found)
    }

    /// A shape that brawn does not know.
    pub fn refused(found: impl Into<String>) -> Self {
        Self::new(Kind::Refused, found)
    }

    /// The system call behind `doing` failed.
    pub fn io(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        let mut error = Self::new(Kind::Io, doing);
        error.0.source = Some(source.into());
        error
    }

    /// The file that it is about; an error that already knows its file keeps it.
    #[must_use]
    pub fn path(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// The member of an archive that it is about; the innermost one stays.
    #[must_use]
    pub fn member(mut self, name: &[u8]) -> Self {
        self.0
            .part
            .get_or_insert_with(|| Part::Member(printable(name)));
        self
    }

    /// The segment of an executable that it is about.
    #[must_use]
    pub fn segment(mut self, number: usize) -> Self {
        self.0.part.get_or_insert(Part::Segment(number));
        self
    }

    /// Where in the file, in bytes from its start.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// What should have been there.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// What the user can do about it.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.0.next = Some(next.into());
        self
    }

    /// How callers tell it apart.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The file that it is about.
    pub fn file(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The member or segment that it is about.
    pub fn part(&self) -> Option<&Part> {
        self.0.part.as_ref()
    }

    /// Where in the file.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// What the operating system said, where it said no.
    pub fn os(&self) -> Option<io::ErrorKind> {
        self.0.source.as_ref().map(io::Error::kind)
    }

    /// The message without its path, for output that has named the file already.
    pub fn without_path(&self) -> impl fmt::Display + '_ {
        WithoutPath(self)
    }
}

struct WithoutPath<'a>(&'a Error);

impl fmt::Display for WithoutPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &self.0.0;
        match &error.part {
            Some(Part::Member(name)) => write!(f, "member {name}: ")?,
            Some(Part::Segment(number)) => write!(f, "segment {number}: ")?,
            None => {}
        }
        if let Some(offset) = error.offset {
            write!(f, "at {offset:#x}: ")?;
        }
        line(&error.found).fmt(f)?;
        if let Some(source) = &error.source {
            write!(f, ": {}", line(&source.to_string()))?;
        }
        if let Some(expected) = &error.expected {
            write!(f, "; expected {}", line(expected))?;
        }
        if let Some(next) = &error.next {
            write!(f, "; {}", line(next))?;
        }
        Ok(())
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
mod tests {
    use super::*;

    #[test]
    fn every_part_is_printed_in_order() {
        let error = Error::malformed("size field `12x`")
            .expected("decimal digits")
            .next("download it again")
            .at(0x1a2)
            .member(b"free.lo")
            .path(Path::new("/lib/libc.a"));
        assert_eq!(
            error.to_string(),
            "/lib/libc.a: member free.lo: at 0x1a2: size field `12x`; expected decimal digits; \
             download it again"
        );
        assert!(
            error
                .without_path()
                .to_string()
                .starts_with("member free.lo")
        );
    }

    #[test]
    fn the_innermost_place_stays() {
        let error = Error::refused("x").at(1).member(b"a").at(2).member(b"b");
        assert_eq!(error.offset(), Some(1));
        assert_eq!(error.part(), Some(&Part::Member("a".into())));
    }

    #[test]
    fn no_part_brings_more_than_text() {
        let bad = "a\n\u{9b}\u{202e}b";
        let error = Error::io(bad, io::Error::other(bad))
            .expected(bad)
            .next(bad)
            .member(bad.as_bytes())
            .path(Path::new(bad));
        let text = error.to_string();
        assert!(text.chars().all(crate::shown::is_plain), "{text}");
        assert_eq!(text.matches("a\\n\\u{9b}\\u{202e}b").count(), 6);
    }
}
